import Model
import Threads

/// Sends the messages for services that wait in the store, one after the other, on its own
/// thread, which runs only while messages wait. Any thread.
public final class MessageSender: Sendable {
    private struct State {
        var store: Store?
        /// Nothing was done with the store yet.
        var isNew = false
        /// The thread looks for messages, or waits for one that is due later.
        var isRunning = false
        /// Something new may be there.
        var isWoken = false
        /// It waits until a message is due.
        var isWaiting = false
        var isClosed = false
    }

    private let state = Monitor(State())
    private let send: @Sendable (QueuedMessage) -> SendOutcome
    private let settled: @Sendable (QueuedMessage, SendOutcome, Rollback?) -> Void
    private let now: @Sendable () -> Double
    private let jitter: @Sendable () -> Double

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - jitter: 0 ..< 1, a new value each time.
    ///   - send: sends one message on the sender's thread, which it may block. It must end soon after `close`.
    ///   - settled: receives, on that thread, the outcome of each message, and what holds again if it was refused.
    public init(
        now: @escaping @Sendable () -> Double, jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        send: @escaping @Sendable (QueuedMessage) -> SendOutcome,
        settled: @escaping @Sendable (QueuedMessage, SendOutcome, Rollback?) -> Void
    ) {
        (self.now, self.jitter, self.send, self.settled) = (now, jitter, send, settled)
    }

    /// Starts to send the messages that wait in `store`. Returns at once.
    func begin(_ store: Store) {
        state.withLock { ($0.store, $0.isNew) = (store, true) }
        wake()
    }

    /// There may be something new to send. Returns at once.
    public func wake() {
        let starts = state.change { state in
            guard !state.isClosed, state.store != nil else { return false }
            state.isWoken = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { BlockingThread.start { [self] in run() } }
    }

    /// The name that a service knows the user by; nil if it has none yet, or if it cannot be read. Blocks on the disk.
    public func viewer(at endpoint: String) -> String? {
        let store = state.withLock { $0.store }
        do throws(StoreError) {
            return try store?.viewer(at: endpoint)
        } catch {
            // `LibraryWriter` gets the same error with its next change, and reports it.
            return nil
        }
    }

    /// Nothing more is sent, but what is under way. Waits for that. Blocks, for `limit` at most.
    public func close(within limit: Duration) {
        state.change { $0.isClosed = true }
        _ = state.wait(upTo: limit) { $0.isRunning ? nil : () }
    }

    /// Waits until nothing is left that could be sent now. Blocks, for `limit` at most.
    public func drain(within limit: Duration) {
        _ = state.wait(upTo: limit) { $0.isRunning && (!$0.isWaiting || $0.isWoken) ? nil : () }
    }

    private func run() {
        var backoff = Store.backoff
        while let (store, isNew) = next() {
            do throws(StoreError) {
                if isNew {
                    try store.endPauses(now: now())
                    state.withLock { $0.isNew = false }
                }
                let (message, next) = try store.nextMessage(now: now())
                backoff.reset()
                if let message {
                    try deliver(message, store)
                } else if !pause(until: next) {
                    return
                }
            } catch {
                // `LibraryWriter` gets the same error with its next change, and reports it.
                guard pause(until: now() + backoff.next().seconds) else { return }
            }
        }
    }

    /// The store, and whether nothing was done with it yet; nil: it is over.
    private func next() -> (store: Store, isNew: Bool)? {
        state.change { state in
            state.isWoken = false
            if state.isClosed { state.isRunning = false }
            guard !state.isClosed, let store = state.store else { return nil }
            return (store, state.isNew)
        }
    }

    private func deliver(_ message: QueuedMessage, _ store: Store) throws(StoreError) {
        let outcome = send(message)
        let undone = try store.settle(message, outcome, now: now(), jitter: jitter())
        settled(message, outcome, undone)
    }

    /// Waits until something new is there, or until then. False: there is nothing to wait for, and the thread ends.
    private func pause(until next: Double?) -> Bool {
        guard let next else {
            return state.change { state in
                // A message may have come since the last query.
                state.isRunning = state.isWoken && !state.isClosed
                return state.isRunning
            }
        }
        state.change { $0.isWaiting = true }
        _ = state.wait(upTo: .seconds(max(0, next - now()))) { $0.isWoken || $0.isClosed ? () : nil }
        state.change { $0.isWaiting = false }
        return true
    }
}
