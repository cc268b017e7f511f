import Bytes
import Engagement
import Feeds
import Model

/// How many items of a source were not seen yet. A value.
struct UnseenCount: Equatable {
    /// The most items of a source to look at, from its first one on.
    static let most = 1_000

    /// How many items were looked at.
    var known: Int
    var unseen: Int

    /// "12 new".
    var text: String {
        if unseen == 0 { return "nothing new" }
        return "\(unseen)\(known == Self.most ? "+" : "") new"
    }

    /// The counts of sources; nil where nothing is kept. Reads what `provider`
    /// has, and the library once. Blocks on the disk.
    ///
    /// - Parameter libraryPath: of the file of what flick remembers; nil if it remembers nothing.
    static func counts(
        of sources: [FeedSource], provider: any ByteProvider, options: FeedOptions, libraryPath: String?
    ) throws(AppError) -> [UnseenCount?] {
        let answers = readEach(of: sources, atOnce: 4, provider: provider, options: options) { feed in
            (0..<min(feed.items.count, most)).map { ItemKey(feed.items[$0]) }
        }
        let keys = zip(sources, answers).map { source, answer in
            switch answer {
            case .success(let keys): keys
            case .failure: [clip(source)]
            }
        }
        let store = try openLibrary(libraryPath)
        let seen = try store.map { store throws(AppError) in
            try readingLibrary { () throws(StoreError) in try store.seen(among: keys.flatMap(\.self)) }
        }
        return zip(keys, answers).map { keys, answer in
            let unseen = keys.count { seen?.contains($0) != true }
            if case .failure = answer, unseen > 0 { return nil }
            return UnseenCount(known: keys.count, unseen: unseen)
        }
    }

    /// A source of which nothing is kept, if it is one clip: of a live stream
    /// flick knows no more than that it was played.
    private static func clip(_ source: FeedSource) -> ItemKey {
        ItemKey(scope: "", id: ItemID.hash(of: source.text))
    }
}
