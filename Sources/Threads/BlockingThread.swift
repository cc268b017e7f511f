#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system allows no further thread.
public struct OutOfThreads: Error, CustomStringConvertible {
    public var description: String { "out of threads; close other programs, or raise the limit (ulimit -u)" }
}

/// Threads for calls that block, which must not run on Swift's shared pool.
///
/// A process starts some at its launch, with `begin`, and keeps them: if the system has none left, it is seen there and
/// nowhere else.
public enum BlockingThread {
    private static let pool = ThreadPool()

    /// Starts `count` threads that wait for bodies. To be called before `start`, with those signals blocked that no
    /// thread is to receive: all threads inherit that.
    public static func begin(_ count: Int) throws(OutOfThreads) {
        if !pool.begin(count) { throw OutOfThreads() }
    }

    /// Runs `body` on a thread that may block; see `ThreadPool.start`. Any thread. Returns at once.
    public static func start(_ body: @escaping @Sendable () -> Void) { pool.start(body) }
}

/// Threads that run bodies, one each. The first are kept; others are made while all are busy, and end when they are
/// idle. Any thread.
// @unchecked: the counts and `waiting` are only touched while `lock` is locked.
final class ThreadPool: @unchecked Sendable {
    typealias Body = @Sendable () -> Void

    /// Far more than flick's parts need at once. What comes on top waits.
    static let limit = 512

    private let make: @Sendable (@escaping Body) -> Bool
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let added = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [Body] = []
    /// Threads that are kept while idle; all threads; those that wait for a body; those that were made, but have not
    /// looked for a body yet.
    private var (kept, all, idle, coming) = (1, 0, 0, 0)

    /// - Parameter make: makes a thread that runs a body; returns false if the system has none left.
    init(make: @escaping @Sendable (@escaping Body) -> Bool = makeThread) {
        self.make = make
        pthread_mutex_init(lock, nil)
        pthread_cond_init(added, nil)
    }

    /// The pool of a test may go once its threads have ended: they hold it.
    deinit {
        pthread_cond_destroy(added)
        pthread_mutex_destroy(lock)
        added.deallocate()
        lock.deallocate()
    }

    /// Makes threads until there are `count`, which are kept. Returns false if the system refuses one.
    func begin(_ count: Int) -> Bool {
        locked { kept = max(kept, count) }
        while locked({ all < count }) {
            locked { expectThread() }
            guard makeExpected() else { return false }
        }
        return true
    }

    /// Runs `body` on an idle thread, or else on a new one. If there may be no more threads, or the system refuses one,
    /// it waits for the first that becomes idle. Returns at once.
    ///
    /// Ends the process if there is no thread at all, which `begin` rules out.
    func start(_ body: @escaping Body) {
        let needsThread = locked {
            waiting.append(body)
            guard waiting.count > idle + coming, all < Self.limit else {
                pthread_cond_signal(added)
                return false
            }
            expectThread()
            return true
        }
        if needsThread, !makeExpected() { precondition(locked { all > 0 }, "out of threads") }
    }

    private func expectThread() { (all, coming) = (all + 1, coming + 1) }

    /// Not under the lock, as it may take a while.
    private func makeExpected() -> Bool {
        if make({ [self] in work() }) { return true }
        locked { (all, coming) = (all - 1, coming - 1) }
        return false
    }

    // MARK: On a thread

    private func work() {
        locked { coming -= 1 }
        // The call ends the body's life before the next wait.
        while runNext() {}
    }

    /// Waits for a body and runs it. Returns false if the thread is not to be kept.
    private func runNext() -> Bool {
        let body: Body? = locked {
            while waiting.isEmpty {
                guard all <= kept else {
                    all -= 1
                    return nil
                }
                idle += 1
                pthread_cond_wait(added, lock)
                idle -= 1
            }
            return waiting.removeFirst()
        }
        body?()
        return body != nil
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }
}

/// Makes a thread, which ends with its body. Returns false if the system has none left.
private func makeThread(_ body: @escaping ThreadPool.Body) -> Bool {
    let box = Unmanaged.passRetained(Box(body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Glibc)
        var thread = pthread_t()
    #else
        var thread: pthread_t?
    #endif
    let code = pthread_create(&thread, &attributes, runBox, box.toOpaque())
    if code != 0 { box.release() }
    return code == 0
}

private final class Box: Sendable {
    let body: ThreadPool.Body
    init(body: @escaping ThreadPool.Body) { self.body = body }
}

#if canImport(Glibc)
    private func runBox(_ opaque: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        // The pointer is the retained box of `makeThread`.
        Unmanaged<Box>.fromOpaque(opaque!).takeRetainedValue().body()
        return nil
    }
#else
    private func runBox(_ opaque: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Box>.fromOpaque(opaque).takeRetainedValue().body()
        return nil
    }
#endif
