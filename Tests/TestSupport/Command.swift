import Foundation

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

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }

    /// - Parameter input: the file that the program reads from.
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

        #if os(Linux)
            var actions = posix_spawn_file_actions_t()
        #else
            var actions: posix_spawn_file_actions_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
        #if os(Linux)
            var attributes = posix_spawnattr_t()
        #else
            var attributes: posix_spawnattr_t?
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The testing library's threads block every signal; started programs must not inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        #if os(Linux)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        #else
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT))
        #endif

        let argv = (["/usr/bin/env"] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, "/usr/bin/env", &actions, &attributes, argv, envp)
        guard code == 0 else { throw Failure(description: "posix_spawn: \(String(cString: strerror(code)))") }
        return Result(
            status: reap(pid), output: try String(contentsOfFile: output, encoding: .utf8),
            errors: try String(contentsOfFile: errors, encoding: .utf8))
    }
}
