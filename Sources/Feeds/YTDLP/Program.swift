import Model
import Synchronization
import Threads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs another program to its end for what it prints. It is started without a shell, in a process group of its own,
/// with nothing open but /dev/null and two pipes (all that flick opens is close-on-exec); whatever happens, nothing of
/// the group is left running.
package enum Program {
    /// What it may cost.
    package struct Limits: Sendable {
        /// How long it may print nothing.
        package var silence: Duration
        package var time: Duration
        /// In bytes, of standard output.
        package var output: Int

        package init(silence: Duration, time: Duration, output: Int) {
            (self.silence, self.time, self.output) = (silence, time, output)
        }
    }

    package struct Printed: Sendable {
        package var output: [UInt8] = []
        /// The end of what it printed on standard error.
        package var errors: [UInt8] = []
    }

    package enum RunError: Error, Equatable, Sendable {
        /// With this errno.
        case notStarted(Int32)
        case silent(Duration)
        case slow(Duration)
        case tooMuch(limit: Int)
        case cancelled
    }

    /// In bytes: so much of standard error is kept.
    private static let keptErrors = 64 << 10
    /// What comes on standard error after standard output has ended.
    private static let lastErrors: Duration = .seconds(1)
    /// Its children may hold the pipes open. Once it has exited, and nothing has come for this long, it is done.
    private static let lastOutput: Duration = .seconds(1)
    /// How often to check whether it has exited.
    private static let exitCheck: Duration = .milliseconds(200)

    /// Runs the program at `path`. Blocks until it has closed its standard output or exited, or a limit is reached.
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String], limits: Limits,
        cancellation: Cancellation
    ) throws(RunError) -> Printed {
        guard let output = Pipe(), let errors = Pipe(), let wake = Pipe() else { throw .notStarted(errno) }
        var pid: pid_t = 0
        let code = spawn(path, arguments, environment, output: output.writing, errors: errors.writing, &pid)
        guard code == 0 else { throw .notStarted(code) }
        output.closeWriting()
        errors.closeWriting()
        // What plays comes first. Where the system does not allow it, it has what all have.
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PGRP.rawValue), id_t(pid), 5)
        #else
            _ = setpriority(PRIO_PGRP, id_t(pid), 5)
        #endif
        let group = Group(pid, wake: wake.writing)
        let number = cancellation.onCancel { group.kill() }
        defer {
            cancellation.forget(number)
            group.end()
        }
        return try read(output.reading, errors.reading, wake.reading, limits, cancellation, group.hasExited)
    }

    private static func read(
        _ output: Int32, _ errors: Int32, _ wake: Int32, _ limits: Limits, _ cancellation: Cancellation,
        _ hasExited: () -> Bool
    ) throws(RunError) -> Printed {
        var printed = Printed()
        let began = ContinuousClock.now
        var last = began
        /// When standard output ended; nil before.
        var ended: ContinuousClock.Instant?
        /// When it was seen to have exited; nil before.
        var exited: ContinuousClock.Instant?
        var polled = [output, errors, wake].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while polled[1].fd >= 0 || ended == nil {
            let now = ContinuousClock.now
            if cancellation.isCancelled { throw .cancelled }
            if let ended, now - ended >= lastErrors { break }
            if exited == nil, hasExited() { exited = now }
            if let exited, now - max(exited, last) >= lastOutput { break }
            if now - last >= limits.silence { throw .silent(limits.silence) }
            if now - began >= limits.time { throw .slow(limits.time) }
            var left = min(limits.silence - (now - last), limits.time - (now - began))
            if let ended { left = min(left, lastErrors - (now - ended)) }
            left = min(left, exited.map { lastOutput - (now - max($0, last)) } ?? exitCheck)
            guard poll(&polled, nfds_t(polled.count), Int32(clamping: left.microseconds / 1_000 + 1)) > 0 else {
                continue
            }
            for place in 0...1 where polled[place].revents != 0 {
                let piece = bytes(of: polled[place].fd)
                if piece.isEmpty {
                    // poll passes over a negative descriptor.
                    polled[place].fd = -1
                    if place == 0 { ended = .now }
                    continue
                }
                last = .now
                if place == 0 {
                    printed.output += piece
                    guard printed.output.count <= limits.output else { throw .tooMuch(limit: limits.output) }
                } else {
                    printed.errors += piece
                    if printed.errors.count > 2 * keptErrors { printed.errors = printed.errors.suffix(keptErrors) }
                }
            }
        }
        // What was killed has closed its pipes, too.
        if cancellation.isCancelled { throw .cancelled }
        return printed
    }

    /// The next bytes; none at the end.
    private static func bytes(of descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            var got: Int
            repeat { got = systemRead(descriptor, buffer.baseAddress, buffer.count) } while got < 0 && errno == EINTR
            count = max(got, 0)
        }
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], output: Int32, errors: Int32,
        _ pid: inout pid_t
    ) -> Int32 {
        #if os(Linux)
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #if os(Linux)
            posix_spawnattr_setflags(&attributes, Int16(flags))
        #else
            posix_spawnattr_setflags(&attributes, Int16(flags | POSIX_SPAWN_CLOEXEC_DEFAULT))
        #endif
        let argv = ([path] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        return posix_spawn(&pid, path, &actions, &attributes, argv, envp)
    }
}

/// A started program and all that it has started itself. Any thread.
private final class Group: Sendable {
    /// nil once it is reaped: then its number may be another's.
    private let running: Mutex<(pid: pid_t, wake: Int32)?>

    init(_ pid: pid_t, wake: Int32) { running = Mutex((pid: pid, wake: wake)) }

    /// Ends it at once, and wakes who reads from it: a process that has left
    /// the group could keep the pipes open. Does not block.
    func kill() {
        running.withLock { running in
            guard let (pid, wake) = running else { return }
            _ = systemKill(-pid, SIGKILL)
            // The pipe has room for one byte, and a second one is not needed.
            _ = write(wake, [0], 1)
        }
    }

    /// Whether the program has exited, whatever it left behind. It is not reaped. Does not block.
    func hasExited() -> Bool {
        running.withLock { running in
            guard let (pid, _) = running else { return true }
            var information = siginfo_t()
            guard waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
            // 0 while it runs.
            return information.si_signo != 0
        }
    }

    /// Ends what is left of it, and reaps the program.
    func end() {
        kill()
        guard let pid = running.withLock({ $0?.pid }) else { return }
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        // Under the lock, so that nobody kills another program that has got its number.
        running.withLock { running in
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
            running = nil
        }
    }
}

/// A pipe whose ends no other program inherits.
private final class Pipe {
    let reading: Int32
    private(set) var writing: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    deinit {
        close(reading)
        closeWriting()
    }
}

private func systemKill(_ pid: pid_t, _ signal: Int32) -> Int32 {
    #if canImport(Glibc)
        Glibc.kill(pid, signal)
    #else
        Darwin.kill(pid, signal)
    #endif
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
        Glibc.read(descriptor, buffer, count)
    #else
        Darwin.read(descriptor, buffer, count)
    #endif
}
