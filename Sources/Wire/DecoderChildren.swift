import Platform
import Synchronization

/// The decoders of one nursery that were started and are not reaped yet. From any thread.
///
/// A nursery reports its copies by process id, and is not trusted: each id is killed and waited for later. Those of
/// other processes, and of decoders that have an owner already, are refused. A number that is accepted cannot become
/// another process's, as only its owner reaps it.
final class DecoderChildren: Sendable {
    private let living = Mutex<Set<pid_t>>([])

    /// Accepts `pid` if it is a child of this process, in the process group that only the nursery and its copies are
    /// in, and has no owner yet.
    func adopt(_ pid: pid_t, group: pid_t) -> Bool {
        living.withLock { living in
            var information = siginfo_t()
            // Fails for a process that is not a child of this one (ECHILD).
            guard waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT | WNOHANG) == 0, getpgid(pid) == group else {
                return false
            }
            return living.insert(pid).inserted
        }
    }

    /// Reaps a child that was adopted and has ended. Returns waitpid's status.
    func reap(_ pid: pid_t) -> Int32 {
        // Locked, so that a reused id is neither adopted for the old process nor refused because of it.
        living.withLock { living in
            living.remove(pid)
            return ChildProcess.reap(pid)
        }
    }
}
