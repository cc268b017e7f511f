import Foundation
import Platform

/// Runs a program to its end and returns what it printed.
///
/// It does not use Foundation's `Process`: other tests' programs inherit the descriptors that it opens, and a tmux
/// server with the end of a pipe keeps the pipe's reader waiting for ever. Output goes to files instead.
public enum Command {
    public struct Result: Sendable {
        public var status: Int32
        public var output: String
        public var errors: String
    }

    public struct Error: Swift.Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }

    /// - Parameters:
    ///   - arguments: the program, found in PATH if its name has no slash, and its arguments.
    ///   - input: the file that the program reads from.
    public static func run(
        _ arguments: [String], input: String = "/dev/null", unsetting unset: [String] = [],
        setting set: [String: String] = [:]
    ) throws -> Result {
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("flick-\(UUID().uuidString)").path
        let (output, errors) = (name + ".out", name + ".err")
        defer {
            unlink(output)
            unlink(errors)
        }
        var environment = ProcessInfo.processInfo.environment.merging(set) { $1 }
        for name in unset { environment[name] = nil }

        let invocation = Invocation(
            arguments, environment: environment,
            streams: [
                0: .file(input, O_RDONLY), 1: .file(output, O_WRONLY | O_CREAT), 2: .file(errors, O_WRONLY | O_CREAT),
            ], group: .same)
        let pid: pid_t
        do throws(SystemError) { pid = try invocation.start() } catch {
            throw Error(description: "cannot start \(arguments[0]): \(SystemError.text(error.code))")
        }
        return Result(
            status: reap(pid), output: try String(contentsOfFile: output, encoding: .utf8),
            errors: try String(contentsOfFile: errors, encoding: .utf8))
    }
}
