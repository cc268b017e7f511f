import Synchronization

/// Why what was asked for on behalf of an asset has not come yet, and is being asked for again: for the page that waits. Any thread.
final class Delays: Sendable {
    /// By the asset's URL: whose request it was, and what it failed for. The newest counts.
    private let delays = Mutex<[String: (key: AssetKey, reason: BytesError)]>([:])

    func begin(_ asset: String, _ key: AssetKey, _ error: BytesError) { delays.withLock { $0[asset] = (key, error) } }

    /// The request was answered, or is over.
    func end(_ asset: String, _ key: AssetKey) {
        delays.withLock { if $0[asset]?.key == key { $0[asset] = nil } }
    }

    /// In words, a line; nil: nothing failed.
    func words(_ asset: String) -> String? {
        delays.withLock { $0[asset]?.reason }.map { error in
            if case .busy(_, let wait) = error.reason { return "the server asks to wait \(wait.components.seconds) s" }
            // Without what the user might do: that comes when flick has given up.
            return "trying again: \(error.why.prefix { $0 != ";" })"
        }
    }
}
