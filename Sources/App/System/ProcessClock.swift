/// The time since the process began to run its own code: monotonic, and the `now` that policies are given.
public struct ProcessClock: Sendable {
    private let start: ContinuousClock.Instant

    public init() { start = .now }

    public var now: Duration { ContinuousClock.now - start }
}
