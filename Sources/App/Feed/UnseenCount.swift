import Bytes
import Engagement
import Feeds
import Model
import Ranking

/// How many items of a source were not seen yet. A value.
struct UnseenCount: Equatable {
    /// The most items of a source to look at, from its first one on.
    static let most = 1_000

    /// How many items were looked at.
    var known: Int
    var unseen: Int
    /// How many of those are by creators that the user follows and whose feeds are not known.
    var followed = 0

    /// "12 new".
    var text: String {
        if unseen == 0 { return "nothing new" }
        return "\(unseen)\(known == Self.most ? "+" : "") new"
    }

    /// The counts of sources; nil where nothing is kept. Reads what `provider`
    /// has, and the library once. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - atOnce: how many sources are read at the same time.
    ///   - hidden: what does not count.
    ///   - libraryPath: of the file of what flick remembers; nil if it remembers nothing.
    ///   - lockLimit: how long another program may keep that file locked; nil: 5 s.
    static func counts(
        of sources: [FeedSource], atOnce: Int = 4, provider: any ByteProvider, options: FeedOptions,
        hidden: HiddenRules = HiddenRules(), libraryPath: String?, lockLimit: Duration? = nil
    ) throws(AppError) -> [UnseenCount?] {
        let answers = readEach(of: sources, atOnce: atOnce, provider: provider, options: options) { feed in
            (0..<min(feed.items.count, most)).compactMap { index in
                let item = feed.items[index]
                return hidden.hides(item) ? nil : Clip(key: ItemKey(item), creator: CreatorKey(of: item))
            }
        }
        let clips = zip(sources, answers).map { source, answer in
            switch answer {
            case .success(let clips): clips
            case .failure: [clip(source)]
            }
        }
        let store = try openLibrary(libraryPath, lockLimit: lockLimit)
        let all = clips.joined()
        let (seen, follows): (Set<ItemKey>, Set<CreatorKey>) =
            try store.map { store throws(AppError) in
                try readingLibrary { () throws(StoreError) in
                    let creators = Array(Set(all.compactMap(\.creator)))
                    let follows = try store.follows(among: creators, withoutFeed: true)
                    return (try store.seen(among: all.map(\.key)), Set(follows))
                }
            } ?? ([], [])
        return zip(clips, answers).map { clips, answer in
            let unseen = clips.filter { !seen.contains($0.key) }
            if case .failure = answer, !unseen.isEmpty { return nil }
            return UnseenCount(
                known: clips.count, unseen: unseen.count,
                followed: unseen.count { $0.creator.map(follows.contains) ?? false })
        }
    }

    /// A source of which nothing is kept, if it is one clip: of a live stream
    /// flick knows no more than that it was played.
    private static func clip(_ source: FeedSource) -> Clip {
        Clip(key: ItemKey(scope: "", id: ItemID.hash(of: source.text)))
    }

    private struct Clip: Sendable {
        var key: ItemKey
        var creator: CreatorKey?
    }
}
