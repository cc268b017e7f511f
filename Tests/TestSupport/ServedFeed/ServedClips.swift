import Foundation

/// A clip of twelve seconds in every format that servers offer, made by ffmpeg once and stored in `.build/test-clips`.
/// Its pictures are numbered (`FrameCode`).
public enum ServedClips {
    /// Change it together with the recipes: an existing folder is not made again.
    private static let name = "served-1"

    /// The variants of `ts/master.m3u8`, smallest first. Filler data keeps their bit rates constant.
    public static let variants = [(160, 90, 150), (640, 360, 700), (1280, 720, 2_500)]
    /// The length of each segment, and the distance of key frames, in seconds.
    public static let segmentSeconds = 2
    public static let segments = 6

    /// The folder, created now if it does not exist. Blocks, for some seconds the first time. Several processes can
    /// call it at once.
    ///
    /// - `front.mp4`, `back.mp4`: the same clip with its index before and after the media.
    /// - `ts/master.m3u8` with `ts/0.m3u8` … `ts/2.m3u8` and `ts/0-0.ts` …: three variants that contain their sound.
    /// - `fmp4/index.m3u8`: fragmented MP4. `ranges/index.m3u8`: ranges of one file. `aes/index.m3u8`: encrypted, with
    ///   the key in `aes/key`.
    /// - `audio/master.m3u8`: sound as a separate rendition.
    public static func folder() throws -> String {
        let root = FlickBinary.root.appendingPathComponent(".build/test-clips")
        let folder = root.appendingPathComponent(name).path
        if FileManager.default.fileExists(atPath: folder) { return folder }
        // Made elsewhere and renamed, so that no other process sees an incomplete folder.
        let unfinished = root.appendingPathComponent("\(name)-\(UUID().uuidString)").path
        for part in ["ts", "fmp4", "ranges", "aes", "audio"] {
            try FileManager.default.createDirectory(
                atPath: "\(unfinished)/\(part)", withIntermediateDirectories: true)
        }
        try make(in: unfinished)
        // Another process was faster and has made the same folder.
        if rename(unfinished, folder) != 0 { try FileManager.default.removeItem(atPath: unfinished) }
        return folder
    }

    private static func make(in folder: String) throws {
        for (number, (width, height, rate)) in variants.enumerated() {
            try ffmpeg(source(width, height, rate) + ["\(folder)/\(number).mp4"])
            try ffmpeg(
                copy("\(folder)/\(number).mp4") + hls("\(folder)/ts/\(number)-%d.ts", "\(folder)/ts/\(number).m3u8"))
        }
        try write(master, to: "\(folder)/ts/master.m3u8")
        let middle = copy("\(folder)/1.mp4")
        try ffmpeg(middle + ["\(folder)/back.mp4"])
        try ffmpeg(middle + ["-movflags", "+faststart", "\(folder)/front.mp4"])
        try ffmpeg(
            middle + ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "head.mp4"]
                + hls("\(folder)/fmp4/%d.m4s", "\(folder)/fmp4/index.m3u8"))
        try ffmpeg(
            middle + ["-hls_flags", "single_file"] + hls("\(folder)/ranges/all.ts", "\(folder)/ranges/index.m3u8"))
        try write("0123456789abcdef", to: "\(folder)/aes/key")
        try write("key\n\(folder)/aes/key\n", to: "\(folder)/aes/key-info")
        try ffmpeg(
            middle + ["-hls_key_info_file", "\(folder)/aes/key-info"]
                + hls("\(folder)/aes/%d.ts", "\(folder)/aes/index.m3u8"))
        unlink("\(folder)/aes/key-info")
        try ffmpeg(
            middle + [
                "-map", "0:v", "-map", "0:a", "-master_pl_name", "master.m3u8", "-var_stream_map",
                "v:0,agroup:sound a:0,agroup:sound,language:en,default:yes",
            ] + hls("\(folder)/audio/%v-%d.ts", "\(folder)/audio/%v.m3u8"))
        for number in variants.indices { unlink("\(folder)/\(number).mp4") }
    }

    private static var master: String {
        let lines = variants.enumerated().map { number, variant in
            let (width, height, rate) = variant
            return "#EXT-X-STREAM-INF:BANDWIDTH=\((rate + 100) * 1_100),RESOLUTION=\(width)x\(height),"
                + "CODECS=\"avc1.42c01e,mp4a.40.2\"\n\(number).m3u8\n"
        }
        return "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-INDEPENDENT-SEGMENTS\n" + lines.joined()
    }

    // MARK: ffmpeg's arguments

    private static func source(_ width: Int, _ height: Int, _ rate: Int) -> [String] {
        let seconds = segments * segmentSeconds
        return [
            "-f", "lavfi", "-i", "testsrc2=s=\(width)x\(height):r=30:d=\(seconds)", "-f", "lavfi", "-i",
            "sine=f=440:r=48000:d=\(seconds)", "-vf", "\(FrameCode.filter),format=yuv420p", "-c:v", "libx264",
            "-preset", "ultrafast", "-profile:v", "baseline", "-g", "\(30 * segmentSeconds)", "-sc_threshold", "0",
            "-b:v", "\(rate)k", "-minrate", "\(rate)k", "-maxrate", "\(rate)k", "-bufsize", "\(rate)k", "-x264-params",
            "filler=1", "-c:a", "aac", "-b:a", "64k", "-ac", "2",
        ]
    }

    private static func copy(_ file: String) -> [String] { ["-i", file, "-c", "copy"] }

    private static func hls(_ segment: String, _ playlist: String) -> [String] {
        [
            "-f", "hls", "-hls_time", "\(segmentSeconds)", "-hls_playlist_type", "vod", "-hls_segment_filename",
            segment, playlist,
        ]
    }

    private static func ffmpeg(_ arguments: [String]) throws {
        let result = try Command.run(["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments)
        guard result.status == 0 else {
            throw TestClips.Error(description: "cannot make a served clip: \(result.errors)")
        }
    }

    private static func write(_ text: String, to file: String) throws {
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    }
}
