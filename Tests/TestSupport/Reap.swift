#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Waits for the end of a program that was started here, and returns waitpid's status. Blocks.
///
/// - Parameter signal: sent to it first.
@discardableResult
public func reap(_ pid: pid_t, after signal: Int32? = nil) -> Int32 {
    if let signal { kill(pid, signal) }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status
}
