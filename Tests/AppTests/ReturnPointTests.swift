import Feeds
import Model
import TestSupport
import Testing

@testable import App
@testable import Engagement

/// Where a feed that changed meanwhile continues.
@Suite struct ReturnPointTests {
    private static let items = (0..<9).map { Item(id: "\($0)", url: "file:///\($0).mp4") }
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }

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

    // MARK: What is remembered

    private func item(_ number: Int) -> Item { Item(id: "\(number)", url: "file:///\(number).mp4") }

    /// The item was in view, and left at a place of its clip.
    private func see(
        _ number: Int, page: Int? = nil, at: Double, hasPlayed: Bool = true, in source: String = "file:///clips",
        leavingAt place: Duration? = nil
    ) throws {
        let item = item(number)
        let entry = LibraryItem(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: source), source: source)
        let started = LoggedEvent(id: "\(number) \(at)", session: "s", at: at, what: "start")
        var changes: [Change] = [.seen(entry, page: page, at: at), .left(ItemKey(item), place: place)]
        if hasPlayed { changes.append(.event(entry, started)) }
        try Store(path: path).apply(changes)
    }

    private func point(_ count: Int, ignoresLastSeen: Bool = false) -> ReturnPoint {
        let feed = Feed(title: nil, items: (0..<count).map(item), source: "file:///clips")
        return ReturnPoint(of: feed, path: path, ignoresLastSeen: ignoresLastSeen)
    }

    @Test func clipsAroundTheResumedPageHaveTheirPlaces() throws {
        try see(20, page: 20, at: 9)
        for number in [7, 8, 32, 33] {
            try see(number, at: 1, hasPlayed: false, leavingAt: .seconds(100 + number))
        }
        let point = point(40)
        #expect(point.start == .resumed(20) && !point.isLost)
        #expect(point.places == ["8": .seconds(108), "32": .seconds(132)])
    }

    /// As with `--start`.
    @Test func ignoredPageLeavesThePlacesAtTheTop() throws {
        try see(20, page: 20, at: 9, leavingAt: .seconds(1))
        for number in [12, 13] { try see(number, at: 1, hasPlayed: false, leavingAt: .seconds(100 + number)) }
        let point = point(40, ignoresLastSeen: true)
        #expect(point.start == .top && point.places == ["12": .seconds(112)])
    }

    @Test func lastItemThatPlayedInTheFeedIsResumed() throws {
        try see(3, page: 3, at: 1)
        try see(6, page: 6, at: 2, hasPlayed: false)
        try see(8, page: 8, at: 3, in: "file:///other")
        #expect(point(10).start == .resumed(3))
    }

    @Test func itemThatIsGoneIsLost() throws {
        try see(3, page: 3, at: 1)
        try see(99, page: 5, at: 2)
        #expect(point(10).isLost && point(10).start == .top)
    }

    /// Two items came before the one that was on the fourth page.
    @Test(arguments: [([], .new(2)), ([1], .new(1)), ([0], .resumed(5))] as [([Int], FeedStart)])
    func newItemsAreThoseAheadThatWereNotSeen(seen: [Int], start: FeedStart) throws {
        try see(5, page: 3, at: 9)
        for number in seen { try see(number, at: 1, in: "file:///other") }
        #expect(point(10).start == start)
    }
}
