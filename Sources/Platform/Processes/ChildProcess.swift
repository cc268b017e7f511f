internal import CPlatform
import Synchronization

/// A started program, until it is reaped: only then its number can become another's, so that signals never go to
/// strangers. Any thread.
package final class ChildProcess: Sendable {
    package let pid: Int32
    /// waitpid's, once it is reaped.
    private let status = Mutex<Int32?>(nil)

    package init(_ invocation: Invocation) throws(SystemError) { pid = try invocation.start() }

    /// Sends a signal, also to all of its process group that it has started itself. Does not block.
    package func signalGroup(_ signal: Int32) {
        status.withLock { if $0 == nil { ChildProcess.signal(-pid, signal) } }
    }

    /// Lets it and its process group run after others, where the system allows that.
    package func lowerPriority() { flick_lower_priority(pid) }

    /// Whether the program has exited, whatever it left behind. It is not reaped. Does not block.
    package var hasExited: Bool { status.withLock { $0 != nil || ChildProcess.hasExited(pid) } }

    /// Waits for its end, reaps it, and returns waitpid's status. Blocks.
    @discardableResult
    package func reap() -> Int32 {
        ChildProcess.waitForExit(of: pid)
        // Under the lock, so that no signal goes to another program that has got its number.
        return status.withLock { status in
            let known = status ?? ChildProcess.reap(pid)
            status = known
            return known
        }
    }
}

// MARK: - By number

/// For processes whose owner sees to it that their numbers are still theirs.
extension ChildProcess {
    /// Sends a signal to a process; to a process group if the number is negative.
    package static func signal(_ pid: Int32, _ signal: Int32) { _ = kill(pid, signal) }

    /// Whether a child has exited. It is not reaped. Does not block.
    package static func hasExited(_ pid: Int32) -> Bool {
        var information = siginfo_t()
        guard waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
        // 0 while it runs.
        return information.si_signo != 0
    }

    /// Waits until a child has exited. It is not reaped. Blocks.
    package static func waitForExit(of pid: Int32) {
        var information = siginfo_t()
        _ = uninterrupted { waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) }
    }

    /// Waits for the end of a child, reaps it, and returns waitpid's status; 0 for any other process. Blocks.
    @discardableResult
    package static func reap(_ pid: Int32) -> Int32 {
        var status: Int32 = 0
        _ = uninterrupted { waitpid(pid, &status, 0) }
        return status
    }
}
