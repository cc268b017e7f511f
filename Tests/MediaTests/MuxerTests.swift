import TestSupport
import Testing
import Wire

/// Segmented streams that are put into one file, read back as files.
@Suite struct MuxerTests {
    /// Muxes the clip; returns the path of the file.
    private func mux(_ path: String, variant: VariantWish = .automatic) throws -> (DecoderHarness, path: String) {
        let harness = try DecoderHarness()
        try harness.channel.send(.variant(variant))
        try harness.channel.send(.mux(url: "file://\(path)"))
        try harness.runToEnd()
        let name = path.split(separator: "/").last.map { $0.replacing(".", with: "-") } ?? ""
        let ending = harness.muxed.container == .matroska ? "mkv" : "mp4"
        return (harness, try Clips.write("muxed-\(name).\(ending)", harness.muxed.bytes))
    }

    /// Those change their size mid-stream.
    private static let mixed = ["broken-ts", "broken-fmp4", "two-maps", "dash-periods"]

    @Test(arguments: SegmentedFilms.kinds.filter { !mixed.contains($0) })
    func everyPictureAndAllSoundAreInTheFile(kind: String) throws {
        let (muxed, path) = try mux(try SegmentedFilms.path(kind))
        #expect(muxed.failure == nil && muxed.muxed.container == .mp4)
        // The beginning, the packets, the size of these and the index.
        #expect(muxed.muxed.pieces < 10)
        let harness = try DecoderHarness.open(path)
        try SegmentedFilms.expectAll(of: harness)
    }

    @Test(arguments: mixed) func filmThatChangesItsSizeIsRefused(kind: String) throws {
        let (muxed, _) = try mux(try SegmentedFilms.path(kind))
        #expect(muxed.failure?.why == "its video format changes mid-stream")
    }

    @Test func whatMP4DoesNotHoldBecomesMatroska() throws {
        let film = try Clips.make(
            "mux-vp8.webm", "-i", try Clips.counted(), "-c:v", "libvpx", "-b:v", "1M", "-c:a", "libvorbis")
        let list = try Clips.write(
            "mux-vp8.m3u8", Array("#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nmux-vp8.webm\n#EXT-X-ENDLIST\n".utf8))
        let (muxed, path) = try mux(list)
        #expect(muxed.failure == nil && muxed.muxed.container == .matroska)
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        #expect(film.hasSuffix("webm") && harness.failure == nil && harness.pictures.count == 75)
        #expect(harness.info?.hasAudio == true && abs((harness.info?.duration ?? 0) - 3_000_000) < 60_000)
    }

    /// A server can send a page of words, or nothing, in the place of a segment.
    @Test(arguments: [
        ("<html>not found</html>", 4, "a segment has a different format from the previous one"),
        ("", 4, "4 s of it are missing"),
        ("", 20, "its last 4 s are missing"),
    ])
    func segmentThatIsNoMediaIsAnError(bytes: String, from second: Int64, why: String) throws {
        let harness = try DecoderHarness()
        let path = try Clips.make(
            "mux-long.m3u8", "-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=24", "-f", "lavfi", "-i",
            "sine=440:d=24", "-c:v", "libx264", "-g", "10", "-c:a", "aac", "-hls_time", "4", "-hls_playlist_type",
            "vod")
        harness.serve = { want in
            let isWanted = want.role == .segment && abs(want.from - second * 1_000_000) < 1_000_000
            return isWanted ? .bytes(Array(bytes.utf8)) : nil
        }
        try harness.channel.send(.mux(url: "file://\(path)"))
        try harness.runToEnd()
        #expect(harness.failure?.why == why)
    }

    /// A player continues without it.
    @Test(arguments: ["ts", "apart-fmp4"]) func missingSegmentIsAnError(kind: String) throws {
        let harness = try DecoderHarness()
        let isSound = kind == "apart-fmp4"
        harness.serve = { want in
            let isWanted = want.role == .segment && want.from > 1_000_000 && want.url.contains("-a") == isSound
            return isWanted ? .failure("404 Not Found") : nil
        }
        try harness.channel.send(.mux(url: "file://\(try SegmentedFilms.path(kind))"))
        try harness.runToEnd()
        #expect(harness.failure?.why.contains("404") == true)
    }
}
