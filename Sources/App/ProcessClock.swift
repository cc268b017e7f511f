#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time since the process began to run its own code: monotonic, and the `now` that policies are given.
public struct ProcessClock: Sendable {
    private let start: ContinuousClock.Instant

    public init() { start = .now }

    public var now: Duration { ContinuousClock.now - start }
}

extension Duration {
    /// In seconds, as a real number.
    public var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
