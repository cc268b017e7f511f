import Cache
import Model
import Synchronization

/// Which requests of each asset failed and are being retried, and why: shown on the page of a waiting clip. Any thread.
final class Delays: Sendable {
    /// One request; a loader can have several.
    struct Request: Hashable {
        var key: AssetKey
        var transfer = 0
    }

    /// Why requests failed, by the asset's URL, the newest last.
    private let delays = Mutex<[String: [(request: Request, reason: BytesError)]]>([:])

    /// `request` failed and will be retried. Replaces its earlier failure.
    func begin(_ asset: String, _ request: Request, _ error: BytesError) {
        delays.withLock { delays in
            delays[asset, default: []].removeAll { $0.request == request }
            delays[asset, default: []].append((request, error))
        }
    }

    /// `request` got a response, or failed for good.
    func end(_ asset: String, _ request: Request) {
        delays.withLock { delays in
            delays[asset]?.removeAll { $0.request == request }
            if delays[asset]?.isEmpty == true { delays[asset] = nil }
        }
    }

    func begin(_ asset: String, _ key: AssetKey, _ error: BytesError) { begin(asset, Request(key: key), error) }
    func end(_ asset: String, _ key: AssetKey) { end(asset, Request(key: key)) }

    /// The newest failure in one line; nil if no request is being retried.
    func words(_ asset: String) -> String? {
        delays.withLock { $0[asset]?.last?.reason }.map { error in
            if case .busy(_, let wait) = error.reason {
                return "the server is busy; retrying in \(wait.components.seconds) s"
            }
            // Drops the advice after the semicolon: it applies only once flick has stopped retrying.
            return "retrying: \(error.why.prefix { $0 != ";" })"
        }
    }
}
