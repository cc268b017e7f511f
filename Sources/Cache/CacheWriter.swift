import Threads

/// The cache, opened when it is first needed, and the thread that writes to it, one job after the other. Any thread.
package final class CacheWriter: Sendable {
    private enum Opening {
        case untouched, underWay
        case done(AssetStore?)
    }

    package let options: CacheOptions?
    private let notice: @Sendable (String) -> Void
    private let opening = Monitor(Opening.untouched)
    private let thread: SerialThread

    package init(
        _ options: CacheOptions?, thread: SerialThread = SerialThread(), notice: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.thread = thread
        self.notice = notice
    }

    /// Runs `job` on the thread, after all that were added before; not at all after `end`, or if the system has no thread left. Returns at once.
    package func add(_ job: @escaping @Sendable () -> Void) { add { (runs: Bool) in if runs { job() } } }

    /// The same for a job that wants to know: it is called with false, at once, if it does not run.
    package func add(_ job: @escaping SerialThread.Job) {
        guard put(job) else { return job(false) }
        wake()
    }

    /// Puts `job` behind all that were added before; false after `end`: it is then not called. It runs once `wake` is called, or something is added; it is
    /// called with false if there is no thread then.
    package func put(_ job: @escaping SerialThread.Job) -> Bool { thread.put(job) }

    /// Starts the thread if there is something to do. If the system has no thread left, all jobs are given up, and no more are accepted. Not under a
    /// lock.
    package func wake() {
        guard !thread.wake(), thread.end() else { return }
        notice("nothing is kept in the cache: the system has no thread left")
    }

    /// The cache; nil if there is none. Blocks while it is being opened: not for the main thread, nor the shared pool.
    package func store() -> AssetStore? {
        guard let options else { return nil }
        let isMine = opening.withLock { opening in
            guard case .untouched = opening else { return false }
            opening = .underWay
            return true
        }
        guard isMine else {
            return opening.wait { opening -> AssetStore?? in
                guard case .done(let store) = opening else { return nil }
                return .some(store)
            } ?? nil
        }
        let store = AssetStore(options, notice: notice)
        opening.change { $0 = .done(store) }
        return store
    }

    /// Waits until all is done, or `limit` has passed. Blocks.
    package func drain(upTo limit: Duration) { thread.drain(upTo: limit) }

    /// The thread ends once its jobs are done. Last of all it writes the latest uses to the index.
    package func end() {
        add { [self] in
            let opened = opening.withLock { opening -> AssetStore? in
                guard case .done(let store) = opening else { return nil }
                return store
            }
            opened?.writeUses()
        }
        thread.end()
    }
}
