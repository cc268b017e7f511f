import Foundation
import Testing
import Wire

/// `Clips.counted()` as playlists of every kind, in segments of half a second: 75 pictures, picture n with the
/// luminance 16 + 2 n.
enum SegmentedFilms {
    static let kinds =
        [
            "ts", "fmp4", "ranges-ts", "ranges-fmp4", "ciphered-ts", "numbered-key", "apart-ts", "apart-fmp4",
            "broken-ts",
            "broken-fmp4", "two-maps",
        ] + DashFilms.kinds

    private static let vod = ["-hls_time", "0.48", "-hls_playlist_type", "vod"]

    private static func fmp4(_ name: String) -> [String] {
        ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "\(name)-init.mp4"]
    }

    /// Plays the film to its end: every picture comes at its time, and all sound.
    static func expectAll(of harness: DecoderHarness) throws {
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == Array(0..<75))
        #expect(harness.info?.hasAudio == true && harness.info?.isSeekable == true)
        #expect(abs((harness.info?.duration ?? 0) - 3_000_000) < 60_000)
        for (index, picture) in harness.pictures.enumerated() {
            #expect(abs(picture.header.mediaTime - Int64(index) * 40_000) < 2_000)
        }
        let frames = harness.sounds.reduce(0) { $0 + $1.samples.count / 2 }
        #expect(abs(frames - 144_000) < 3_000)
    }

    /// The path of the playlist.
    static func path(_ kind: String) throws -> String {
        if DashFilms.kinds.contains(kind) { return try DashFilms.path(kind) }
        let film = try Clips.counted()
        func plain(_ name: String, _ more: [String] = []) throws -> String {
            try Clips.make("\(name).m3u8", list: ["-i", film, "-c", "copy"] + vod + more)
        }
        switch kind {
        case "ts": return try plain("film-ts")
        case "fmp4": return try plain("film-fmp4", fmp4("film-fmp4"))
        case "ranges-ts": return try plain("film-ranges", ["-hls_flags", "single_file"])
        case "ranges-fmp4":
            return try plain("film-ranges4", ["-hls_flags", "single_file"] + fmp4("film-ranges4"))
        case "ciphered-ts":
            let key = try Clips.write("\(kind).key", (0..<16).map { UInt8($0 * 7 + 1) })
            let info = try Clips.write(
                "\(kind).keyinfo", Array("\(kind).key\n\(key)\n00112233445566778899aabbccddeeff\n".utf8))
            return try plain(kind, ["-hls_key_info_file", info])
        case "numbered-key":
            let key = try Clips.write("numbered.key", (0..<16).map { UInt8($0 * 5 + 3) })
            let info = try Clips.write("numbered.keyinfo", Array("numbered.key\n\(key)\n".utf8))
            return try plain(kind, ["-hls_key_info_file", info, "-start_number", "7"])
        case "apart-ts", "apart-fmp4":
            let isTS = kind == "apart-ts"
            for (name, map) in [("\(kind)-v", "0:v"), ("\(kind)-a", "0:a")] {
                _ = try Clips.make(
                    "\(name).m3u8",
                    list: ["-i", film, "-map", map, "-c", "copy"] + vod + (isTS ? [] : fmp4(name)))
            }
            return try Clips.write(
                "\(kind).m3u8",
                Array(
                    """
                    #EXTM3U
                    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",NAME="one",DEFAULT=YES,URI="\(kind)-a.m3u8"
                    #EXT-X-STREAM-INF:BANDWIDTH=90000,RESOLUTION=128x96,AUDIO="s"
                    \(kind)-v.m3u8

                    """.utf8))
        case "broken-ts", "broken-fmp4": return try broken(kind, isTS: kind == "broken-ts", changesMapOnly: false)
        default: return try broken(kind, isTS: false, changesMapOnly: true)
        }
    }

    /// The first 36 pictures and the last 39 as separate films with unrelated stamps.
    private static func broken(_ kind: String, isTS: Bool, changesMapOnly: Bool) throws -> String {
        let film = try Clips.counted()
        var parts: [[Substring]] = []
        for (part, cut) in [("1", ["-t", "1.44"]), ("2", ["-ss", "1.44"])] {
            let name = "\(kind)-\(part)"
            // The second part has another size, so that the test notices if the decoder is not reopened.
            var code = ["-c:v", "libx264", "-g", "12", "-qp", "4", "-c:a", "aac", "-pix_fmt", "yuv420p"]
            if part == "2" { code += ["-vf", "scale=64:48:flags=neighbor"] }
            // The pictures' stamps in such a film begin two pictures late.
            code += changesMapOnly && part == "2" ? ["-output_ts_offset", "1.52"] : []
            let path = try Clips.make(
                "\(name).m3u8", list: cut + ["-i", film] + code + vod + (isTS ? [] : fmp4(name)))
            parts.append(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n"))
        }
        let end = "#EXT-X-ENDLIST"
        let second = parts[1].drop { !$0.hasPrefix("#EXT-X-MAP") && !$0.hasPrefix("#EXTINF") }
        let lines = parts[0].filter { $0 != end } + (changesMapOnly ? [] : ["#EXT-X-DISCONTINUITY"]) + second
        return try Clips.write("\(kind).m3u8", Array(lines.joined(separator: "\n").utf8))
    }
}
