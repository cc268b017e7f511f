import Engagement
import Feeds
import Model
import Ranking
import UI

/// What Following is read from: the feeds of the creators that the user follows. A value.
struct FollowedFeeds: Equatable, Sendable {
    /// One for each feed, in the order in which the creators were followed, the last one first.
    private(set) var sources: [FeedSource] = []
    /// The creators without a feed.
    private(set) var others: Set<CreatorKey> = []

    /// - Parameter rules: what is hidden: the feeds of those creators are not read.
    init(_ follows: [Follow], without rules: HiddenRules = HiddenRules()) {
        var places: [String: Int] = [:]
        for follow in follows where !rules.hides(follow) {
            // The library is a file, which others may have written.
            guard let feed = follow.feed, CreatorFeed.isSource(feed.address) else {
                others.insert(follow.creator)
                continue
            }
            let creators = feed.isShared ? Set([follow.creator.id]) : nil
            if let place = places[feed.address] {
                sources[place].creators = creators.flatMap { sources[place].creators?.union($0) }
                // The feed's own title names it: it is of several creators.
                sources[place].name = nil
            } else {
                places[feed.address] = sources.count
                sources.append(
                    FeedSource(feed.address, name: FeedSource.name(from: follow.name), creators: creators))
            }
        }
    }
}

extension HiddenRules {
    /// Whether the creator, or the creator's feed, is hidden.
    fileprivate func hides(_ follow: Follow) -> Bool {
        if isEmpty { return false }
        if let feed = follow.feed, hides(source: feed.address) { return true }
        let id = follow.creator.id
        let creator = Item.Creator(id: id, name: follow.name, url: id)
        return hides(Item(id: "", url: "", creator: creator, feed: follow.creator.scope))
    }
}

extension CreatorKey {
    /// nil if there is no one to follow.
    init?(of item: Item) {
        guard let author = item.author else { return nil }
        self.init(scope: ItemKey(item).scope, id: author.key)
    }
}

extension FollowedFeed {
    /// nil if the creator's feed is not known.
    ///
    /// - Parameter endpoint: of the service that the item's feed declares; nil if it declares none.
    init?(of item: Item, endpoint: String?) {
        guard let feed = CreatorFeed(of: item, endpoint: endpoint) else { return nil }
        self.init(address: feed.source, isShared: feed.isShared)
    }
}

/// Following, while no creator has a feed: the clips of Home by creators that the user follows, in Home's order.
/// A value; blocks.
struct FollowedChoice: ItemChoice {
    private static let readAtOnce = 500
    /// A feed can be endless, and have nothing by them: the search ends after this many items.
    private static let lookedAt = 20_000

    private let library: LibraryReader

    init(_ library: LibraryReader) { self.library = library }

    var hasMore: Bool { false }

    mutating func next(of cursor: inout ItemCursor) throws(FeedsError) -> [Item] {
        var looked = 0
        while !cursor.hasEnded, looked < Self.lookedAt {
            let items = try cursor.next(Self.readAtOnce)
            looked += items.count
            let creators = Set(items.compactMap(CreatorKey.init(of:)))
            let followed = library.read { store throws(StoreError) in try store.follows(among: Array(creators)) }
            // Without a library, no creator is followed.
            guard let followed else { return [] }
            let found = items.filter { item in CreatorKey(of: item).map(followed.contains) ?? false }
            if !found.isEmpty { return found }
        }
        return []
    }
}
