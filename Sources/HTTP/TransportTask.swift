import Threads

extension Transport {
    /// Runs `body`, which must not block, on the network's thread. The shared pool has one thread per core; code
    /// that blocks those threads would stop all transfers.
    package static func task<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        Task(executorPreference: NetworkThread.shared, operation: body)
    }

    /// Runs `body` as `task` does, and blocks until it is done. A cancellation cancels the task.
    package static func wait<Value: Sendable>(
        _ cancellation: Cancellation, _ body: @escaping @Sendable () async throws -> Value
    ) -> Result<Value, any Error> {
        let outcome = Monitor<Result<Value, any Error>?>(nil)
        let running = task {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.change { $0 = result }
        }
        let number = cancellation.onCancel { running.cancel() }
        defer { cancellation.forget(number) }
        return outcome.wait { $0 } ?? .failure(CancellationError())
    }
}
