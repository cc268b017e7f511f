import Synchronization

/// The current titles of the radios that are being read, by the URLs of their assets. Any thread.
final class RadioTitles: Sendable {
    private let titles = Mutex<[String: String]>([:])

    subscript(asset: String) -> String? { titles.withLock { $0[asset] } }

    /// nil: the radio does not say.
    func set(_ title: String?, of asset: String) { titles.withLock { $0[asset] = title } }

    func remove(_ asset: String) { set(nil, of: asset) }
}
