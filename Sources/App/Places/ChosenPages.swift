import Feeds
import Model

/// Chooses the items of a place out of those of another feed. A value; blocks.
protocol ItemChoice: Sendable {
    /// The next items of the place; none: there are no more.
    mutating func next(of cursor: inout ItemCursor) throws(FeedsError) -> [Item]
    /// Whether there are items left of those that were read.
    var hasMore: Bool { get }
}

/// The items of a place that are chosen out of another feed, some at a time. Any thread that may block.
final class ChosenPages: FurtherPages {
    private struct Work {
        var cursor: ItemCursor
        var choice: any ItemChoice
        var chosen: [Item] = []
        /// Items that come before all others.
        var ahead: [Item] = []

        var list: [Item] { ahead + chosen.filter { item in !ahead.contains { $0.id == item.id } } }
    }

    /// What the place is called where addresses are expected.
    let name: String
    private let work: TryLock<Work>
    private let pages: (any FurtherPages)?

    /// - Parameter feed: what is chosen from.
    init(_ name: String, of feed: Feed, by choice: any ItemChoice) {
        (self.name, pages) = (name, feed.pages)
        work = TryLock(Work(cursor: ItemCursor(feed), choice: choice))
    }

    var isArriving: Bool { false }

    func load() throws(FeedsError) -> FeedPages.Page? {
        try work.run { work throws(FeedsError) -> FeedPages.Page? in
            let had = work.list.count
            var new: [Item] = []
            // Items that stand before all others already are no new ones.
            repeat {
                new = try work.choice.next(of: &work.cursor)
                work.chosen += new
            } while !new.isEmpty && work.list.count == had
            guard !new.isEmpty else { return nil }
            let hasMore = work.choice.hasMore || !work.cursor.hasEnded
            return FeedPages.Page(
                url: name, items: work.list, added: work.list.count - had, next: hasMore ? name : nil,
                warnings: work.cursor.takeWarnings())
        } ?? nil
    }

    func keep(_ item: Item) -> any ItemList {
        let kept = work.run { work in
            if !work.list.contains(where: { $0.id == item.id }) { work.ahead.insert(item, at: 0) }
            return work.list
        }
        return kept ?? [item]
    }

    func cancel() { pages?.cancel() }
}

/// Goes through the items of a feed once, and reads its further pages on the way. A value; blocks while a page is read.
struct ItemCursor: Sendable {
    private var items: any ItemList
    private let pages: (any FurtherPages)?
    private var index = 0
    /// What was left out of the pages that were read, since `takeWarnings`.
    private var warnings: [String] = []
    private var isLastPage: Bool

    init(_ feed: Feed) { (items, pages, isLastPage) = (feed.items, feed.pages, feed.pages == nil) }

    /// Whether there are no more items, neither here nor on further pages.
    var hasEnded: Bool { isLastPage && index >= items.count }

    /// At most `limit` further items. Reads at most one page; returns no items if that page has no new one.
    mutating func next(_ limit: Int) throws(FeedsError) -> [Item] {
        if index >= items.count || pages?.isArriving == true {
            if let page = try pages?.load() {
                items = page.items
                warnings += page.warnings
            } else if index >= items.count {
                isLastPage = true
            }
        }
        let range = index..<min(items.count, index + limit)
        index = range.upperBound
        return range.map { items[$0] }
    }

    mutating func takeWarnings() -> [String] {
        defer { warnings = [] }
        return warnings
    }
}
