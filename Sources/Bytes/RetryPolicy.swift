/// When a failed transfer is tried again (L8). Pure.
struct RetryPolicy: Sendable {
    enum Failure: Equatable, Sendable {
        case status(Int, retryAfter: Duration?)
        /// The connection was cut, or stalled, after some bytes had come (`progress`) or before.
        case dropped(progress: Bool)
        /// Nothing answers there: no route, no name, refused.
        case unreachable
    }

    init() {}
    /// How long to wait before the next attempt; nil: give up. `jitter` is 0 ..< 1.
    mutating func delay(after failure: Failure, jitter: Double) -> Duration? { fatalError("to come") }
}
