import Captions
import Testing
import Wire

@testable import Media

/// Audio and text tracks of HLS, each in a separate playlist.
@Suite struct RenditionTests {
    private func tone(_ harness: DecoderHarness, of serial: UInt32) throws -> Int {
        try harness.run { $0.sounds.filter { $0.serial == serial }.reduce(0) { $0 + $1.samples.count } > 19_200 }
        let samples = harness.sounds.filter { $0.serial == serial }.flatMap(\.samples).dropFirst(9_600)
        return Tone.pitch(Array(samples))
    }

    @Test(arguments: [true, false]) func playlistSoundTracksAreListedAndSelectable(isMuxed: Bool) throws {
        let harness = try DecoderHarness.open(try TrackClips.playlist(isMuxed: isMuxed))
        #expect(abs(try tone(harness, of: 0) - 440) < 20)
        let tracks = try #require(harness.info?.soundTracks)
        #expect(tracks.map(\.language) == ["de", "en"] && tracks.map(\.title) == ["Ton", "Sound"])
        #expect(tracks.map(\.isChosen) == [true, false])
        for (serial, track, expected) in [(UInt32(1), UInt32(1), 880), (2, 0, 440), (3, 1, 880)] {
            try harness.channel.send(.soundTrack(track))
            try harness.channel.send(.seek(serial: serial, time: 2_500_000, mode: .exact))
            #expect(abs(try tone(harness, of: serial) - expected) < 20)
            let first = try #require(harness.sounds.first { $0.serial == serial })
            #expect(abs(first.mediaTime - 2_500_000) < 60_000)
        }
        #expect(harness.failure == nil)
        #expect(harness.close())
    }

    @Test func theWantedLanguageIsReadFromTheBeginning() throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.soundLanguages(["en"]))
        try harness.start(try TrackClips.playlist())
        #expect(abs(try tone(harness, of: 0) - 880) < 20)
        #expect(harness.info?.soundTracks.map(\.isChosen) == [false, true])
        #expect(!harness.opened.contains { $0.contains("tracks-a0") }, "the other's playlist is not asked for")
        #expect(harness.close())
    }

    @Test func unavailableSoundTrackKeepsTheCurrentOne() throws {
        let harness = try DecoderHarness()
        harness.serve = { $0.url.hasSuffix("tracks-a1.m3u8") ? .failure("it is gone") : nil }
        try harness.start(try TrackClips.playlist())
        _ = try tone(harness, of: 0)
        try harness.channel.send(.soundTrack(1))
        try harness.channel.send(.seek(serial: 1, time: 1_000_000, mode: .exact))
        #expect(abs(try tone(harness, of: 1) - 440) < 20)
        #expect(harness.failure == nil)
        #expect(harness.close())
    }

    // MARK: Texts

    @Test func onlyTextTracksOfTheVariantsGroupAreListed() throws {
        let harness = try DecoderHarness.open(try TrackClips.playlist())
        try harness.runToEnd()
        #expect(harness.info?.textTracks.map(\.language) == ["de", "en", "it"])
        #expect(harness.cues.isEmpty && !harness.opened.contains { $0.contains("tracks-t") })
        #expect(harness.close())
    }

    @Test func theChosenTextIsReadInTheClipsTime() throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.textTrack(0))
        try harness.start(try TrackClips.playlist())
        try harness.runToEnd()
        #expect(harness.cues.map(\.text) == ["Nummer 0", "Nummer 1", "Nummer 2"])
        for (number, cue) in harness.cues.enumerated() {
            #expect(abs(cue.start - Int64(number) * 2_000_000 - 500_000) < 150_000, "\(cue)")
            #expect(cue.end - cue.start == 500_000)
        }
        #expect(harness.close())
    }

    @Test func textInOneSegmentIsReadOnceAndSentFromTheClipsPosition() throws {
        let harness = try DecoderHarness.open(try TrackClips.playlist())
        try harness.run { !$0.pictures.isEmpty }
        for serial in UInt32(1)...2 {
            if serial == 1 { try harness.channel.send(.textTrack(1)) }
            try harness.channel.send(.seek(serial: serial, time: 3_000_000, mode: .exact))
            try harness.run { $0.cues.count { $0.serial == serial } == 2 }
            #expect(harness.cues.filter { $0.serial == serial }.map(\.text) == ["One & all", "Last"])
            #expect(harness.cues.filter { $0.serial == serial }.map(\.start) == [1_000_000, 5_500_000])
        }
        #expect(harness.opened.count { $0.contains("tracks-t1-0") } == 1)
        #expect(harness.close())
    }

    @Test func unavailableTextDoesNotFailTheClip() throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.textTrack(2))
        try harness.start(try TrackClips.playlist())
        try harness.runToEnd()
        #expect(harness.failure == nil && harness.cues.isEmpty && harness.pictures.count > 100)
        #expect(harness.opened.count { $0.contains("tracks-lost") } == 1)
        #expect(harness.close())
    }

    @Test(
        arguments: [
            ("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n", 10_000_000),
            ("WEBVTT - x\r\nX-TIMESTAMP-MAP=LOCAL:01:00:02.500,MPEGTS:900000\r\n", 10_000_000 - 3_602_500_000),
            ("WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:02.500,MPEGTS:0\n", -2_500_000),
            ("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000\n", nil), ("WEBVTT\n\n00:01.000 --> 00:02.000\nx", nil),
            ("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:99999999999999999999,LOCAL:00:00.000\n", nil),
            ("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:1,LOCAL:x\n", nil),
        ] as [(String, Int64?)]) func textHeaderSetsItsStampOffset(text: String, stamp: Int64?)
    {
        #expect(Captions.transportOffset(ofText: text.utf8) == stamp.map { .microseconds($0) })
    }

    @Test func textsWithoutStampsCountFromTheClipsBeginningOrTheirSegments() {
        var timeline = Timeline()
        _ = timeline.shift(domain: 1, stamp: 10_000_000, expected: 0, goesRound: true)
        let place = TextPlace(start: 600_000_000, end: 606_000_000, domain: 1)
        #expect(place.shift(of: 601_000_000, nil, timeline) == 0)
        #expect(place.shift(of: 1_000_000, nil, timeline) == 600_000_000)
        #expect(place.shift(of: 1_000_000, 610_000_000, timeline) == 600_000_000)
        // The stamp's 33 bits have gone round.
        let late = TextPlace(start: 95_500_000_000, end: 95_506_000_000, domain: 1)
        let round: Int64 = (1 << 33) * 100 / 9
        #expect(late.shift(of: 1_000_000, 95_510_000_000 - round, timeline) == 95_500_000_000)
        // A stamp that leads nowhere near its segment is not believed.
        #expect(place.shift(of: 601_000_000, 301_000_000, timeline) == 0)
    }
}

/// How high a tone is, by how often it passes zero.
enum Tone {
    /// In hertz; of the left of two channels at 48 kHz.
    static func pitch(_ samples: [Int16]) -> Int {
        let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        let crossings = zip(left, left.dropFirst()).count { ($0 < 0) != ($1 < 0) }
        return left.isEmpty ? 0 : crossings * 24_000 / left.count
    }
}
