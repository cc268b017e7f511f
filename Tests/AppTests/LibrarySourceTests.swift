import Engagement
import Feeds
import Model
import TestSupport
import Testing

@testable import App

/// The library's lists as feeds.
@Suite struct LibrarySourceTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }

    private func entry(_ name: String, at url: String? = nil) -> LibraryItem {
        let item = Item(
            id: name, url: url ?? "https://h.example/\(name).mp4", title: "Title \(name)",
            feed: "https://h.example/feed.json")
        return LibraryItem(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: "s"), feed: item.feed, source: "s")
    }

    private func save(_ entry: LibraryItem, at: Double) throws {
        try Store(path: path).apply([
            .reacted(entry, Reaction(isLiked: false, isDisliked: false, isSaved: true), at: at)
        ])
    }

    private func feed(
        _ list: String, path: String?, _ privateHosts: URLAccessPolicy.PrivateHosts = .sameOrigin
    ) throws -> Feed {
        try #require(LibrarySource([FeedSource(list)])).feed(path: path, privateHosts: privateHosts)
    }

    private func ids(_ feed: Feed) -> [Item.ID] { (0..<feed.items.count).map { feed.items.id(at: $0) } }

    @Test func listHasItsItemsNewestFirst() throws {
        let start = LoggedEvent(id: "e", session: "s", at: 4, what: "start")
        try Store(path: path).apply([
            .reacted(entry("liked"), Reaction(isLiked: true, isDisliked: false, isSaved: false), at: 1),
            .reacted(entry("disliked"), Reaction(isLiked: false, isDisliked: true, isSaved: false), at: 1),
            .seen(entry("watched"), at: 4), .event(entry("watched"), start),
        ])
        try save(entry("early"), at: 2)
        try save(entry("late"), at: 3)
        for (list, title, found) in [
            ("library:liked", "Liked", ["liked"]), ("library:saved", "Saved", ["late", "early"]),
            ("library:history", "History", ["watched"]),
        ] {
            let feed = try feed(list, path: path)
            #expect(ids(feed) == found && feed.title == title && feed.source == list)
        }
        #expect(try feed("library:saved", path: path).items[0].title == "Title late")
    }

    @Test func itemsOnPrivateHostsFollowTheSettings() throws {
        try save(entry("public"), at: 1)
        try save(entry("private", at: "http://127.0.0.1/private.mp4"), at: 2)
        #expect(try ids(feed("library:saved", path: path, .never)) == ["public"])
        #expect(try ids(feed("library:saved", path: path, .always)) == ["private", "public"])
    }

    @Test func withoutALibraryListsAreEmpty() throws {
        #expect(try ids(feed("library:saved", path: nil)).isEmpty && ids(feed("library:liked", path: path)).isEmpty)
    }

    @Test func otherSourcesAreNoLists() {
        #expect(LibrarySource([FeedSource("library:liked"), FeedSource("/b")]) == nil)
        for text in ["library:offline", "library:", "liked", "/library:liked"] {
            #expect(LibrarySource([FeedSource(text)]) == nil, "\(text)")
        }
    }
}
