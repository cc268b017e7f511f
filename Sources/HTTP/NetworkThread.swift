import Platform
import Synchronization
import Threads

/// The one thread that moves the bytes of all connections, and runs the tasks of their transfers in between. It
/// blocks in `poll(2)`, and while curl loads or reads certificates. It starts with the first job and ends with the
/// process. Any thread adds jobs and timers.
// @unchecked: `watched` belongs to the thread itself; all else is in the mutex or never changes.
final class NetworkThread: TaskExecutor, @unchecked Sendable {
    static let shared = NetworkThread()

    /// Called when a socket can be read or written.
    typealias Watcher = (_ socket: Int32, _ canRead: Bool, _ canWrite: Bool) -> Void

    private enum Job: Sendable {
        case task(UnownedJob)
        case call(@Sendable () -> Void)
    }

    private struct Timer: Sendable {
        var deadline: ContinuousClock.Instant
        var fire: @Sendable () -> Void
    }

    private struct State {
        var jobs: [Job] = []
        var timers: [Int: Timer] = [:]
        var lastTimer = 0
        var isStarted = false
        /// Whether a job has to wake the thread.
        var isWaiting = false
    }

    private let state = Mutex(State())
    /// A pipe that wakes the thread.
    private let wakeup: Pipe
    private var watched: [Int32: (events: Int16, watcher: Watcher)] = [:]

    private init() {
        do throws(SystemError) { wakeup = try Pipe(waits: false) } catch {
            preconditionFailure("no pipe for the network's thread: \(error)")
        }
    }

    // MARK: From any thread

    func enqueue(_ job: consuming ExecutorJob) { add(.task(UnownedJob(job))) }

    /// Calls `body` on the thread, which it must not block.
    func run(_ body: @escaping @Sendable () -> Void) { add(.call(body)) }

    /// Calls `fire` on the thread after `time`. Returns a number for `forget`.
    func schedule(after time: Duration, _ fire: @escaping @Sendable () -> Void) -> Int {
        let number = state.withLock { state in
            state.lastTimer += 1
            state.timers[state.lastTimer] = Timer(deadline: .now + time, fire: fire)
            return state.lastTimer
        }
        wake()
        return number
    }

    /// Drops a timer that may have fired.
    func forget(_ timer: Int) { state.withLock { _ = $0.timers.removeValue(forKey: timer) } }

    private func add(_ job: Job) {
        state.withLock { $0.jobs.append(job) }
        wake()
    }

    private func wake() {
        let (mustWake, mustStart) = state.withLock { state in
            defer { (state.isWaiting, state.isStarted) = (false, true) }
            return (state.isWaiting, !state.isStarted)
        }
        if mustWake { wakeup.wake() }
        if mustStart { BlockingThread.start { self.work() } }
    }

    // MARK: On the thread

    /// Watches a socket in place of before; reading and writing both false: no more. On the thread only.
    func watch(_ socket: Int32, reads: Bool, writes: Bool, _ watcher: @escaping Watcher) {
        let events = (reads ? Int16(POLLIN) : 0) | (writes ? Int16(POLLOUT) : 0)
        watched[socket] = events == 0 ? nil : (events, watcher)
    }

    private func work() {
        // A server that closes a connection must not end the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while true {
            runJobs()
            wait()
            fireTimers()
        }
    }

    private func runJobs() {
        for job in state.withLock({ state in
            defer { state.jobs = [] }
            return state.jobs
        }) {
            switch job {
            case .task(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .call(let body): body()
            }
        }
    }

    private func wait() {
        let time = state.withLock { state -> Int32 in
            guard state.jobs.isEmpty else { return 0 }
            state.isWaiting = true
            guard let next = state.timers.values.map(\.deadline).min() else { return -1 }
            return NetworkThread.milliseconds(until: next)
        }
        var sockets = [pollfd(fd: wakeup.reading.number, events: Int16(POLLIN), revents: 0)]
        sockets += watched.map { pollfd(fd: $0.key, events: $0.value.events, revents: 0) }
        let count = poll(&sockets, nfds_t(sockets.count), time)
        state.withLock { $0.isWaiting = false }
        guard count > 0 else { return }
        if sockets[0].revents != 0 { wakeup.clear() }
        for socket in sockets.dropFirst() where socket.revents != 0 {
            // One before it may have ended this one.
            guard let (events, watcher) = watched[socket.fd], events == socket.events else { continue }
            let hasEnded = socket.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
            watcher(
                socket.fd, socket.revents & Int16(POLLIN) != 0 || hasEnded,
                socket.revents & Int16(POLLOUT) != 0 || hasEnded && events & Int16(POLLOUT) != 0)
        }
    }

    private func fireTimers() {
        let due = state.withLock { state -> [Timer] in
            guard !state.timers.isEmpty else { return [] }
            let now = ContinuousClock.now
            let due = state.timers.filter { $0.value.deadline <= now }
            for number in due.keys { state.timers[number] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for timer in due { timer.fire() }
    }

    /// Rounded up, as `poll` waits; 0 if it has passed.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let (seconds, attoseconds) = max(deadline - .now, .zero).components
        return Int32(min(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000, 1 << 30))
    }
}

extension Transport {
    /// Runs `body`, which must not block, on the network's thread. The shared pool has one thread per core; code
    /// that blocks those threads would stop all transfers.
    package static func task<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        Task(executorPreference: NetworkThread.shared, operation: body)
    }

    /// Runs `body` as `task` does, and blocks until it is done. A cancellation cancels the task.
    package static func wait<Value: Sendable>(
        _ cancellation: Cancellation, _ body: @escaping @Sendable () async throws -> Value
    ) -> Result<Value, any Error> {
        let outcome = Monitor<Result<Value, any Error>?>(nil)
        let running = task {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.change { $0 = result }
        }
        let number = cancellation.onCancel { running.cancel() }
        defer { cancellation.forget(number) }
        return outcome.wait { $0 } ?? .failure(CancellationError())
    }
}
