import Foundation
import TestSupport

/// The measured clips: made once with ffmpeg's generators and kept.
struct Clips {
    let folder: String

    init(folder: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// 720p, 30 pictures a second, 40 s, with sound; everything moves, as in a film.
    func long() throws -> String {
        try made(
            "long.mp4",
            [
                "-f", "lavfi", "-i", "mandelbrot=size=640x360:rate=30:end_scale=0.01", "-f", "lavfi", "-i",
                "sine=330:48000",
                "-vf", "scale=1280:720", "-t", "40", "-c:v", "libx264", "-preset", "veryfast", "-b:v", "3M", "-maxrate",
                "4M", "-bufsize", "6M",
                "-pix_fmt", "yuv420p", "-g", "60",
                "-c:a", "aac",
            ])
    }

    /// Ten seconds of `long`, lossless and in the size of 200×60 half blocks:
    /// no program has to scale, so all draw the same pixels.
    func small() throws -> String {
        let long = try long()
        return try made(
            "small.mkv",
            [
                "-i", long, "-t", "10", "-an", "-vf", "scale=200:120:flags=area,setsar=1", "-c:v", "ffv1", "-pix_fmt",
                "bgr0",
            ])
    }

    /// The names of the clips of the demo, camera and animation: its single files.
    static func demo() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "Assets/demo").filter { $0.hasSuffix(".mp4") }.sorted()
    }

    /// Four seconds of one of them, lossless and in the size of 200×60 half blocks.
    func demo(_ name: String) throws -> String {
        try made(
            "demo-\(name).mkv",
            [
                "-i", "Assets/demo/\(name)", "-t", "4", "-an", "-vf", "scale=200:120:flags=area,setsar=1", "-c:v",
                "ffv1", "-pix_fmt", "bgr0",
            ])
    }

    /// 20 s of `long` in the size of old telephones: 176×144, 25 pictures a second, without sound.
    func tiny() throws -> String {
        let long = try long()
        return try made(
            "tiny.mp4",
            [
                "-i", long, "-t", "20", "-an", "-vf", "scale=176:144,setsar=1", "-r", "25", "-c:v", "libx264",
                "-preset", "veryfast", "-b:v", "300k", "-pix_fmt", "yuv420p",
            ])
    }

    /// Ten short clips of 720p to page through; returns their folder.
    func ten() throws -> String {
        let ten = "\(folder)/ten"
        try FileManager.default.createDirectory(atPath: ten, withIntermediateDirectories: true)
        for number in 0..<10 {
            _ = try made(
                "ten/clip\(number).mp4",
                [
                    "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30", "-f", "lavfi", "-i",
                    "sine=\(300 + 50 * number):48000",
                    "-vf", "hue=h=\(36 * number)", "-t", "12", "-c:v", "libx264", "-preset", "veryfast", "-crf", "26",
                    "-pix_fmt",
                    "yuv420p", "-g", "60", "-c:a", "aac",
                ])
        }
        return ten
    }

    /// Twelve clips of all codecs that are common, up to 1080p, eight seconds
    /// each, every one of another hue; returns their folder.
    func mixed() throws -> String {
        let mixed = "\(folder)/mixed"
        try FileManager.default.createDirectory(atPath: mixed, withIntermediateDirectories: true)
        let h264 = ["-c:v", "libx264", "-preset", "veryfast"]
        let hevc = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"]
        let vp9 = ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "2M"]
        let av1 = ["-c:v", "libsvtav1", "-preset", "12", "-crf", "40"]
        let forms: [(name: String, size: String, codec: [String])] = [
            ("h264.mp4", "1280x720", h264), ("hevc.mp4", "1280x720", hevc), ("vp9.webm", "1280x720", vp9),
            ("av1.mp4", "1280x720", av1), ("mpeg4.avi", "640x480", ["-c:v", "mpeg4", "-q:v", "4"]),
            ("h264-hd.mp4", "1920x1080", h264), ("hevc-hd.mkv", "1920x1080", hevc), ("vp9-hd.webm", "1920x1080", vp9),
            ("av1-hd.mkv", "1920x1080", av1), ("mpeg2.ts", "720x576", ["-c:v", "mpeg2video", "-q:v", "4"]),
            ("h264.mkv", "720x1280", h264), ("h264.flv", "640x360", h264),
        ]
        for (number, form) in forms.enumerated() {
            _ = try made(
                "mixed/\(number + 10)-\(form.name)",
                ["-f", "lavfi", "-i", "testsrc2=size=\(form.size):rate=30", "-vf", "hue=h=\(30 * number)", "-t", "8"]
                    + form.codec + ["-pix_fmt", "yuv420p", "-g", "60"])
        }
        return mixed
    }

    /// A folder of `count` clips, all links to one; returns it.
    func many(_ count: Int) throws -> String {
        let many = "\(folder)/many\(count)"
        let clip = "\(try ten())/clip0.mp4"
        if FileManager.default.fileExists(atPath: "\(many)/done") { return many }
        try FileManager.default.createDirectory(atPath: many, withIntermediateDirectories: true)
        for number in 0..<count {
            let path = "\(many)/holiday clip \(number).mp4"
            guard link(clip, path) == 0 || errno == EEXIST || symlink(clip, path) == 0 else {
                throw PTYProcess.Error(description: "cannot link \(path)")
            }
        }
        try Data().write(to: URL(fileURLWithPath: "\(many)/done"))
        return many
    }

    /// One of `ten` with its index at the front.
    func frontal(_ number: Int) throws -> String {
        try made(
            "frontal\(number).mp4",
            ["-i", "\(try ten())/clip\(number).mp4", "-c", "copy", "-movflags", "+faststart"])
    }

    /// Pictures of 3:2, which fill 120×40 cells: two of `long`, and a test card.
    func stills() throws -> [String] {
        let sources = [(try long(), "4"), (try long(), "24"), ("\(try ten())/clip3.mp4", "5")]
        return try sources.enumerated().map { number, source in
            try made(
                "still\(number).jpg",
                ["-ss", source.1, "-i", source.0, "-frames:v", "1", "-vf", "crop=1080:720,setsar=1", "-q:v", "1"])
        }
    }

    private func made(_ name: String, _ arguments: [String]) throws -> String {
        let path = "\(folder)/\(name)"
        if FileManager.default.fileExists(atPath: path) { return path }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Made under another name, so that an interrupted run leaves no broken clip behind.
        let part = "\(path).part.\((name as NSString).pathExtension)"
        process.arguments = ["ffmpeg", "-v", "error", "-y"] + arguments + [part]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PTYProcess.Error(description: "ffmpeg did not make \(name)")
        }
        try FileManager.default.moveItem(atPath: part, toPath: path)
        return path
    }
}
