import Platform

/// Processor time, which does not depend on what else runs on the machine.
public enum ThreadTime {
    /// Of the calling thread, since it began.
    public static var used: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
