import NIOPosix
import Threads

/// Takes orders for the store from the tasks of requests, which must not block. Any thread.
///
/// One thread writes. What has come while it wrote goes into the next transaction
/// together, so that a disk that needs milliseconds for one does not limit how many
/// requests are answered. An order's answer comes after its transaction is on disk.
final class StoreQueue: Sendable {
    private struct Order {
        var write: ServiceWrite
        var answer: CheckedContinuation<WriteOutcome, any Error>
    }

    private struct State {
        var orders: [Order] = []
        var isEnded = false
        var isRunning = false
    }

    /// The most orders of a transaction, and the most that wait for one.
    static let batchLimit = 1_000
    static let waitingLimit = 20_000

    private let store: any ServiceStore
    private let state = Monitor(State())
    private let readers: NIOThreadPool

    init(_ store: any ServiceStore) {
        self.store = store
        readers = NIOThreadPool(numberOfThreads: 2)
        readers.start()
    }

    /// How many orders wait for a transaction. For tests.
    var waiting: Int { state.withLock(\.orders.count) }

    /// Saves one write, and returns once it is saved. Throws `ServiceError`.
    func write(_ write: ServiceWrite) async throws -> WriteOutcome {
        try await withCheckedThrowingContinuation { answer in
            enum Next { case refuse, start, wait }
            let next: Next = state.change { state in
                guard !state.isEnded, state.orders.count < Self.waitingLimit else { return .refuse }
                state.orders.append(Order(write: write, answer: answer))
                guard !state.isRunning else { return .wait }
                state.isRunning = true
                return .start
            }
            switch next {
            case .refuse: answer.resume(throwing: ServiceError(why: "too many writes are waiting"))
            case .wait: break
            case .start:
                BlockingThread.start { [self] in work() }
            }
        }
    }

    /// Reads on a thread that may block.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any ServiceStore) throws -> Value) async throws -> Value {
        let store = store
        return try await readers.runIfActive { try body(store) }
    }

    /// Refuses further orders; those that wait are still kept. Returns once they are, or after `limit`.
    func end(upTo limit: Duration) async {
        state.change { $0.isEnded = true }
        await withCheckedContinuation { done in
            BlockingThread.start { [state] in
                _ = state.wait(upTo: limit) { $0.orders.isEmpty && !$0.isRunning ? () : nil }
                done.resume()
            }
        }
        await readers.end()
    }

    private func work() {
        while true {
            let batch: [Order]? = state.wait { state in
                if !state.orders.isEmpty {
                    let batch = Array(state.orders.prefix(Self.batchLimit))
                    state.orders.removeFirst(batch.count)
                    return .some(batch)
                }
                return state.isEnded ? .some([]) : nil
            }
            guard let batch, !batch.isEmpty else {
                state.change { $0.isRunning = false }
                return
            }
            do throws(ServiceError) {
                let outcomes = try store.apply(batch.map(\.write))
                for (order, outcome) in zip(batch, outcomes) { order.answer.resume(returning: outcome) }
            } catch {
                for order in batch { order.answer.resume(throwing: error) }
            }
        }
    }
}
