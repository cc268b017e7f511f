/// Runs operations one after the other, in the order in which they arrive. An operation that has begun is finished, even
/// if its caller is cancelled. Any task.
actor SerialTasks {
    private var last: Task<Void, Never>?

    /// Returns once the operations before this one, and then this one, are done.
    func run<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let before = last
        let task = Task<Value, any Error> {
            await before?.value
            return try await operation()
        }
        last = Task<Void, Never> { _ = await task.result }
        return try await task.value
    }
}
