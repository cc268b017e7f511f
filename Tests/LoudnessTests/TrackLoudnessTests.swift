import Foundation
import Testing

@testable import Loudness

@Suite struct TrackLoudnessTests {
    private func value(_ track: TrackLoudness) throws -> Double { try #require(track.value) }

    @Test func tagCountsBeforeAnythingIsMeasured() throws {
        let track = TrackLoudness(tag: -9)
        #expect(track.value == -9 && track.origin == .tag)
        #expect(TrackLoudness(tag: nil).value == nil)
    }

    @Test func quietBeginningDoesNotOutweighATag() throws {
        var track = TrackLoudness(tag: -9)
        track.add(Sound.sine(1_000, level: -30, seconds: 20))
        #expect(abs(try value(track) + 9) < 0.1)
    }

    @Test func wrongTagIsCorrected() throws {
        var track = TrackLoudness(tag: -40)
        track.add(Sound.sine(1_000, level: -12, seconds: 2))
        #expect(abs(try value(track) + 12) < 1)
    }

    @Test func quietBeginningDoesNotCount() throws {
        var track = TrackLoudness(tag: nil)
        track.add(Sound.sine(1_000, level: -50, seconds: 5))
        #expect(track.value == nil)
        track.add(Sound.sine(1_000, level: -20, seconds: 2))
        #expect(abs(try value(track) + 20) < 0.5)
    }

    @Test func loudPartAfterAQuietBeginningCountsSoon() throws {
        var track = TrackLoudness(tag: nil)
        track.add(Sound.sine(1_000, level: -32, seconds: 10))
        track.add(Sound.sine(1_000, level: -12, seconds: 2))
        #expect(abs(try value(track) + 12) < 1)
    }

    @Test func wholeClipNeedsNoTagAndIsNotMeasuredAgain() throws {
        var track = TrackLoudness(tag: -9)
        track.add(Sound.sine(1_000, level: -50, seconds: 3))
        track.end()
        #expect(track.origin == .whole)
        #expect(abs(try value(track) + 50) < 0.1)
        track.add(Sound.sine(1_000, level: -10, seconds: 3))
        #expect(abs(try value(track) + 50) < 0.1)
    }

    @Test func clipThatWasSoughtInIsNotWholeBeforeItsNextEnd() {
        var track = TrackLoudness(tag: nil)
        track.jump(toStart: false)
        track.end()
        #expect(track.origin == .partial)
        track.end()
        #expect(track.origin == .whole)
    }
}

@Suite struct LoudnessTagTests {
    private func loudness(_ tags: [String: String]) -> Double? { LoudnessTag.loudness { tags[$0] } }

    @Test(arguments: [
        ("REPLAYGAIN_TRACK_GAIN", "-7.89 dB", -10.11), ("REPLAYGAIN_TRACK_GAIN", "+2.50", -20.5),
        ("R128_TRACK_GAIN", "-1280", -18), ("R128_TRACK_GAIN", "512", -25),
        ("iTunNORM", " 000003E8 000003E8 00000000 00000000", -18), ("iTunNORM", "00002710 000003E8", -8),
    ])
    func readsTags(name: String, text: String, expected: Double) throws {
        let read = try #require(loudness([name: text]))
        #expect(abs(read - expected) < 0.01)
    }

    @Test(arguments: [
        ("REPLAYGAIN_TRACK_GAIN", "loud"), ("REPLAYGAIN_TRACK_GAIN", "nan dB"), ("REPLAYGAIN_TRACK_GAIN", "-1e9 dB"),
        ("R128_TRACK_GAIN", "99999"), ("R128_TRACK_GAIN", ""), ("iTunNORM", "00000000 00000000"), ("iTunNORM", ""),
    ])
    func ignoresWhatMakesNoSense(name: String, text: String) { #expect(loudness([name: text]) == nil) }

    @Test func opusGainComesFirst() {
        #expect(loudness(["REPLAYGAIN_TRACK_GAIN": "-7 dB", "R128_TRACK_GAIN": "0"]) == -23)
    }
}
