import Engagement
import Feeds
import Model

extension FeedOptions.Mix {
    /// Mixes by what was seen in earlier sessions. What cannot be read was not seen: the recorder tells of it. Blocks
    /// on the disk when it is asked.
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
