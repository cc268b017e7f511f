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

    /// From the beginning and in the middle, as it loops and after a seek.
    @Test(arguments: [-1_500, -300, 100, 300, 2_000] as [Int], [false, true])
    func audioIsDelayedAgainstThePicture(by milliseconds: Int, isLate: Bool) throws {
        let (audio, delay) = (TestOutput(buffer: 512), Duration.milliseconds(milliseconds))
        var script = ScriptedDecoder()
        script.duration = 20_000_000
        script.sample = { Int16($0 / 1_000) }
        let stage = Stage(audio: audio, decoders: [script])
        defer { stage.pool.close() }
        let item = Item(id: "a", url: "file:///script")
        if !isLate { stage.tune("a", audioDelay: delay) }
        stage.play(item)
        if isLate {
            _ = stage.run(item) { $0.position() > .seconds(3) }
            stage.tune("a", audioDelay: delay)
        }
        func apart() -> [Duration] {
            // Until what was skipped has come, or what waits is heard.
            _ = stage.run(item, limit: .seconds(3)) { _ in false }
            var found: [Duration] = []
            _ = stage.run(item, limit: .seconds(2)) { stage in
                if let picture = stage.pool.pictureIdentity(of: "a"), let sounding = audio.sounding {
                    found.append(picture.mediaTime - .milliseconds(Int(sounding)))
                }
                return false
            }
            return found
        }
        // A piece of sound has the number of its beginning, a picture lasts 40 ms, and a device takes a moment.
        let settled = apart()
        #expect(settled.count > 40)
        #expect(settled.allSatisfy { abs(($0 - delay) / .milliseconds(1)) < 110 }, "\(settled)")
        stage.seek("a", to: .seconds(10))
        let sought = apart()
        #expect(sought.allSatisfy { abs(($0 - delay) / .milliseconds(1)) < 110 }, "\(sought)")
        #expect(stage.events.all("recover").isEmpty && stage.events.all("watchdog").isEmpty)
        #expect(stage.events.all("stall").isEmpty)
    }

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
