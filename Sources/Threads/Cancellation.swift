import Synchronization

/// Ends a blocking call, such as a read, whose result is no longer wanted. Cancelling is final. Any thread.
public final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var handlers: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
    }

    /// Whether the caller of the blocking call has something else to do until it tries again, if the call fails.
    public let isPatient: Bool
    private let state = Mutex(State())

    public init(isPatient: Bool = false) { self.isPatient = isPatient }

    public var isCancelled: Bool { state.withLock(\.isCancelled) }

    public func cancel() {
        let handlers = state.withLock { state in
            state.isCancelled = true
            defer { state.handlers = [:] }
            return Array(state.handlers.values)
        }
        for handler in handlers { handler() }
    }

    /// Calls `handler` once: on the thread that cancels, or at once if it is
    /// cancelled already. Returns a number for `forget`.
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.lastNumber += 1
            state.handlers[state.lastNumber] = handler
            return state.lastNumber
        }
        if number == nil { handler() }
        return number ?? 0
    }

    /// Removes the handler with that number. It can still be running.
    public func forget(_ number: Int) { state.withLock { $0.handlers[number] = nil } }
}
