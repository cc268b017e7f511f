import Foundation

/// `flick serve` in a separate process, on a port that it picks. Ends with this object. Used by one thread at a time.
public final class ServeProcess {
    public struct Error: Swift.Error, CustomStringConvertible {
        public let description: String
    }

    /// flick becomes the server, so this is the server's, too.
    public let pid: pid_t
    public let port: UInt16
    /// What it printed, with the line's end.
    public let line: String
    /// From its start to that line.
    public let startTime: Duration
    private var hasEnded = false

    /// Returns once it listens. Blocks.
    ///
    /// - Parameters:
    ///   - folder: what it serves.
    ///   - state: the folder where it keeps what it remembers, and where its output goes.
    public init(
        _ folder: String, state: String, flick: String = FlickBinary.path, arguments: [String] = []
    ) throws {
        let output = state + "/out-\(UUID().uuidString)"
        let paths = [output, output + ".err"]
        let files = paths.map { path in open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
        defer { for file in files where file >= 0 { close(file) } }
        guard files.allSatisfy({ $0 >= 0 }) else { throw Error(description: "cannot write in \(state)") }
        let start = ContinuousClock.now
        let pid = try spawn(
            [flick, "serve", folder, "--port", "0"] + arguments, descriptors: [(files[0], 1), (files[1], 2)],
            environment: ["PATH": "/usr/bin:/bin", "HOME": state, "XDG_STATE_HOME": state + "/xdg"])
        var line = ""
        let listens = holds(within: .seconds(30)) {
            line = fileText(output) ?? ""
            return line.hasSuffix("\n")
        }
        startTime = .now - start
        guard listens, let port = line.split(separator: ":").last.flatMap({ UInt16($0.prefix(while: \.isNumber)) })
        else {
            reap(pid, after: SIGKILL)
            throw Error(description: "flick serve does not listen: \(line)\(fileText(output + ".err") ?? "")")
        }
        (self.pid, self.port, self.line) = (pid, port, line)
    }

    deinit { if !hasEnded { reap(pid, after: SIGKILL) } }

    /// The address of its feed.
    public var feed: String { line.split(separator: " ").last.map { String($0.dropLast()) } ?? "" }

    /// Sends a signal and returns the exit code, or 128 and the number of the signal that ended it. Blocks.
    public func end(_ signal: Int32) -> Int32 {
        let status = reap(pid, after: signal)
        hasEnded = true
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }
}
