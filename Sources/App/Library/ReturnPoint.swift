import Engagement
import Feeds
import Model

/// Where to resume a feed that was watched before. A value.
struct ReturnPoint: Sendable {
    var start = FeedStart.top
    /// Whether an item was watched last that is not there.
    var isLost = false
    /// Where long clips around that page were left.
    var places: [Item.ID: Duration] = [:]
    /// The clip in view that was put into the feed, if it was read again.
    var held: Item.ID?

    /// An item that is farther from where it was is not found: looking at each item of a long list would take longer
    /// than turning pages.
    static let reach = 2_000
    /// The clips of this many pages on each side are opened before anything else is known of them.
    private static let near = 12
    /// Of the items that were seen last, the first that played counts: a feed does not open at an error. This many are
    /// looked at.
    private static let considered = 20

    /// Nothing else is known.
    init(held: Item.ID? = nil) { self.held = held }

    /// Looks up where `feed` was left. Blocks on the disk for a moment. If the library cannot be read, nothing is
    /// remembered: the recorder reports the error.
    init(of feed: Feed, path: String?, ignoresLastSeen: Bool) {
        guard let path, feed.items.count > 0, Store.exists(at: path) else { return }
        do throws(StoreError) {
            let store = try Store(reading: path)
            if !ignoresLastSeen {
                let seen = try store.lastSeen(in: SourceName.text(feed.source), limit: Self.considered)
                if let last = seen.first(where: \.hasPlayed) {
                    let page = Self.find(last, in: feed.items)
                    isLost = page == nil
                    if let page { start = try Self.start(of: feed, at: page, last, in: store) }
                }
            }
            let first = start.page
            var items: [ItemKey: Item.ID] = [:]
            for index in max(0, first - Self.near)..<min(feed.items.count, first + Self.near + 1) {
                let item = feed.items[index]
                items[ItemKey(item)] = item.id
            }
            for (key, memory) in try store.memories(of: Array(items.keys)) {
                if let place = memory.place, let id = items[key] { places[id] = place }
            }
        } catch {
            return
        }
    }

    private static func start(
        of feed: Feed, at page: Int, _ last: LastSeen, in store: Store
    ) throws(StoreError) -> FeedStart {
        let moved = min(max(page - (last.page ?? page), 0), reach)
        let keys = (0..<moved).map { ItemKey(feed.items[$0]) }
        let seen = try store.seen(among: keys)
        let isLast = page == feed.items.count - 1 && feed.next == nil
        return FeedStart(
            page: page, earlier: last.page, unseen: keys.prefix { !seen.contains($0) }.count,
            isOver: isLast && last.isFinished)
    }

    static func find(_ last: LastSeen, in items: any ItemList) -> Int? {
        let middle = min(max(last.page ?? 0, 0), items.count - 1)
        for distance in 0...reach {
            for index in distance == 0 ? [middle] : [middle + distance, middle - distance]
            where index >= 0 && index < items.count {
                if items.id(at: index) == last.key.id, ItemKey(items[index]) == last.key { return index }
            }
        }
        return nil
    }
}

/// Where a feed opens that was watched before. A value.
enum FeedStart: Equatable, Sendable {
    /// At its first item: nothing is known of it, or it was watched to its end.
    case top
    /// At its first item: this many came since the feed was watched, and none of them was seen.
    case new(Int)
    /// At the item that was watched last, on this page, from 0.
    case resumed(Int)

    /// - Parameters:
    ///   - page: where the item that was watched last is now.
    ///   - earlier: where the feed had it when it was watched; nil if unknown. Items that came before it have moved it.
    ///   - unseen: how many items at the beginning of the feed, one after the other, were never seen.
    ///   - isOver: whether that item was played to its end, and no other follows.
    init(page: Int, earlier: Int?, unseen: Int, isOver: Bool) {
        // Items at the beginning that are not new were skipped on purpose: with `--start`, or in a list.
        let new = min(unseen, earlier.map { page - $0 } ?? 0)
        self = if new > 0 { .new(new) } else if isOver || page == 0 { .top } else { .resumed(page) }
    }

    /// From 0.
    var page: Int { if case .resumed(let page) = self { page } else { 0 } }
}

/// A feed's sources for scripts, trace and log. Pure.
enum SourceName {
    /// URLs separated by spaces, without secrets. URLs of files stay URLs.
    static func text(_ urls: String) -> String {
        urls.split(separator: " ").map { url in
            FileURL.path(of: String(url)) == nil ? SafeURL.text(String(url)) : String(url)
        }.joined(separator: " ")
    }
}
