internal import NIOCore
import Threads

extension Transport {
    /// Runs `body`, which must not block, on the event loop's thread. The shared pool has one thread per core; code
    /// that blocks those threads would stop all transfers.
    package static func task<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        Task(executorPreference: LoopExecutor.shared, operation: body)
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

/// Runs tasks on the event loop's thread.
private final class LoopExecutor: TaskExecutor {
    static let shared = LoopExecutor(loop: HTTPClients.loops.any())

    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
