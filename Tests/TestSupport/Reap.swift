import Platform

/// Waits for the end of a program that was started here, and returns waitpid's status. Blocks.
///
/// - Parameter signal: sent to it first.
@discardableResult
public func reap(_ pid: pid_t, after signal: Int32? = nil) -> Int32 {
    if let signal { ChildProcess.signal(pid, signal) }
    return ChildProcess.reap(pid)
}
