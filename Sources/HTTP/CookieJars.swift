import Model
import Platform
import Synchronization

/// The cookies of the assets that were requested last, in memory only. What the servers of one asset have set is sent
/// with requests for that asset only, so that no server recognises the user from one clip to the next. Any thread.
final class CookieJars: Sendable {
    private struct Owner: Hashable {
        var url: String
        var feed: String?

        init(_ asset: Asset) { (url, feed) = (asset.url, asset.feed) }
    }

    private struct State {
        var jars: [Owner: (jar: CookieJar, used: Int)] = [:]
        /// Counts uses.
        var clock = 0
    }

    /// The most assets with cookies; those not used for longest go first.
    static let limit = 64

    private let state = Mutex(State())

    /// The cookies of a request for `asset` to `url`.
    func pairs(for url: RemoteURL, of asset: Asset) -> [CookieJar.Pair] {
        state.withLock { state in
            guard let jar = state.jars[Owner(asset)]?.jar else { return [] }
            state.clock += 1
            state.jars[Owner(asset)]?.used = state.clock
            return jar.pairs(for: url, now: Int64(time(nil)))
        }
    }

    /// Stores the `Set-Cookie` fields of a response from `url`.
    func store(_ fields: [String], from url: RemoteURL, of asset: Asset) {
        guard !fields.isEmpty else { return }
        state.withLock { state in
            state.clock += 1
            var jar = state.jars[Owner(asset)]?.jar ?? CookieJar()
            jar.store(fields, from: url, now: Int64(time(nil)))
            state.jars[Owner(asset)] = (jar, state.clock)
            guard state.jars.count > CookieJars.limit,
                let oldest = state.jars.min(by: { $0.value.used < $1.value.used })
            else { return }
            state.jars[oldest.key] = nil
        }
    }
}
