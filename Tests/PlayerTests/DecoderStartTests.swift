import Bytes
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Player

/// Decoders that start while every core is busy. `make soak` has 20,000 of them.
@Suite(.serialized) struct DecoderStartTests {
    /// Half of the time after which a hung decoder is an error. `make soak` allows one second, on a machine with two
    /// busy processes; here all other tests compete for the cores as well.
    private static let limit = Duration.seconds(5)

    @Test func decodersStartWhileAllCoresAreBusy() throws {
        let isOver = Atomic(false)
        for _ in 0..<2 { Thread.detachNewThread { while !isOver.load(ordering: .relaxed) {} } }
        defer { isOver.store(true, ordering: .relaxed) }
        let nursery = Nursery(path: Stage.decoderPath)
        defer { nursery.end() }
        let folder = TemporaryFolder()
        let file = folder.path + "/clip.mp4"
        let made = try Command.run([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:d=0.2", "-pix_fmt", "yuv420p", file,
        ])
        #expect(made.status == 0)
        let clip = FileURL.url(path: file.utf8)
        // Loading the nursery is no part of a start.
        let first = try nursery.decoder()
        try first.waitUntilStarted()
        first.kill()
        first.reap()
        for number in 0..<200 {
            let began = ContinuousClock.now
            let run = LinearDecode(
                try nursery.decoder(), url: clip,
                pictures: SurfaceRequest(generation: 1, width: 64, height: 48, fit: .fit),
                start: .zero, bytes: .files)
            // One that hangs is silent for 10 s, and `next` throws.
            guard case .opened = try run.next(), case .picture = try run.next() else {
                throw WireError.invalid("start \(number)")
            }
            let took = ContinuousClock.now - began
            #expect(took < Self.limit, "start \(number)")
        }
    }
}
