import Testing
import Wire

@testable import Media

/// Chapters, sound tracks and text tracks of files.
@Suite struct TrackTests {
    private func info(_ path: String) throws -> MediaInfo {
        let harness = try DecoderHarness.open(path)
        try harness.run { $0.info != nil }
        #expect(harness.close())
        return try #require(harness.info)
    }

    // MARK: Chapters

    @Test(arguments: ["tracks.mkv", "tracks.mp4", "tracks.webm"]) func reportsChapters(name: String) throws {
        let chapters = try info(TrackClips.clip(name)).chapters
        #expect(chapters.map(\.title) == ["Part 1", "Part 2", "Part 3"])
        #expect(chapters.map(\.start) == [0, 1_500_000, 4_000_000])
    }

    /// A thousand at most, in order, each where no other is, in the clip; titles are cut.
    @Test func chaptersAreBoundedAndInOrder() throws {
        let starts = (0..<1_200).map { $0 * 2 }
        let title = String(repeating: "ü", count: 300)
        let parts = try Clips.write(
            "many.ffmeta", Array(TrackClips.chapters(starts) { $0 == 0 ? title : "\($0)" }.utf8))
        let clip = try Clips.make(
            "many.mkv", "-f", "lavfi", "-i", "sine=440:d=3", "-i", parts, "-map_metadata", "1", "-map", "0")
        let chapters = try info(clip).chapters
        #expect(chapters.count == WireLimit.chapters)
        #expect(zip(chapters, chapters.dropFirst()).allSatisfy { $0.start < $1.start })
        #expect(chapters.first?.title == String(repeating: "ü", count: WireLimit.name / 2))
    }

    @Test func chaptersBehindTheClipsEndAreLeftOut() throws {
        let parts = try Clips.write("late-chapter.ffmeta", Array(TrackClips.chapters([0, 1_000, 5_000_000]).utf8))
        let clip = try Clips.make(
            "late-chapter.mkv", "-f", "lavfi", "-i", "sine=440:d=3", "-i", parts, "-map_metadata", "1", "-map", "0")
        #expect(try info(clip).chapters.map(\.start) == [0, 1_000_000])
    }

    @Test func plainClipOffersNoTracks() throws {
        let info = try info(Clips.counted())
        #expect(info.chapters.isEmpty && info.textTracks.isEmpty)
        #expect(info.soundTracks.count == 1 && info.soundTracks.first?.isChosen == true)
    }

    // MARK: Sounds

    private func tone(_ harness: DecoderHarness, of serial: UInt32) throws -> Int {
        try harness.run { $0.sounds.filter { $0.serial == serial }.reduce(0) { $0 + $1.samples.count } > 19_200 }
        return Tone.pitch(Array(harness.sounds.filter { $0.serial == serial }.flatMap(\.samples).dropFirst(9_600)))
    }

    @Test(arguments: ["tracks.mkv", "tracks.mp4", "tracks.webm"]) func reportsSoundTracks(name: String) throws {
        let tracks = try info(TrackClips.clip(name)).soundTracks
        #expect(tracks.map(\.language) == ["ger", "eng", ""])
        #expect(tracks.map(\.isChosen) == [true, false, false])
        if name != "tracks.mp4" { #expect(tracks.map(\.title) == ["", "Commentary", ""]) }
    }

    @Test(arguments: [(["en", "eng"], 880), (["fr", "fra", "de", "ger"], 440), (["fr"], 440), (["ENG-GB"], 880)])
    func theFirstWantedLanguageIsPlayed(wanted: [String], expected: Int) throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.soundLanguages(wanted))
        try harness.start(try TrackClips.clip("tracks.mkv"))
        let heard = try tone(harness, of: 0)
        #expect(abs(heard - expected) < 20)
        #expect(harness.info?.soundTracks.firstIndex(where: \.isChosen) == (expected == 880 ? 1 : 0))
        #expect(harness.close())
    }

    @Test(arguments: ["tracks.mkv", "tracks.mp4"]) func anotherSoundIsPlayedWhereTheClipIs(name: String) throws {
        let harness = try DecoderHarness.open(try TrackClips.clip(name))
        #expect(abs(try tone(harness, of: 0) - 440) < 20)
        for (serial, track, expected) in [(UInt32(1), UInt32(1), 880), (2, 2, 1_320), (3, 0, 440)] {
            try harness.channel.send(.soundTrack(track))
            try harness.channel.send(.seek(serial: serial, time: 2_000_000, mode: .exact))
            #expect(abs(try tone(harness, of: serial) - expected) < 20)
            let first = try #require(harness.sounds.first { $0.serial == serial })
            #expect(abs(first.mediaTime - 2_000_000) < 50_000)
            // Sound may come before the picture that it belongs to.
            try harness.run { $0.pictures.last?.header.serial == serial }
        }
        #expect(harness.failure == nil)
        #expect(harness.close())
    }

    @Test func unknownSoundTrackChangesNothing() throws {
        let harness = try DecoderHarness.open(try TrackClips.clip("tracks.mkv"))
        _ = try tone(harness, of: 0)
        try harness.channel.send(.soundTrack(.max))
        try harness.channel.send(.seek(serial: 1, time: 1_000_000, mode: .exact))
        #expect(abs(try tone(harness, of: 1) - 440) < 20)
        #expect(harness.close())
    }

    // MARK: Texts

    @Test(arguments: ["tracks.mkv", "tracks.mp4", "tracks.webm", "tracks-ass.mkv"])
    func sendsCuesOfTheChosenTextTrack(name: String) throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.textTrack(0))
        try harness.start(try TrackClips.clip(name))
        try harness.runToEnd()
        #expect(harness.info?.textTracks.map(\.language) == ["ger", "eng"])
        #expect(harness.cues.map(\.text) == ["Eins", "Zwei & mehr", "Drei\nund vier"])
        #expect(harness.cues.map(\.start) == [500_000, 2_000_000, 3_000_000])
        #expect(harness.cues.map(\.end) == [1_000_000, 2_500_000, 5_500_000])
        #expect(harness.close())
    }

    @Test func unselectedTextTracksAreNotRead() throws {
        let harness = try DecoderHarness.open(try TrackClips.clip("tracks.mkv"))
        try harness.runToEnd()
        #expect(harness.cues.isEmpty)
        #expect(harness.close())
    }

    /// Text that begins at a key picture's place or after it, and is on at the target.
    @Test(arguments: ["tracks.mkv", "tracks.mp4"]) func aTextIsChosenAndChangedWhileTheClipPlays(name: String) throws {
        let harness = try DecoderHarness.open(try TrackClips.clip(name))
        try harness.run { !$0.pictures.isEmpty }
        try harness.channel.send(.textTrack(0))
        try harness.channel.send(.seek(serial: 1, time: 3_500_000, mode: .exact))
        try harness.run { $0.cues.contains { $0.serial == 1 } }
        #expect(harness.cues.filter { $0.serial == 1 }.map(\.text) == ["Drei\nund vier"])
        try harness.channel.send(.textTrack(1))
        try harness.channel.send(.seek(serial: 2, time: 1_000_000, mode: .exact))
        try harness.run { $0.cues.contains { $0.serial == 2 } }
        #expect(harness.cues.last?.text == "One")
        try harness.channel.send(.textTrack(nil))
        try harness.channel.send(.seek(serial: 3, time: 0, mode: .exact))
        try harness.runToEnd()
        #expect(!harness.cues.contains { $0.serial == 3 })
        #expect(harness.close())
    }

    @Test(arguments: [
        ("0,0,Default,,0,0,0,,Plain, with commas", "Plain, with commas"),
        ("0,0,Default,,0,0,0,,{\\an8\\i1}up{\\i0} \\Nand\\hdown", "up \nand down"),
        ("0,0,Default,,0,0,0,,a{\\p1}m 0 0 l 5 5{\\p0}b", "ab"),
        ("0,0,Default,,0,0,0,,{\\pos(1,2)}c{open", "c{open"),
        ("0,0,Default,,0,0,0,,\\N \\N", ""), ("0,0,too,short", ""), ("", ""),
    ]) func markupOfASSIsLeftOut(event: String, text: String) {
        #expect(SubStationAlpha.text(of: event) == text)
    }
}
