import Model
import Platform
import Synchronization
import Threads

/// How SQLite waits for a lock that another process has, and for how long it has done so. Any thread.
final class LockWait: Sendable {
    private static let backoff = Backoff(from: .milliseconds(1), upTo: .milliseconds(50))

    private struct Span {
        var first: ContinuousClock.Instant
        var last: ContinuousClock.Instant
    }

    private let limit: Duration
    private let span = Mutex<Span?>(nil)

    /// - Parameter limit: SQLite then reports that the file is busy.
    init(limit: Duration = .seconds(5)) { self.limit = limit }

    /// SQLite's busy handler: sleeps. Returns false at the limit.
    ///
    /// - Parameter tries: how often SQLite has tried before, for the same lock.
    func keepsWaiting(_ tries: Int) -> Bool {
        let now = ContinuousClock.now
        let first = span.withLock { span in
            let first = tries == 0 ? now : span?.first ?? now
            span = Span(first: first, last: now)
            return first
        }
        guard now - first < limit else { return false }
        // SQLite calls this on a thread that may block, and knows no other way to wait than to sleep.
        usleep(UInt32(Self.backoff.pause(after: tries).microseconds))
        return true
    }

    /// How long SQLite has waited by now; zero if it does not wait.
    var length: Duration {
        let now = ContinuousClock.now
        return span.withLock { span in
            // A thread may get no processor for some time after it has slept.
            guard let span, now - span.last < .milliseconds(200) else { return .zero }
            return now - span.first
        }
    }
}
