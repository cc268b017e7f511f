import Engagement
import Feeds
import Model

extension FeedOptions.Mix {
    /// Puts items first that were not seen in earlier sessions. All count as unseen if the library cannot be read: the
    /// recorder reports the error. The mix blocks on the disk when it runs.
    ///
    /// - Parameters:
    ///   - path: of the file of what flick remembers; nil if it remembers nothing.
    ///   - limit: with more time, nothing counts as seen.
    static func unseenFirst(path: String?, within limit: Duration = BriefLookup.limit) -> FeedOptions.Mix {
        FeedOptions.Mix { items in
            let keys = items.map { ItemKey($0) }
            guard let path, Store.exists(at: path) else { return keys.map { _ in false } }
            let seen = BriefLookup.run(within: limit) { () -> Set<ItemKey> in
                do throws(StoreError) { return try Store(reading: path).seen(among: keys) } catch { return [] }
            }
            return keys.map { seen?.contains($0) == true }
        }
    }
}
