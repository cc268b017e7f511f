import Synchronization

/// A clock that only a test moves on. Any thread.
public final class ManualClock: Sendable {
    private let time = Mutex(Duration.zero)

    public init() {}

    public var now: Duration { time.withLock { $0 } }

    public func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
