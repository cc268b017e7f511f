import Threads

/// The thread that writes to the cache, in the order of what it is given, and the cache itself, opened when it is first needed.
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

    /// Has `job` run on the thread, after all that was given before; nothing comes of it after `end`, and without a thread. Returns at once.
    package func add(_ job: @escaping @Sendable () -> Void) { add { (runs: Bool) in if runs { job() } } }

    /// The same for a job that is to know: it is called with false, at once, where it does not run.
    package func add(_ job: @escaping SerialThread.Job) {
        guard put(job) else { return job(false) }
        wake()
    }

    /// Puts `job` behind all that was given before; false after `end`: it is then not called. It runs once `wake` is called, or something is added, and is
    /// called with false if there is no thread then.
    package func put(_ job: @escaping SerialThread.Job) -> Bool { thread.put(job) }

    /// Starts the thread if there is something to do. If no thread is to be had, all that was put is given up, and nothing is taken any more. Not under
    /// a lock.
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

    /// The thread ends once what it was given is done; the last thing it does is to write down the latest uses.
    package func end() {
        add { [self] in
            let opened = opening.withLock { opening -> AssetStore? in
                guard case .done(let store) = opening else { return nil }
                return store
            }
            opened?.settle()
        }
        thread.end()
    }
}
