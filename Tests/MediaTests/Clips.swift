import Foundation
import TestSupport
import Testing

/// Clips made with the ffmpeg program when they are first asked for.
enum Clips {
    static let folder: String = {
        let path = NSTemporaryDirectory() + "flick-media-tests-\(getpid())"
        // If this fails, writing into the folder fails too and reports that.
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }()

    /// Clips are made one at a time: tests run in parallel, and must not see a half-written one.
    private static let making = NSLock()

    /// Runs ffmpeg with `arguments` and `name` in the folder as its output, and returns the path.
    static func make(_ name: String, _ arguments: String...) throws -> String { try make(name, list: arguments) }

    static func make(_ name: String, list arguments: [String]) throws -> String {
        making.lock()
        defer { making.unlock() }
        let path = "\(folder)/\(name)"
        if FileManager.default.fileExists(atPath: path) { return path }
        try run(arguments + [path])
        return path
    }

    /// Writes a file of the folder in one step: parallel tests make the same one, and must not read it half written.
    static func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = "\(folder)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        return path
    }

    /// Three seconds at 25 pictures a second. Picture n has the luminance 16 + 2 n; the sound is a sine of 440 Hz.
    static func counted() throws -> String {
        try make(
            "counted.mp4", "-f", "lavfi", "-i", "color=black:s=128x96:r=25:d=3,geq=lum='16+2*N':cb=128:cr=128", "-f",
            "lavfi", "-i", "sine=440:r=48000:d=3", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "12", "-qp", "4",
            "-c:a", "aac", "-t", "3")
    }

    /// A second of four quadrants: red, green, blue, white. `filter` is ffmpeg's, for the whole picture.
    static func quadrants(_ name: String, _ more: [String] = [], filter: String = "null") throws -> String {
        making.lock()
        defer { making.unlock() }
        let path = "\(folder)/\(name)"
        if FileManager.default.fileExists(atPath: path) { return path }
        let graph =
            "color=red:s=80x60[a];color=lime:s=80x60[b];color=blue:s=80x60[c];color=white:s=80x60[d];"
            + "[a][b]hstack[t];[c][d]hstack[u];[t][u]vstack,\(filter)"
        try run(["-filter_complex", graph, "-t", "1", "-pix_fmt", "yuv420p"] + more + [path])
        return path
    }

    /// Runs ffmpeg in the folder, because lists name their segments relatively.
    private static func run(_ arguments: [String]) throws {
        let result = try Command.run(
            ["sh", "-c", "cd \"$0\" && exec \"$@\"", folder, "ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments)
        try #require(result.status == 0, "ffmpeg could not make it: \(result.errors)")
    }
}
