import Foundation

/// Clips with chapters, several sounds and texts.
enum TrackClips {
    /// Six seconds: sounds of 440 Hz (de), 880 Hz (en, "Commentary") and 1,320 Hz (no language), three chapters, texts
    /// in German and in English.
    static func clip(_ name: String) throws -> String {
        let parts = try Clips.write("tracks.ffmeta", Array(chapters([0, 1_500, 4_000]).utf8))
        let isMP4 = name.hasSuffix("mp4")
        let text = isMP4 ? "mov_text" : name.hasSuffix("webm") ? "webvtt" : name.contains("ass") ? "ass" : "subrip"
        let coding =
            name.hasSuffix("webm")
            ? ["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus"] : ["-c:v", "libx264", "-c:a", "aac"]
        return try Clips.make(
            name,
            list: inputs + ["-i", try german(), "-i", try english(), "-i", parts, "-map_metadata", "6"]
                + ["-map", "0", "-map", "1", "-map", "2", "-map", "3", "-map", "4", "-map", "5"] + coding
                + ["-c:s", text, "-g", "25", "-pix_fmt", "yuv420p", "-t", "6"]
                + ["-metadata:s:a:0", "language=ger", "-metadata:s:a:1", "language=eng"]
                + ["-metadata:s:a:1", isMP4 ? "handler_name=Commentary" : "title=Commentary"]
                + ["-metadata:s:s:0", "language=ger", "-metadata:s:s:1", "language=eng"])
    }

    /// The same as HLS: pictures, two sounds and two texts apart, in segments of two seconds. `isMuxed`: the first
    /// sound is in the pictures' segments.
    static func playlist(isMuxed: Bool = false) throws -> String {
        let film = try clip("tracks.mkv")
        for (name, map) in [("tracks-v", "0:v"), ("tracks-a0", "0:a:0"), ("tracks-a1", "0:a:1")] {
            let maps = name == "tracks-v" && isMuxed ? ["-map", map, "-map", "0:a:0"] : ["-map", map]
            _ = try Clips.make(
                "\(name)\(isMuxed ? "-muxed" : "").m3u8",
                list: ["-i", film] + maps + ["-c", "copy", "-hls_time", "2", "-hls_playlist_type", "vod"])
        }
        let end = isMuxed ? "-muxed" : ""
        let first = isMuxed ? "" : ",URI=\"tracks-a0.m3u8\""
        try texts()
        return try Clips.write(
            "tracks\(end).m3u8",
            Array(
                """
                #EXTM3U
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",NAME="Ton",LANGUAGE="de",DEFAULT=YES\(first)
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",NAME="Sound",LANGUAGE="en",URI="tracks-a1\(end).m3u8"
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="Text",LANGUAGE="de",URI="tracks-t0.m3u8"
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="All",LANGUAGE="en",URI="tracks-t1.m3u8"
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="other",NAME="Unused",LANGUAGE="fr",URI="tracks-t2.m3u8"
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="Lost",LANGUAGE="it",URI="tracks-lost.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=90000,RESOLUTION=128x96,AUDIO="s",SUBTITLES="t"
                tracks-v\(end).m3u8

                """.utf8))
    }

    /// Segments of two seconds whose stamps are those of the pictures, which ffmpeg has begin at 1.4 s and a picture or
    /// two; and one segment without stamps.
    private static func texts() throws {
        for number in 0..<3 {
            // The first cue's time counts from the segment's beginning, which is at this stamp.
            let stamp = 133_200 + number * 180_000
            _ = try Clips.write(
                "tracks-t0-\(number).vtt",
                Array(
                    """
                    WEBVTT
                    X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:\(stamp)

                    00:00.500 --> 00:01.000
                    Nummer <b>\(number)</b>

                    """.utf8))
        }
        let list = (0..<3).map { "#EXTINF:2,\ntracks-t0-\($0).vtt\n" }.joined()
        _ = try Clips.write(
            "tracks-t0.m3u8", Array("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(list)#EXT-X-ENDLIST\n".utf8))
        _ = try Clips.write(
            "tracks-t1-0.vtt",
            Array(
                "WEBVTT\n\n1\n00:00:01.000 --> 00:00:05.000\nOne &amp; all\n\nx\n00:00:05.500 --> 00:00:05.900\nLast\n"
                    .utf8))
        _ = try Clips.write(
            "tracks-t1.m3u8",
            Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\ntracks-t1-0.vtt\n#EXT-X-ENDLIST\n".utf8))
    }

    private static let inputs = [
        "-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=6", "-f", "lavfi", "-i", "sine=440:r=48000:d=6", "-f", "lavfi",
        "-i", "sine=880:r=48000:d=6", "-f", "lavfi", "-i", "sine=1320:r=48000:d=6",
    ]

    /// As ffmpeg reads them; times in milliseconds.
    static func chapters(_ starts: [Int], title: (Int) -> String = { "Part \($0 + 1)" }) -> String {
        starts.enumerated().reduce(";FFMETADATA1\n") { text, chapter in
            text + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(chapter.element)\nEND=\(chapter.element + 100)\n"
                + "title=\(title(chapter.offset))\n"
        }
    }

    /// One that is on from 0.5 s on, one with markup at 2 s, one of two lines that lasts from 3 s to 5.5 s.
    private static func german() throws -> String {
        try Clips.write(
            "tracks-de.srt",
            Array(
                """
                1
                00:00:00,500 --> 00:00:01,000
                Eins

                2
                00:00:02,000 --> 00:00:02,500
                <i>Zwei</i> & mehr

                3
                00:00:03,000 --> 00:00:05,500
                Drei
                und vier

                """.utf8))
    }

    private static func english() throws -> String {
        try Clips.write("tracks-en.srt", Array("1\n00:00:01,000 --> 00:00:05,000\nOne\n\n".utf8))
    }
}
