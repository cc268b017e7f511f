internal import NIOCore

extension Transport {
    /// Runs what asks for bytes and takes them in, on the thread that moves them: the shared pool is as narrow as the machine, and whoever blocks it would
    /// stop all transfers. `body` must not block either.
    static func task<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        Task(executorPreference: LoopExecutor.shared, operation: body)
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
