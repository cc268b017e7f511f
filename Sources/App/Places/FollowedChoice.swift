import Engagement
import Feeds
import Model

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
            let followed = library.read { store throws(StoreError) in try store.follows(among: Array(creators)) } ?? []
            let found = items.filter { item in CreatorKey(of: item).map(followed.contains) ?? false }
            if !found.isEmpty { return found }
        }
        return []
    }
}
