import Feeds
import Model
import Synchronization

/// A feed without what the user hides: its items so far, and its further pages. Any thread that may block; only
/// `isArriving` and `hasMore` never block.
///
/// Hidden items are left out of the list, so nothing is fetched or counted of them, and turning pages costs nothing.
/// The first items are looked at once; the rest of a long list comes as a further page.
final class VisibleFeed: FurtherPages {
    private struct Work {
        /// All items, hidden ones too.
        var all: any ItemList
        var hidden: HiddenItems.Snapshot
        /// The places of those that are not hidden; nil: all that were looked at.
        var places: [UInt32]?
        /// How many were looked at.
        var looked = 0

        init(_ all: any ItemList, _ hidden: HiddenItems.Snapshot) {
            (self.all, self.hidden) = (all, hidden)
            restart(hidden)
        }

        var isLooking: Bool { looked < all.count }

        mutating func restart(_ hidden: HiddenItems.Snapshot) {
            self.hidden = hidden
            (places, looked) = hidden.rules.isEmpty ? (nil, all.count) : ([], 0)
        }

        /// Returns how many of the new ones are not hidden.
        mutating func look(upTo end: Int) -> Int {
            let end = min(end, all.count)
            guard looked < end else { return 0 }
            defer { looked = end }
            guard places != nil else { return end - looked }
            let new = (looked..<end).filter { !hidden.rules.hides(all[$0]) }
            places?.append(contentsOf: new.map { UInt32(clamping: $0) })
            return new.count
        }
    }

    /// How many items are examined before the feed is shown, and how many further ones at a time.
    static let first = 2_000
    static let further = 20_000
    /// After this many pages in a row without a visible item, the feed ends.
    static let maxPages = 50

    private let pages: (any FurtherPages)?
    private let hidden: HiddenItems
    private let work: Mutex<Work>
    private let isLooking: Atomic<Bool>
    private let hasFurtherPages: Atomic<Bool>

    /// - Parameter items: all of the feed so far.
    init(_ items: any ItemList, pages: (any FurtherPages)?, hidden: HiddenItems) {
        (self.pages, self.hidden) = (pages, hidden)
        let work = Work(items, hidden.snapshot)
        isLooking = Atomic(work.isLooking)
        hasFurtherPages = Atomic(pages != nil)
        self.work = Mutex(work)
    }

    /// Whether `load` can return more.
    var hasMore: Bool { isLooking.load(ordering: .relaxed) || hasFurther }

    /// Whether there may be further pages besides the items that are there.
    var hasFurther: Bool { hasFurtherPages.load(ordering: .relaxed) }

    var isArriving: Bool { isLooking.load(ordering: .relaxed) || pages?.isArriving == true }

    /// The list by the rules of now. Looks at the items up to `reach` behind the place `place` of all items, and at the
    /// others in `load`.
    func restart(at place: Int = 0, reach: Int = first) -> VisibleList {
        change { work in
            work.restart(hidden.snapshot)
            _ = work.look(upTo: place + min(reach, work.all.count))
        }
    }

    /// The same of another list of all items, which has no further pages.
    func restart(with all: any ItemList) -> VisibleList {
        change { work in
            work.all = all
            work.restart(hidden.snapshot)
            _ = work.look(upTo: all.count)
        }
    }

    private func change(_ body: (inout Work) -> Void) -> VisibleList {
        work.withLock { work in
            body(&work)
            return list(work)
        }
    }

    private func list(_ work: Work) -> VisibleList {
        isLooking.store(work.isLooking, ordering: .relaxed)
        return VisibleList(
            all: work.all, places: work.places, count: work.places?.count ?? work.looked, feed: self,
            generation: work.hidden.generation)
    }

    func load() throws(FeedsError) -> FeedPages.Page? {
        var warnings: [String] = []
        if isLooking.load(ordering: .relaxed) { return look() }
        for _ in 0..<Self.maxPages {
            guard let pages, let page = try pages.load() else { break }
            warnings += page.warnings
            let (list, added) = work.withLock { work in
                work.all = page.items
                let added = work.look(upTo: work.all.count)
                return (self.list(work), added)
            }
            hasFurtherPages.store(page.next != nil, ordering: .relaxed)
            guard added > 0 || page.added == 0 || page.next == nil else { continue }
            return FeedPages.Page(
                url: page.url, items: list, added: added, next: page.next, warnings: warnings,
                withoutMedia: page.withoutMedia)
        }
        hasFurtherPages.store(false, ordering: .relaxed)
        return nil
    }

    /// Looks at further items of those that are there.
    private func look() -> FeedPages.Page {
        let (list, added) = work.withLock { work in
            let added = work.look(upTo: work.looked + Self.further)
            return (self.list(work), added)
        }
        return FeedPages.Page(
            url: Self.name, items: list, added: added, next: hasMore ? Self.name : nil, warnings: [])
    }

    /// Where the rest of a list is found, in the trace.
    private static let name = "visible:"

    func keep(_ item: Item) -> any ItemList {
        guard let all = pages?.keep(item) else { return change { _ in } }
        return change { work in
            let looked = work.looked
            work.all = all
            work.restart(work.hidden)
            _ = work.look(upTo: looked + 1)
        }
    }

    func cancel() { pages?.cancel() }
}

extension Feed {
    /// The feed without what is hidden. Blocks: reads its first items, if there are rules.
    func visible(_ hidden: HiddenItems) -> Feed {
        var feed = self
        let visible = VisibleFeed(items, pages: pages, hidden: hidden)
        let list = visible.restart()
        (feed.items, feed.pages) = (list, visible.hasMore ? visible : nil)
        return feed
    }
}
