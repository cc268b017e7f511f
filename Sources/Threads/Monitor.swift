#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// State that threads share, with a lock and a condition to wait for changes. Any thread.
///
/// Lock it for moments only: nothing that blocks and no caller's closure may
/// run while it is locked. Only `wait` blocks for long.
// @unchecked: `state` is only touched while `lock` is locked.
public final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    public init(_ state: sending State) {
        self.state = state
        lock = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // The monotonic clock, because setting back the wall clock would make
        // limits longer. Darwin only has the latter.
        #if !canImport(Darwin)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        changed.deallocate()
        lock.deallocate()
    }

    /// Runs `body` with the state. Wakes no waiting thread.
    public func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&state)
    }

    /// Runs `body` with the state, then wakes all threads that wait.
    public func change<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(lock)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(lock)
        }
        return try body(&state)
    }

    /// Blocks until `find`, which is called again after each `change`, returns a value; nil once `limit` has passed. Do
    /// not call it on the shared pool.
    public func wait<Found>(upTo limit: Duration? = nil, for find: (inout State) throws -> Found?) rethrows -> Found? {
        var deadline = timespec()
        if let limit {
            #if canImport(Darwin)
                clock_gettime(CLOCK_REALTIME, &deadline)
            #else
                clock_gettime(CLOCK_MONOTONIC, &deadline)
            #endif
            let (seconds, attoseconds) = max(limit, .zero).components
            deadline.tv_sec += Int(seconds)
            deadline.tv_nsec += Int(attoseconds / 1_000_000_000)
            if deadline.tv_nsec >= 1_000_000_000 {
                deadline.tv_nsec -= 1_000_000_000
                deadline.tv_sec += 1
            }
        }
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let found = try find(&state) { return found }
            if limit == nil {
                pthread_cond_wait(changed, lock)
            } else if pthread_cond_timedwait(changed, lock, &deadline) == ETIMEDOUT {
                return try find(&state)
            }
        }
    }
}
