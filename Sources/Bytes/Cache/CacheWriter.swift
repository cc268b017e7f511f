import Threads

/// The thread that writes to the cache, in the order of what it is given, and the cache itself, opened when it is first needed.
final class CacheWriter: Sendable {
    private enum Opening {
        case untouched, underWay
        case done(AssetStore?)
    }

    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isBusy = false
        var isRunning = false
        /// Nothing more is taken.
        var isEnded = false
        /// There was no thread for what was taken.
        var isLost = false
        var opening = Opening.untouched
    }

    let options: CacheOptions?
    private let notice: @Sendable (String) -> Void
    private let monitor = Monitor(State())

    init(_ options: CacheOptions?, notice: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.notice = notice
    }

    /// Has `job` run on the thread, after all that was given before. Returns at once; false if it is not taken: after `end`, and without a thread.
    @discardableResult
    func add(_ job: @escaping @Sendable () -> Void) -> Bool { put(job) && wake() }

    /// Puts `job` behind all that was given before; false after `end`, and without a thread. It runs once `wake` is called, or something is added.
    @discardableResult
    func put(_ job: @escaping @Sendable () -> Void) -> Bool {
        monitor.withLock { state in
            if !state.isEnded { state.jobs.append(job) }
            return !state.isEnded
        }
    }

    /// Starts the thread if there is something to do. False if no thread is to be had: what was put is then dropped, and whoever put it may not wait.
    func wake() -> Bool {
        let (mustStart, isLost) = monitor.withLock { state in
            guard !state.isRunning, !state.jobs.isEmpty else { return (false, state.isLost) }
            state.isRunning = true
            return (true, false)
        }
        guard mustStart else { return !isLost }
        if BlockingThread.start({ [self] in work() }) { return true }
        monitor.change { state in
            state.jobs = []
            (state.isRunning, state.isEnded, state.isLost) = (false, true, true)
        }
        notice("nothing is kept in the cache: the system has no thread left")
        return false
    }

    /// The cache; nil if there is none. Blocks while it is being opened: not for the main thread, nor the shared pool.
    func store() -> AssetStore? {
        guard let options else { return nil }
        let isMine = monitor.withLock { state in
            guard case .untouched = state.opening else { return false }
            state.opening = .underWay
            return true
        }
        guard isMine else {
            return monitor.wait { state -> AssetStore?? in
                guard case .done(let store) = state.opening else { return nil }
                return .some(store)
            } ?? nil
        }
        let store = AssetStore(options, notice: notice)
        monitor.change { $0.opening = .done(store) }
        return store
    }

    /// Waits until all is done, or `limit` has passed. Blocks.
    func drain(upTo limit: Duration) {
        _ = monitor.wait(upTo: limit) { state in state.jobs.isEmpty && !state.isBusy ? () : nil }
    }

    /// The thread ends once what it was given is done; the last thing it does is to write down the latest uses.
    func end() {
        add { [self] in
            let opened = monitor.withLock { state -> AssetStore? in
                guard case .done(let store) = state.opening else { return nil }
                return store
            }
            opened?.settle()
        }
        monitor.change { $0.isEnded = true }
    }

    /// Ends by itself when there is nothing to do: an idle flick has no thread for it, and a forgotten one none that stays.
    private func work() {
        while true {
            let job = monitor.change { state -> (@Sendable () -> Void)? in
                state.isBusy = !state.jobs.isEmpty
                guard !state.jobs.isEmpty else {
                    state.isRunning = false
                    return nil
                }
                return state.jobs.removeFirst()
            }
            guard let job else { return }
            job()
        }
    }
}
