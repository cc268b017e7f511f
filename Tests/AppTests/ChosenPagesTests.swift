import Feeds
import Model
import Synchronization
import Testing

@testable import App

/// Places that are chosen out of a feed with further pages.
@Suite struct ChosenPagesTests {
    private static let items = (0..<40).map { Item(id: "i\($0)", url: "https://h.example/\($0).mp4") }

    /// The pages behind the first items of a feed.
    private final class Pages: FurtherPages {
        private let state: Mutex<(count: Int, sizes: [Int], cancels: Int)>
        let isArriving: Bool

        init(after count: Int, sizes: [Int], isArriving: Bool = false) {
            state = Mutex((count, sizes, 0))
            self.isArriving = isArriving
        }

        var cancels: Int { state.withLock(\.cancels) }

        func load() throws(FeedsError) -> FeedPages.Page? {
            state.withLock { state in
                guard !state.sizes.isEmpty else { return nil }
                let added = state.sizes.removeFirst()
                state.count += added
                return FeedPages.Page(
                    url: "page", items: Array(ChosenPagesTests.items.prefix(state.count)), added: added,
                    next: state.sizes.isEmpty ? nil : "page", warnings: ["\(state.count) items"])
            }
        }
        func keep(_ item: Item) -> any ItemList { [item] }
        func cancel() { state.withLock { $0.cancels += 1 } }
    }

    private func feed(_ count: Int, pages: Pages? = nil) -> Feed {
        Feed(title: "Home", items: Array(Self.items.prefix(count)), pages: pages, source: "s")
    }

    /// In Home's order, eight at a time: nothing is remembered.
    private func forYou(_ feed: Feed) -> ChosenPages {
        let library = LibraryReader(path: nil, privateHosts: .always)
        return ChosenPages("for-you:", of: feed, by: ForYouChoice(library, exploration: 0) { _ in })
    }

    private func ids(_ list: (any ItemList)?) -> [Item.ID] { (0..<(list?.count ?? 0)).map { list?.id(at: $0) ?? "" } }

    // MARK: Pages of a place

    @Test func nextPageIsNamedWhileItemsAreLeft() throws {
        let pages = forYou(feed(10))
        let first = try #require(try pages.load())
        #expect(first.url == "for-you:" && first.next == "for-you:" && first.added == 8)
        let second = try #require(try pages.load())
        #expect(second.next == nil && second.added == 2 && ids(second.items) == Self.items.prefix(10).map(\.id))
        #expect(try pages.load() == nil)
    }

    @Test func nextPageIsNamedUntilTheFeedHasEnded() throws {
        let pages = forYou(feed(4, pages: Pages(after: 4, sizes: [4, 4])))
        // Nothing that was read is left, but the feed has another page.
        let first = try #require(try pages.load())
        #expect(first.added == 8 && first.next == "for-you:")
        let second = try #require(try pages.load())
        #expect(second.added == 4 && second.next == nil)
    }

    @Test func warningsComeOnceWithTheirPage() throws {
        let pages = forYou(feed(4, pages: Pages(after: 4, sizes: [4, 4, 4])))
        #expect(try pages.load()?.warnings == ["8 items"])
        #expect(try pages.load()?.warnings == ["12 items", "16 items"])
    }

    /// A page without a new item would look like the end.
    @Test func pageOfKeptItemsIsFollowedByTheNext() throws {
        let pages = forYou(feed(20))
        for item in Self.items.prefix(8) { _ = pages.keep(item) }
        let page = try #require(try pages.load())
        #expect(page.added == 8)
        #expect(ids(page.items) == Self.items.prefix(8).reversed().map(\.id) + Self.items[8..<16].map(\.id))
    }

    @Test func cancellingAPlaceCancelsItsFeed() {
        let further = Pages(after: 4, sizes: [4])
        forYou(feed(4, pages: further)).cancel()
        #expect(further.cancels == 1)
    }

    // MARK: The cursor

    @Test func cursorGivesEachItemOnceUpToTheLimit() throws {
        var cursor = ItemCursor(feed(5))
        let parts = [try cursor.next(2), try cursor.next(2)].map { $0.map(\.id) }
        #expect(parts == [["i0", "i1"], ["i2", "i3"]] && !cursor.hasEnded)
        let last = [try cursor.next(2), try cursor.next(2)].map { $0.map(\.id) }
        #expect(last == [["i4"], []] && cursor.hasEnded)
    }

    @Test func cursorReadsAPageOnlyAtTheEndOfTheItems() throws {
        var cursor = ItemCursor(feed(3, pages: Pages(after: 3, sizes: [2])))
        let before = [try cursor.next(2), try cursor.next(2)].map { $0.map(\.id) }
        let early = cursor.takeWarnings()
        #expect(before == [["i0", "i1"], ["i2"]] && early.isEmpty)
        let after = try cursor.next(2).map(\.id)
        let warnings = cursor.takeWarnings()
        #expect(after == ["i3", "i4"] && warnings == ["5 items"] && !cursor.hasEnded)
        let end = try cursor.next(2)
        #expect(end.isEmpty && cursor.hasEnded)
    }

    /// The rest of a long feed is joined to its first items at once. While it is being read, there is no page.
    @Test func arrivingItemsAreReadAhead() throws {
        var cursor = ItemCursor(feed(3, pages: Pages(after: 3, sizes: [4], isArriving: true)))
        let first = try cursor.next(2).map(\.id)
        let warnings = cursor.takeWarnings()
        #expect(first == ["i0", "i1"] && warnings == ["7 items"])
        let rest = [try cursor.next(4), try cursor.next(4)].map { $0.map(\.id) }
        #expect(rest == [["i2", "i3", "i4", "i5"], ["i6"]] && !cursor.hasEnded)
        let end = try cursor.next(4)
        #expect(end.isEmpty && cursor.hasEnded)
    }
}
