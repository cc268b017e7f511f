import Foundation
import Platform
import TestSupport
import Threads

@testable import Feeds

/// A shell script in place of a program.
struct ScriptedProgram {
    let folder = TemporaryFolder()
    let path: String

    /// - Parameter script: may name `$HERE`, the folder in which it lies.
    init(_ script: String, name: String = "yt-dlp") throws {
        path = try folder.script(name, "HERE='\(folder.path)'\n\(script)")
    }

    /// A program that prints this text, and appends its arguments to `$HERE/asked`, a line each time.
    init(printing text: String) throws {
        try self.init("echo \"$@\" >> \"$HERE/asked\"\ncat \"$HERE/answer\"")
        try folder.write("answer", text.utf8)
    }

    var ytDLP: YTDLP { ytDLP() }

    func ytDLP(silence: Duration = .seconds(30), time: Duration = .seconds(60), output: Int = 1 << 20) -> YTDLP {
        YTDLP(
            named: path, proxy: nil, limits: Program.Limits(silence: silence, time: time, output: output),
            variables: { ["PATH": "/usr/bin:/bin"][$0] })
    }

    /// The content of a file in its folder; empty if there is no such file.
    func text(_ name: String) -> String {
        FileManager.default.contents(atPath: "\(folder.path)/\(name)").map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Waits until a file in its folder holds a line, and returns that.
    func line(_ name: String) -> String {
        _ = holds(within: .seconds(30)) { text(name).hasSuffix("\n") }
        return String(text(name).prefix { $0 != "\n" })
    }

    func run(
        silence: Duration = .seconds(30), time: Duration = .seconds(60), output: Int = 1 << 20,
        _ cancellation: Cancellation = Cancellation()
    ) throws(Program.RunError) -> Program.Printed {
        try Program.run(
            path, ["-a", "b c"], environment: ["PATH": "/usr/bin:/bin"],
            limits: Program.Limits(silence: silence, time: time, output: output), cancellation: cancellation)
    }
}
