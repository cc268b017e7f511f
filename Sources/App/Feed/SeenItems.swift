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
    ///   - lookups: those of the same file.
    static func unseenFirst(
        path: String?, within limit: Duration = BriefLookup.limit, lookups: BriefLookup = BriefLookup()
    ) -> FeedOptions.Mix {
        FeedOptions.Mix { items in
            let keys = items.map { ItemKey($0) }
            guard let path, Store.exists(at: path) else { return keys.map { _ in false } }
            let seen = lookups.run(within: limit) { () -> Set<ItemKey> in
                do throws(StoreError) { return try Store(reading: path).seen(among: keys) } catch { return [] }
            }
            return keys.map { seen?.contains($0) == true }
        }
    }

    /// What was not seen comes first, and then the newest, whichever source it is of. Waits longer for sources than a
    /// home feed does: what comes later follows at the end, however new it is.
    static func newestFirst(path: String?, lookups: BriefLookup = BriefLookup()) -> FeedOptions.Mix {
        var mix = unseenFirst(path: path, within: .milliseconds(500), lookups: lookups)
        (mix.order, mix.patience) = (.newest, .seconds(6))
        return mix
    }
}

/// Which items of a feed are fetched: those that were not seen, in the feed's order, then the others. A value.
struct FetchChoice {
    /// The most items to look at: a feed can be endless, and all of it seen.
    static let considered = 1_000

    let limit: Int
    private(set) var unseen: [Item] = []
    private(set) var seen: [Item] = []

    init(limit: Int) { self.limit = limit }

    /// Whether further items make no difference.
    var isComplete: Bool { unseen.count == limit || unseen.count + seen.count >= max(limit, Self.considered) }

    mutating func add(_ item: Item, wasSeen: Bool) { if wasSeen { seen.append(item) } else { unseen.append(item) } }

    var items: [Item] { unseen + seenOnes }

    /// What was chosen; nil where it needs no words.
    var summary: String? {
        seenOnes.isEmpty
            ? nil : "\(unseen.isEmpty ? "nothing" : "\(unseen.count)") new; \(seenOnes.count) watched before"
    }

    private var seenOnes: ArraySlice<Item> { seen.prefix(limit - unseen.count) }
}
