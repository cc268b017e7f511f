/// A queue of jobs that run one after the other on a thread that may block. Any thread adds jobs. The thread ends when
/// the queue is empty, so an idle flick has no such thread.
public final class SerialThread: Sendable {
    /// Called once: with true on the queue's thread; or with false, on any thread, if
    /// the job is dropped because the system has no thread left. It must then be quick.
    public typealias Job = @Sendable (_ runs: Bool) -> Void

    private struct State {
        var jobs: [Job] = []
        var isRunning = false
        /// Whether new jobs are refused.
        var isEnded = false
    }

    private let monitor = Monitor(State())
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool

    /// - Parameter start: starts a thread; returns false if the system has none left.
    public init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = { BlockingThread.start($0) }) {
        self.start = start
    }

    /// Queues `job` behind all earlier ones. Returns false after `end`; the job is then never called. The job waits for
    /// `wake`. Returns at once, so it may be called under a lock.
    public func put(_ job: @escaping Job) -> Bool {
        monitor.withLock { state in
            if !state.isEnded { state.jobs.append(job) }
            return !state.isEnded
        }
    }

    /// Starts the thread if there are jobs. If the system has no thread
    /// left, drops all jobs and returns false. Do not call it under a lock.
    @discardableResult
    public func wake() -> Bool {
        let mustStart = monitor.withLock { state in
            guard !state.isRunning, !state.jobs.isEmpty else { return false }
            state.isRunning = true
            return true
        }
        guard mustStart, !start({ [self] in work() }) else { return true }
        let lost = monitor.change { state in
            defer { (state.jobs, state.isRunning) = ([], false) }
            return state.jobs
        }
        for job in lost { job(false) }
        return false
    }

    /// Waits until all jobs are done, or until `limit` has passed. Blocks.
    public func drain(upTo limit: Duration) {
        _ = monitor.wait(upTo: limit) { state in state.jobs.isEmpty && !state.isRunning ? () : nil }
    }

    /// Refuses further jobs; queued ones still run. Returns false if it was ended before. Returns at once.
    @discardableResult
    public func end() -> Bool {
        monitor.withLock { state in
            defer { state.isEnded = true }
            return !state.isEnded
        }
    }

    private func work() {
        while true {
            let job = monitor.change { state -> Job? in
                state.isRunning = !state.jobs.isEmpty
                return state.isRunning ? state.jobs.removeFirst() : nil
            }
            guard let job else { return }
            job(true)
        }
    }
}
