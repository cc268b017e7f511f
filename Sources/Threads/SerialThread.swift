/// Has one thing done after another on a thread that may block, in the order they were given. The thread ends by itself when there is nothing to do:
/// an idle flick has none, and a forgotten queue none that stays.
public final class SerialThread: Sendable {
    /// Called once: with true on the thread, or with false, by anybody, when it is given up because the system has no thread left. It is quick then.
    public typealias Job = @Sendable (_ runs: Bool) -> Void

    private struct State {
        var jobs: [Job] = []
        var isRunning = false
        /// Jobs are refused.
        var isEnded = false
    }

    private let monitor = Monitor(State())
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool

    /// `start` begins a thread; false if there is none.
    public init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = { BlockingThread.start($0) }) {
        self.start = start
    }

    /// Puts `job` behind all that was given before; false after `end`: it is then not called. It waits for `wake`. Returns at once, under any lock.
    public func put(_ job: @escaping Job) -> Bool {
        monitor.withLock { state in
            if !state.isEnded { state.jobs.append(job) }
            return !state.isEnded
        }
    }

    /// Starts the thread if there is something to do. False if no thread is to be had: all that was put, by whomever, is given up then. Not under a lock.
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

    /// Waits until all is done, or `limit` has passed. Blocks.
    public func drain(upTo limit: Duration) {
        _ = monitor.wait(upTo: limit) { state in state.jobs.isEmpty && !state.isRunning ? () : nil }
    }

    /// Refuses further jobs; those it has are done. False if it was ended before. Returns at once.
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
