import Cache
import HTTP
import Model
import Synchronization

/// Texts that a server wants left alone for a while (`Retry-After`): who asks again before is told so, and the server is not asked. A minute at most, and
/// the 64 newest. Any thread.
final class RetryAfterCache: Sendable {
    private struct Rest {
        var error: BytesError
        var end: Duration
    }

    private let rests = Mutex(Recent<AssetKey, Rest>(limit: 64))

    /// What the server was last heard to say, if the time it asked for is not over.
    func refusal(_ key: AssetKey?, at now: Duration) -> BytesError? {
        let rest = rests.withLock { rests in key.flatMap { rests.peek($0) } }
        return rest.flatMap { now < $0.end ? $0.error : nil }
    }

    /// Notes what asking failed with, if it was that.
    func note(_ error: any Error, _ key: AssetKey?, at now: Duration) {
        guard let key, let error = error as? BytesError, case .busy(_, let wait) = error.reason else { return }
        rests.withLock { rests in
            rests[key] = Rest(error: error, end: now + min(wait, RetryAfter.most))
            _ = rests.trim()
        }
    }
}
