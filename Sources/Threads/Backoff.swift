/// Pauses between attempts: each failure makes the next one longer, up to a limit. A value; the caller keeps the times.
public struct Backoff: Equatable, Sendable {
    /// The pause after the first failure.
    public let first: Duration
    public let longest: Duration
    /// By how much a pause is longer than the one before.
    public let factor: Int
    /// Since the last success.
    private var failures = 0

    public init(from first: Duration, upTo longest: Duration, factor: Int = 2) {
        (self.first, self.longest, self.factor) = (first, longest, factor)
    }

    /// The pause before the next attempt.
    public var pause: Duration { pause(after: failures) }

    /// The pause when it failed `failures` times before this failure: for callers that count for themselves.
    ///
    /// - Parameter jitter: 0 ..< 1. The pause is then between half and all of the usual one, so that clients that
    ///   failed together do not return together.
    public func pause(after failures: Int, jitter: Double? = nil) -> Duration {
        var (pause, left) = (first, failures)
        while left > 0, pause < longest { (pause, left) = (pause * factor, left - 1) }
        pause = min(pause, longest)
        return jitter.map { pause * (0.5 + 0.5 * $0) } ?? pause
    }

    /// An attempt has failed. Returns the pause before the next one.
    public mutating func next() -> Duration {
        defer { grow() }
        return pause
    }

    /// The next pause is longer.
    public mutating func grow() { failures += 1 }

    /// An attempt has succeeded: the next failure counts as the first.
    public mutating func reset() { failures = 0 }
}
