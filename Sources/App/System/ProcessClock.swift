/// The time since the process started: monotonic, and the `now` that flick's decisions use. A value.
public struct ProcessClock: Sendable {
    private let start: ContinuousClock.Instant

    public init() { start = .now }

    public var now: Duration { ContinuousClock.now - start }
}
