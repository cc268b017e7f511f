import Threads

/// Writes to the store, and reads from it, on its own thread: the page never waits for the disk. Any thread.
///
/// The first job opens the file. Changes that cannot be written now are kept, up to a limit, and tried again after
/// a pause, with the next ones, and on closing.
public final class LibraryWriter: Sendable {
    fileprivate struct State {
        var store: Store?
        /// Changes that are not written yet, the oldest first.
        var waiting: [Change] = []
        /// The thread is writing changes.
        var isWriting = false
        /// A job that will write them is queued.
        var isScheduled = false
        /// The errors that the user has seen.
        var reported: Set<StoreError> = []
        /// This version of flick cannot use the file.
        var isUseless = false
        /// A thread waits to try again.
        var isPausing = false
        var backoff = Store.backoff
        var isClosed = false
    }

    private let path: String
    private let state = Monitor(State())
    private let thread = SerialThread()
    private let lock = LockWait()
    private let report: @Sendable (String) -> Void
    /// Sends messages to services; nil if services get none.
    private let sender: MessageSender?

    /// - Parameters:
    ///   - sender: receives the store as soon as it is open, and is woken when there is something new to send.
    ///   - report: receives one line, on any thread, when something is wrong with the file: once for each error.
    public init(path: String, sender: MessageSender? = nil, report: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.sender = sender
        self.report = report
    }

    /// Remembers. Returns at once.
    public func note(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        let begins = state.withLock { state in
            guard !state.isUseless else { return false }
            state.waiting += changes
            state.forgetOldest()
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // One job writes all that waits by then.
        if begins { run { $0.write() } }
    }

    /// Reads something from the store, and passes it on: on the recorder's thread, after all that was noted before.
    ///
    /// - Parameter otherwise: called in place of `then` if nothing can be read.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (Store) throws(StoreError) -> Value,
        otherwise: @escaping @Sendable () -> Void = {}, then: @escaping @Sendable (Value) -> Void
    ) {
        run { recorder in
            recorder.write()
            var value: Value?
            recorder.trying { () throws(StoreError) in
                guard let store = try recorder.opened() else { return }
                value = try body(store)
            }
            if let value { then(value) } else { otherwise() }
        }
    }

    /// Writes what is left. Blocks, for `limit` at most. Returns false if
    /// something could not be written, or not in time.
    ///
    /// - Parameter lockLimit: how long another process may keep the file locked: a slow disk, or another flick that
    ///   writes, is waited for longer.
    @discardableResult
    public func close(within limit: Duration, lockLimit: Duration = .seconds(20)) -> Bool {
        state.change { $0.isClosed = true }
        run { $0.write() }
        var left = limit
        repeat {
            thread.drain(upTo: min(left, .milliseconds(50)))
            left -= .milliseconds(50)
        } while !isWritten && left > .zero && lock.length < lockLimit
        thread.end()
        return isWritten
    }

    private var isWritten: Bool { state.withLock { $0.waiting.isEmpty && !$0.isWriting } }

    /// Waits until all that was noted is written, or could not be, so that readers of the file find it. Returns at once
    /// if nothing waits. Blocks, for `limit` at most.
    public func flush(within limit: Duration) {
        _ = state.wait(upTo: limit) { $0.isScheduled || $0.isWriting ? nil : () }
    }

    private func run(_ job: @escaping @Sendable (LibraryWriter) -> Void) {
        if thread.put({ [self] in job(self) }) { thread.wake() }
    }

    /// On the thread: writes all that waits.
    private func write() {
        let changes = state.change { state in
            defer { (state.waiting, state.isScheduled, state.isWriting) = ([], false, !state.waiting.isEmpty) }
            return state.waiting
        }
        guard !changes.isEmpty else { return }
        defer { state.change { $0.isWriting = false } }
        let isWritten = trying { () throws(StoreError) in
            guard let store = try opened() else { return }
            let hasMessages = try store.apply(changes, queuesMessages: sender != nil)
            if hasMessages { sender?.wake() }
        }
        guard !isWritten else { return state.withLock { $0.backoff.reset() } }
        let pause = state.withLock { state -> Duration? in
            state.waiting.insert(contentsOf: changes, at: 0)
            state.forgetOldest()
            guard !state.isPausing, !state.isClosed, !state.waiting.isEmpty else { return nil }
            state.isPausing = true
            return state.backoff.next()
        }
        if let pause { BlockingThread.start { [self] in write(after: pause) } }
    }

    /// On another thread than the writer's, so that reads do not wait.
    private func write(after pause: Duration) {
        _ = state.wait(upTo: pause) { $0.isClosed ? () : nil }
        state.withLock { $0.isPausing = false }
        run { $0.write() }
    }

    /// nil if this version of flick cannot use the file.
    private func opened() throws(StoreError) -> Store? {
        let (known, isUseless) = state.withLock { ($0.store, $0.isUseless) }
        if known != nil || isUseless { return known }
        do throws(StoreError) {
            let store = try Store(path: path, lock: lock)
            state.withLock { $0.store = store }
            sender?.begin(store)
            if let file = store.damagedFile {
                report("flick's database was damaged; a copy is in '\(file)', and a new one was created")
            }
            return store
        } catch {
            if error == .newer || error == .foreign { state.withLock { $0.isUseless = true } }
            throw error
        }
    }

    /// Returns false and reports the error if `body` throws.
    @discardableResult
    private func trying(_ body: () throws(StoreError) -> Void) -> Bool {
        do throws(StoreError) {
            try body()
            return true
        } catch {
            let isNew = state.withLock { $0.reported.insert(error).inserted }
            if isNew { report("cannot save to '\(path)': \(error)") }
            return false
        }
    }
}

extension LibraryWriter.State {
    /// More is not kept while nothing can be written: some hours of watching.
    private static let maxWaiting = 10_000

    fileprivate mutating func forgetOldest() {
        waiting.removeFirst(max(0, waiting.count - (isUseless ? 0 : Self.maxWaiting)))
    }
}
