import Foundation

/// Clips that only tests need, made by ffmpeg once and stored in `.build/test-clips`.
public enum TestClips {
    public struct Recipe: Sendable {
        /// Also the file's name. Change it together with the recipe: an existing file is not made again.
        public var name: String
        public var width = 1280
        public var height = 720
        public var rate = 30
        public var seconds = 32
        /// The distance of key frames, in pictures.
        public var keyInterval = 30
        /// The tone's pitch in hertz; 0 for no sound.
        public var tone = 440

        public init(
            _ name: String, width: Int = 1280, height: Int = 720, rate: Int = 30, seconds: Int = 32,
            keyInterval: Int = 30, tone: Int = 440
        ) {
            self.name = name
            self.width = width
            self.height = height
            self.rate = rate
            self.seconds = seconds
            self.keyInterval = keyInterval
            self.tone = tone
        }
    }

    /// 720p, 30 pictures a second, 32 s, a key frame each second, numbered pictures (see `FrameCode`), 440 Hz.
    public static let landscape = Recipe("coded-landscape-1.mp4")
    /// The same in portrait format, 12 s, 660 Hz.
    public static let portrait = Recipe("coded-portrait-1.mp4", width: 720, height: 1280, seconds: 12, tone: 660)

    public struct Error: Swift.Error, CustomStringConvertible {
        public var description: String
    }

    /// The path of a clip, created now if it does not exist. Blocks, for some seconds the first time. Several processes
    /// can call it at once.
    public static func path(_ recipe: Recipe) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = root.appendingPathComponent(".build/test-clips")
        let file = folder.appendingPathComponent(recipe.name).path
        if FileManager.default.fileExists(atPath: file) { return file }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Made elsewhere and renamed, so that no other process sees an incomplete file.
        let unfinished = folder.appendingPathComponent("\(UUID().uuidString)-\(recipe.name)").path
        try run(arguments(recipe, to: unfinished))
        guard rename(unfinished, file) == 0 else {
            throw Error(description: "cannot move \(unfinished): errno \(errno)")
        }
        return file
    }

    private static func arguments(_ recipe: Recipe, to file: String) -> [String] {
        var arguments = ["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y"]
        arguments += [
            "-f", "lavfi", "-i", "testsrc2=s=\(recipe.width)x\(recipe.height):r=\(recipe.rate):d=\(recipe.seconds)",
        ]
        if recipe.tone > 0 {
            arguments += [
                "-f", "lavfi", "-i", "sine=f=\(recipe.tone):r=48000:d=\(recipe.seconds)", "-c:a", "aac", "-ac", "2",
            ]
        }
        arguments += [
            "-vf", "\(FrameCode.filter),format=yuv420p", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20",
        ]
        return arguments + ["-g", "\(recipe.keyInterval)", "-bf", "2", "-movflags", "+faststart", file]
    }

    private static func run(_ arguments: [String]) throws {
        let result = try Command.run(arguments)
        guard result.status == 0 else { throw Error(description: "cannot make a test clip: \(result.errors)") }
    }
}
