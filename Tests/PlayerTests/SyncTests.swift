import Model
import TestSupport
import Testing

@testable import Player

/// Sound and picture together, on devices that are not exact and a loop that does not come round in time. Thirty
/// seconds each; no second of them is real.
@Suite(.serialized) @MainActor struct SyncTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// How fast the device's clock runs, and how many frames it fetches at once.
        var speed = 1.0
        var buffer = 1
        /// How rarely the loop comes round.
        var step = Duration.milliseconds(1)
        var testDescription: String { name }
    }

    nonisolated static let cases = [
        Case(name: "exact"), Case(name: "buffers of 2,048 frames", buffer: 2_048),
        Case(name: "a device that is half a percent fast", speed: 1.005, buffer: 2_048),
        Case(name: "a device that is half a percent slow", speed: 0.995, buffer: 2_048),
        Case(name: "a busy loop", buffer: 2_048, step: .milliseconds(100)),
    ]

    /// The most that sound and picture may lie apart.
    private static let limit = Duration.milliseconds(45)

    @Test(arguments: cases) func soundAndPictureStayTogether(_ device: Case) {
        let audio = TestOutput(speed: device.speed, buffer: device.buffer)
        var script = ScriptedDecoder()
        script.duration = 60_000_000
        let stage = Stage(audio: audio, decoders: [script])
        stage.shortestStep = device.step
        defer { stage.pool.close() }
        let item = Item(id: "a", url: "file:///script")
        stage.play(item)
        var seen = 0
        var apart = Duration.zero
        _ = stage.run(item, limit: .seconds(30)) { stage in
            guard let picture = stage.pool.pictureIdentity(of: "a"), audio.playedFrames > 0 else { return false }
            // The clip begins with its sound, and there was no seek: what was played shows what is heard.
            let heard = Duration.seconds(audio.playedFrames / 48_000)
            let early = picture.mediaTime - heard
            let late = heard - (picture.mediaTime + .milliseconds(40))
            apart = max(apart, early, late)
            seen += 1
            return false
        }
        #expect(seen > 250)
        #expect(apart < Self.limit, "\(apart)")
        let drifts = stage.events.all("audio").compactMap { event -> Duration? in
            if case .audio(_, .playing, let drift) = event { drift } else { nil }
        }
        // Every measurement, one a second, without exception.
        #expect(drifts.count >= 29)
        #expect(drifts.allSatisfy { abs($0 / .milliseconds(1)) < 45 }, "\(drifts)")
        #expect(audio.underruns == 0)
        #expect(stage.events.all("recover").isEmpty && stage.events.all("watchdog").isEmpty)
    }
}
