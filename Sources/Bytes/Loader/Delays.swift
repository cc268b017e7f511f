import Cache
import Model
import Synchronization

/// Which requests for an asset failed and are being tried again, and why: for the page that waits. Any thread.
final class Delays: Sendable {
    /// A request: a loader may have several.
    struct Request: Hashable {
        var key: AssetKey
        var transfer = 0
    }

    /// Why requests failed, by the asset's URL, the newest last.
    private let delays = Mutex<[String: [(request: Request, reason: BytesError)]]>([:])

    /// `request` failed and will be tried again. Replaces why it failed before.
    func begin(_ asset: String, _ request: Request, _ error: BytesError) {
        delays.withLock { delays in
            delays[asset, default: []].removeAll { $0.request == request }
            delays[asset, default: []].append((request, error))
        }
    }

    /// The request was answered, or is given up.
    func end(_ asset: String, _ request: Request) {
        delays.withLock { delays in
            delays[asset]?.removeAll { $0.request == request }
            if delays[asset]?.isEmpty == true { delays[asset] = nil }
        }
    }

    func begin(_ asset: String, _ key: AssetKey, _ error: BytesError) { begin(asset, Request(key: key), error) }
    func end(_ asset: String, _ key: AssetKey) { end(asset, Request(key: key)) }

    /// Why the newest failed, in one line; nil: none did.
    func words(_ asset: String) -> String? {
        delays.withLock { $0[asset]?.last?.reason }.map { error in
            if case .busy(_, let wait) = error.reason { return "the server asks to wait \(wait.components.seconds) s" }
            // Without what the user might do: that comes when flick has given up.
            return "trying again: \(error.why.prefix { $0 != ";" })"
        }
    }
}
