import Threads

/// Tells of what came, in order, on a thread that may block: what is told goes to files, and the event loop does not wait for those. The thread ends
/// when there is nothing to tell.
final class Reporter: Sendable {
    private struct State {
        var fetches: [Fetch] = []
        var isRunning = false
    }

    private let tell: @Sendable (Fetch) -> Void
    private let monitor = Monitor(State())

    init(_ tell: @escaping @Sendable (Fetch) -> Void) { self.tell = tell }

    /// Returns at once.
    func add(_ fetch: Fetch) {
        let mustStart = monitor.change { state in
            state.fetches.append(fetch)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Where no thread is to be had it waits for the next one.
        if mustStart, !BlockingThread.start({ [self] in work() }) { monitor.change { $0.isRunning = false } }
    }

    /// Waits until all is told, or `limit` has passed. Blocks.
    func drain(upTo limit: Duration) { _ = monitor.wait(upTo: limit) { $0.isRunning ? nil : () } }

    private func work() {
        while true {
            let fetches = monitor.change { state in
                defer { state.fetches = [] }
                state.isRunning = !state.fetches.isEmpty
                return state.fetches
            }
            if fetches.isEmpty { return }
            for fetch in fetches { tell(fetch) }
        }
    }
}
