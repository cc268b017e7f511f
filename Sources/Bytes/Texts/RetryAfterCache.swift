import Cache
import HTTP
import Model
import Synchronization

/// Remembers texts that a server asked not to request for a while (`Retry-After`): until then, requests fail at once
/// with the server's error. For a minute at most, and for the 64 newest. Any thread.
final class RetryAfterCache: Sendable {
    private struct Refusal {
        var error: BytesError
        var end: Duration
    }

    private let refusals = Mutex(Recent<AssetKey, Refusal>(limit: 64))

    /// The server's last error, if the time that it asked for is not over.
    func refusal(_ key: AssetKey?, at now: Duration) -> BytesError? {
        let refusal = refusals.withLock { refusals in key.flatMap { refusals.peek($0) } }
        return refusal.flatMap { now < $0.end ? $0.error : nil }
    }

    /// Remembers an error if it contains a server's wish to wait.
    func note(_ error: any Error, _ key: AssetKey?, at now: Duration) {
        guard let key, let error = error as? BytesError, case .busy(_, let wait) = error.reason else { return }
        refusals.withLock { refusals in
            refusals[key] = Refusal(error: error, end: now + min(wait, RetryAfter.most))
            _ = refusals.trim()
        }
    }
}
