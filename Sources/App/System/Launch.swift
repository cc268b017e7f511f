import Model
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
    /// What became of a program in its first moments.
    enum Outcome: Equatable, Sendable {
        /// It ended with this status; 128 and more: by a signal.
        case ended(Int32)
        /// It still runs after `patience`.
        case runs
    }

    /// A program that reports a failure does so within this time.
    static let patience = Duration.seconds(3)

    /// Starts `program` (found through PATH) in its own process group, with its standard streams at /dev/null.
    ///
    /// - Parameter outcome: called once, on another thread; at once on this one if no thread could be started.
    static func detached(
        _ program: String, _ arguments: [String], patience: Duration = Launch.patience,
        outcome: @escaping @Sendable (Outcome) -> Void
    ) throws(AppError) {
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
        // flick ignores some signals. A started program would inherit that, but expects to be ended by them.
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
        let texts = ([program] + arguments).map { strdup($0) } + [nil]
        let environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in texts + environment { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, program, &actions, &attributes, texts, environment)
        guard code == 0 else {
            let why = SystemError.text(code)
            throw AppError(code == ENOENT ? "\(program) is not installed" : "cannot start \(program): \(why)")
        }
        let child = pid
        let status = Monitor<Int32?>(nil)
        // A thread of its own reaps it, so that it leaves no zombie however long it runs; another one waits for news.
        BlockingThread.start {
            var raw: Int32 = 0
            while waitpid(child, &raw, 0) < 0 && errno == EINTR {}
            let signal = raw & 0x7F
            status.change { $0 = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal }
        }
        let isAwaited = BlockingThread.start {
            outcome(status.wait(upTo: patience) { $0 }.map(Outcome.ended) ?? .runs)
        }
        if !isAwaited { outcome(.runs) }
    }

    /// The system's program that opens files and links.
    static var opener: String {
        #if os(Linux)
            "xdg-open"
        #else
            "open"
        #endif
    }

    /// Why `opener` opened nothing, by how it ended; nil if it did.
    ///
    /// - Parameter isLink: whether it was to open a link rather than a file.
    static func failure(of outcome: Outcome, isLink: Bool) -> String? {
        // The numbers are those of xdg-open(1).
        switch outcome {
        case .runs, .ended(0): nil
        case .ended(2): "Couldn't open: file not found"
        case .ended(3): "Couldn't open: no \(isLink ? "browser" : "app") found"
        case .ended(let status): "Couldn't open: \(opener) failed (status \(status))"
        }
    }
}
