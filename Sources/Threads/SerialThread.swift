/// A queue of jobs that run one after the other on a thread that may block. Any thread adds jobs. An empty queue holds
/// no thread.
public final class SerialThread: Sendable {
    public typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var isRunning = false
        /// Whether new jobs are refused.
        var isEnded = false
    }

    private let monitor = Monitor(State())

    public init() {}

    /// Queues `job` behind all earlier ones. Returns false after `end`; the job is then never called. The job waits for
    /// `wake`. Returns at once, so it may be called under a lock.
    public func put(_ job: @escaping Job) -> Bool {
        monitor.withLock { state in
            if !state.isEnded { state.jobs.append(job) }
            return !state.isEnded
        }
    }

    /// Starts the thread if there are jobs. Returns at once; do not call it under a lock.
    public func wake() {
        let mustStart = monitor.withLock { state in
            guard !state.isRunning, !state.jobs.isEmpty else { return false }
            state.isRunning = true
            return true
        }
        if mustStart { BlockingThread.start { [self] in work() } }
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
            job()
        }
    }
}
