import Bytes
import Foundation
import Model
import TestSupport
import Testing
import Threads
import Wire

@testable import Player

/// The real decoder, with bytes that come as slowly as a test wants.
@Suite(.serialized) @MainActor struct SlowServerTests {
    private static let film = TestClips.Recipe("player-network-6.mp4", width: 320, height: 240, seconds: 6)

    @Test func everyPictureOfASlowServerIsDecoded() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try TestClips.path(Self.film))))
        let provider = MeteredProvider(bytes, arrived: 1_000)
        let server = Monitor(false)
        BlockingThread.start {
            // Two milliseconds for each hundredth, unless the test is over.
            for part in 1...100 where server.wait(upTo: .milliseconds(2), for: { $0 ? true : nil }) != true {
                provider.arrive(Int64(bytes.count * part / 100))
            }
        }
        defer { server.change { $0 = true } }
        let pictures = SurfaceRequest(generation: 1, width: 64, height: 48, fit: .fill)
        let run = try LinearDecode(
            url: "http://test/clip.mp4", pictures: pictures, start: .zero, decoderPath: Stage.decoderPath,
            bytes: MediaBytes(network: provider))
        var count = 0
        loop: while true {
            switch try run.next() {
            case .opened: break
            case .picture(let header):
                count += 1
                try run.withPicture(header) { _ in }
            case .ended: break loop
            }
        }
        #expect(count == 6 * 30)
    }

    @Test func truncatedClipPlaysToItsEndThenReportsTheReason() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try TestClips.path(Self.film))))
        let provider = MeteredProvider(bytes, arrived: Int64(bytes.count / 2))
        BlockingThread.start {
            // A read that stands still is one that waits for what has not arrived.
            while provider.waitingReads == 0 || provider.wait(for: .milliseconds(100), until: { $0.waitingReads == 0 })
            {}
            provider.fail(.system(ETIMEDOUT))
        }
        let pictures = SurfaceRequest(generation: 1, width: 64, height: 48, fit: .fill)
        var run: LinearDecode? = try LinearDecode(
            url: "http://test/clip.mp4", pictures: pictures, start: .zero, decoderPath: Stage.decoderPath,
            bytes: MediaBytes(network: provider))
        let failure = #expect(throws: PlaybackError.self) {
            while let run {
                if case .picture(let header) = try run.next() { try run.withPicture(header) { _ in } }
            }
        }
        #expect(failure?.why == "cannot read 'http://test/clip.mp4': connection timed out")
        run = nil
        #expect(provider.wait { $0.openSources == 0 })
    }
}
