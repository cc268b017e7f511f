import Bytes
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Player

/// Decoders that start while every core is busy. `make soak` has 20,000 of them.
@Suite(.serialized) struct DecoderStartTests {
    @Test func noneHangsWhileAllCoresAreBusy() throws {
        let isOver = Atomic(false)
        for _ in 0..<2 { Thread.detachNewThread { while !isOver.load(ordering: .relaxed) {} } }
        defer { isOver.store(true, ordering: .relaxed) }
        let nursery = Nursery(path: Stage.decoderPath)
        defer { nursery.end() }
        let clip = FileURL.url(path: try TestClips.path(TestClips.landscape).utf8)
        for number in 0..<300 {
            let run = LinearDecode(
                try nursery.decoder(), url: clip,
                pictures: SurfaceRequest(generation: 1, width: 64, height: 48, fit: .fit),
                start: .zero, provider: FileProvider())
            // One that hangs is silent for 10 s, and `next` throws.
            guard case .opened = try run.next(), case .picture = try run.next() else {
                throw WireError.invalid("start \(number)")
            }
        }
    }
}
