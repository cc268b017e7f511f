import TestSupport
import Testing

@testable import Loudness

@Suite struct SoundLevelTests {
    /// All of a sound, measured up to three seconds ahead of what is sent, as decoders do.
    private func play(_ sound: [Float], target: Double) -> [Int16] {
        let (piece, ahead) = (2_048, 288_000)
        var level = SoundLevel(target: target, number: 0, tag: nil)
        var measured = 0
        return sound.withUnsafeBufferPointer { all in
            stride(from: 0, to: all.count, by: piece).flatMap { start in
                let next = min(start + ahead, all.count)
                level.measure(Array(all[measured..<next]))
                measured = next
                let count = min(piece, all.count - start)
                return level.level(UnsafeBufferPointer(rebasing: all[start..<next]), count: count / 2)
            }
        }
    }

    @Test func loudPartAfterAQuietBeginningIsTurnedDownSoon() throws {
        let sound = Sound.sine(1_000, level: -30, seconds: 8) + Sound.sine(1_000, level: -12, seconds: 8)
        let played = play(sound, target: -16)
        #expect(try MeasuredSound(samples: played.prefix(96_000)).loudness > -18)
        // From two seconds after it became loud.
        #expect(try MeasuredSound(samples: played[(96_000 * 10)..<(96_000 * 12)]).loudness <= -12)
        #expect(try MeasuredSound(samples: played[...]).peak <= -1)
    }

    @Test func soundOfATrackThatIsChosenAgainKeepsItsGain() throws {
        var level = SoundLevel(target: -16, number: 0, tag: nil)
        let (quiet, loud) = (Sound.sine(1_000, level: -30, seconds: 1), Sound.sine(1_000, level: -10, seconds: 1))
        func gain(_ sound: [Float]) throws -> Double {
            level.measure(sound)
            _ = sound.withUnsafeBufferPointer { level.level($0, count: 1_024) }
            return try #require(level.report).gain
        }
        #expect(abs(try gain(quiet) - 14) < 0.1)
        level.choose(1, tag: nil)
        #expect(abs(try gain(loud) + 6) < 0.1)
        level.choose(0, tag: nil)
        #expect(abs(try gain(quiet) - 14) < 0.1)
    }

    /// Only the first sound of a track waits for more to be measured.
    @Test func soundIsNotHeldUpOnceItPlays() {
        var level = SoundLevel(target: -16, number: 0, tag: nil)
        #expect(level.framesBeforeNext == 24_000)
        let sound = Sound.sine(1_000, level: -30, seconds: 0.1)
        level.measure(sound)
        _ = sound.withUnsafeBufferPointer { level.level($0, count: 1_024) }
        #expect(level.framesBeforeNext == 0)
        level.jump(toStart: false)
        #expect(level.framesBeforeNext == 0)
    }
}
