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

    /// Ten seconds of `long`, lossless and in the size of 200×60 half blocks: no program has to scale, so all draw the
    /// same pixels.
    func small() throws -> String {
        let long = try long()
        return try made(
            "small.mkv",
            [
                "-i", long, "-t", "10", "-an", "-vf", "scale=200:120:flags=area,setsar=1", "-c:v", "ffv1", "-pix_fmt",
                "bgr0",
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

    /// A folder of `count` clips, all links to one; returns it.
    func many(_ count: Int) throws -> String {
        let many = "\(folder)/many\(count)"
        let clip = "\(try ten())/clip0.mp4"
        if FileManager.default.fileExists(atPath: "\(many)/done") { return many }
        try FileManager.default.createDirectory(atPath: many, withIntermediateDirectories: true)
        for number in 0..<count {
            let path = "\(many)/holiday clip \(number).mp4"
            guard link(clip, path) == 0 || errno == EEXIST || symlink(clip, path) == 0 else {
                throw PTYProcess.Failure(description: "cannot link \(path)")
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
            throw PTYProcess.Failure(description: "ffmpeg did not make \(name)")
        }
        try FileManager.default.moveItem(atPath: part, toPath: path)
        return path
    }
}
