import Threads

/// When a process that ended too soon may be started again: after a pause that
/// doubles from one failure to the next. The caller passes the time. A value.
public struct RestartPause: Equatable, Sendable {
    /// After the first failure.
    public static let first = Duration.milliseconds(100)
    public static let longest = Duration.seconds(30)

    /// Not before this time; nil: at once.
    public private(set) var due: Duration?
    private var backoff = Backoff(from: RestartPause.first, upTo: RestartPause.longest)

    public init() {}

    /// A process has ended before it was useful.
    public mutating func failed(now: Duration) { due = now + backoff.next() }

    /// A process is useful: the next failure counts as the first.
    public mutating func worked() { self = RestartPause() }

    public func mayStart(now: Duration) -> Bool { due.map { now >= $0 } ?? true }
}
