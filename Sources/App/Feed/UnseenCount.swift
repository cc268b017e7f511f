import Bytes
import Engagement
import Feeds
import Model

/// How many items of a source were not seen yet. A value.
struct UnseenCount: Equatable {
    /// Of each source the first items are looked at, so many at most.
    static let most = 1_000

    /// How many items were looked at.
    var known: Int
    var unseen: Int

    /// "12 new".
    var text: String {
        if unseen == 0 { return "nothing new" }
        return "\(unseen)\(known == Self.most ? "+" : "") new"
    }

    /// The counts of sources; nil where nothing is kept. Reads what `provider` has, and the library once. Blocks on the disk.
    ///
    /// - Parameter libraryPath: of the file of what flick remembers; nil if it remembers nothing.
    static func counts(
        of sources: [FeedSource], provider: any ByteProvider, options: FeedOptions, libraryPath: String?
    ) throws(AppError) -> [UnseenCount?] {
        let keys = readEach(of: sources, atOnce: 4, provider: provider, options: options) { feed in
            (0..<min(feed.items.count, most)).map { ItemKey(feed.items[$0]) }
        }.map { try? $0.get() }
        let store = try openLibrary(libraryPath)
        let seen = try store.map { store throws(AppError) in
            try readingLibrary { () throws(StoreTrouble) in try store.seen(among: keys.flatMap { $0 ?? [] }) }
        }
        return keys.map { keys in
            keys.map { keys in
                UnseenCount(known: keys.count, unseen: keys.count { seen?.contains($0) != true })
            }
        }
    }
}
