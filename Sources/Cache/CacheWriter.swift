import Threads

/// Opens the cache when it is first needed, and runs the thread that writes to it, one job after the other. Any thread.
package final class CacheWriter: Sendable {
    private enum Opening {
        case untouched, underWay
        case done(AssetStore?)
    }

    package let options: CacheOptions?
    private let notice: @Sendable (String) -> Void
    private let opening = Monitor(Opening.untouched)
    private let thread = SerialThread()

    package init(_ options: CacheOptions?, notice: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.notice = notice
    }

    /// Runs `job` on the thread, after all jobs added before. Returns false after `end`; the job is then never called.
    /// Returns at once.
    @discardableResult
    package func add(_ job: @escaping SerialThread.Job) -> Bool {
        guard put(job) else { return false }
        wake()
        return true
    }

    /// Queues `job` behind all jobs added before. Returns false after `end`; the job is then never called. It starts
    /// with the next `wake` or `add`.
    package func put(_ job: @escaping SerialThread.Job) -> Bool { thread.put(job) }

    /// Starts the thread if there are jobs. Do not call it under a lock.
    package func wake() { thread.wake() }

    /// The cache; nil without one. Blocks while it is being opened: do not
    /// call it on the main thread or the shared pool.
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

    /// The cache, if it is open already. Does not block.
    package var opened: AssetStore? {
        opening.withLock { opening in
            guard case .done(let store) = opening else { return nil }
            return store
        }
    }

    /// Waits until all jobs are done, or until `limit` has passed. Blocks.
    package func drain(upTo limit: Duration) { thread.drain(upTo: limit) }

    /// The thread ends once its jobs are done. Its last job writes the latest uses to the index.
    package func end() {
        add { [self] in
            opened?.writeUses()
        }
        thread.end()
    }
}
