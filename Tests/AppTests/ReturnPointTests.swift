import Feeds
import Model
import TestSupport
import Testing

@testable import App
@testable import Engagement

/// Where a feed that changed meanwhile continues.
@Suite struct ReturnPointTests {
    private static let items = (0..<9).map { Item(id: "\($0)", url: "file:///\($0).mp4") }

    /// Items may have been added or removed before the one that was watched last.
    @Test(arguments: [0, 4, 5, 6, 8, 99, nil] as [Int?])
    func findsTheItemOnBothSidesOfItsOldPage(page: Int?) {
        let last = LastSeen(key: ItemKey(Self.items[5]), page: page)
        #expect(ReturnPoint.find(last, in: Self.items) == 5)
    }

    @Test func findsNothingWhereTheItemIsGone() {
        let last = LastSeen(key: ItemKey(Item(id: "gone", url: "file:///gone.mp4")), page: 5)
        #expect(ReturnPoint.find(last, in: Self.items) == nil)
    }

    /// Where a feed starts whose last item was watched up to a percentage.
    private func start(watched percent: Int, next: String?) throws -> FeedStart {
        let (folder, source, item) = (TemporaryFolder(), "file:///clips", Self.items[8])
        let path = folder.path + "/flick.db"
        let entry = LibraryItem(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: source), feed: item.feed,
            source: source)
        let end = LoggedEvent(id: "e", session: "s", at: 2, what: "milestone", detail: #"{"percent":\#(percent)}"#)
        try Store(path: path).apply([.seen(entry, page: 8, at: 2), .event(entry, end)])
        let feed = Feed(title: nil, items: Self.items, next: next, source: source)
        return ReturnPoint(of: feed, path: path, ignoresLastSeen: false).start
    }

    @Test func lastLoadedItemIsNotTheEndOfAFeedWithFurtherPages() throws {
        #expect(try start(watched: 95, next: "file:///clips/page") == .resumed(8))
        #expect(try start(watched: 95, next: nil) == .top)
    }

    @Test func lastItemThatWasNotWatchedToItsEndIsResumed() throws {
        #expect(try start(watched: 50, next: nil) == .resumed(8))
    }
}
