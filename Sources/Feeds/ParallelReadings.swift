import Threads

/// Computes slow values on a few separate threads. One thread reads the results.
final class ParallelReadings<Value: Sendable>: Sendable {
    private struct State {
        /// The first value that no thread computes yet.
        var next = 0
        var results: [Value?]
        /// The system has threads for them.
    }

    private let count: Int
    private let state: Monitor<State>
    private let make: @Sendable (Int) -> Value

    /// Begins to make the values of the places 0 ..< `count`, at most `atOnce` at a time, in their order.
    init(count: Int, atOnce: Int, make: @escaping @Sendable (Int) -> Value) {
        self.count = count
        self.make = make
        state = Monitor(State(results: Array(repeating: nil, count: count)))
        for _ in 0..<min(count, atOnce) {
            BlockingThread.start { [self] in while makeNext() {} }
        }
    }

    /// The value of a place. Blocks until it is there.
    func result(_ place: Int) -> Value {
        // Without a limit it returns with a value only.
        return state.wait { $0.results[place] }!
    }

    /// The values that are there once `isEnough` says so, or once `limit` has passed. Blocks.
    func results(upTo limit: Duration? = nil, once isEnough: ([Value?]) -> Bool) -> [Value?] {
        let found = state.wait(upTo: limit) { isEnough($0.results) ? $0.results : nil }
        return found ?? state.withLock(\.results)
    }

    /// Computes the next value. Returns false if all have been started.
    private func makeNext() -> Bool {
        let place = state.withLock { state -> Int? in
            guard state.next < count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
        guard let place else { return false }
        let value = make(place)
        state.change { $0.results[place] = value }
        return true
    }
}
