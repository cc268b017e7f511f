import Threads

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts other programs without waiting for them.
enum Launch {
    /// Starts `program` (found through PATH) in its own process group, with its standard streams at /dev/null.
    static func detached(_ program: String, _ arguments: [String]) throws(AppError) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        posix_spawnattr_setpgroup(&attributes, 0)
        // flick ignores SIGPIPE. A started program would inherit that, but expects to be ended by the signal.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
        let texts = ([program] + arguments).map { strdup($0) } + [nil]
        let environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in texts + environment { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, program, &actions, &attributes, texts, environment)
        guard code == 0 else {
            throw AppError("cannot start \(program): \(String(cString: strerror(code)).lowercased())")
        }
        let child = pid
        // A separate thread reaps it, so that it leaves no zombie however long it runs.
        BlockingThread.start {
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        }
    }
}
