import Engagement
import Feeds
import Foundation
import Model
import Platform
import TestSupport
import Testing

@testable import App

/// `flick history`, `events`, `following` and `forget`, with a library of SQLite.
@Suite struct LibraryCommandTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }
    private let feed = "https://h.example/feed.json"

    private func entry(_ id: String, at url: String? = nil, in source: String? = nil) -> LibraryItem {
        let item = Item(
            id: id, url: url ?? "https://h.example/\(id).mp4", title: "Title \(id)",
            feed: url == nil ? feed : nil)
        let source = source ?? feed
        return LibraryItem(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: source), feed: item.feed,
            source: source)
    }

    private func see(_ entries: LibraryItem..., at: Double = 5) throws {
        try Store(path: path).apply(entries.map { .seen($0, at: at) })
    }

    private func remembered() throws -> [String] {
        try Store(reading: path).items(lookingAt: 100) { _ in true }.map(\.key.id).sorted()
    }

    private func forget(_ what: String, before: Double? = nil) throws -> Int {
        try App.forget(what, before: before, stateFolder: folder.path)
    }

    // MARK: Forgetting

    @Test func forgetsAnItemByItsIDItsURLOrItsPath() throws {
        try see(entry("a"), entry("b"), entry("c", at: "file:///clips/c%20d.mp4"), entry("e"))
        #expect(try forget("a") == 1 && remembered() == ["b", "c", "e"])
        #expect(try forget("https://h.example/b.mp4") == 1 && remembered() == ["c", "e"])
        #expect(try forget("/clips/c d.mp4") == 1 && remembered() == ["e"])
    }

    @Test func forgetsWhatWasSeenInAFeed() throws {
        try see(entry("a"), entry("b"))
        try see(entry("c", at: "file:///clips/c.mp4", in: "file:///clips"), entry("d", in: "https://i.example/f.json"))
        #expect(try forget(feed) == 2 && remembered() == ["c", "d"])
        #expect(try forget("/clips") == 1 && remembered() == ["d"])
    }

    @Test func forgetsOnlyWhatIsOlder() throws {
        try see(entry("old"), at: 1)
        try see(entry("new"), at: 9)
        let page = try folder.write("page.json", "{}".utf8)
        #expect(try forget("all", before: 5) == 1 && remembered() == ["new"])
        #expect(FileManager.default.fileExists(atPath: page))
        #expect(throws: AppError("cannot delete new: not in the library before that time")) {
            try forget("new", before: 5)
        }
        #expect(try remembered() == ["new"])
    }

    @Test func forgettingAllForgetsHowThePageWasLeft() throws {
        try see(entry("a"), entry("b"))
        let page = try folder.write("page.json", "{}".utf8)
        #expect(throws: AppError("cannot delete c: not in the library")) { try forget("c") }
        #expect(FileManager.default.fileExists(atPath: page))
        #expect(try forget("all") == 2 && remembered().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: page))
    }

    @Test func momentIsADateOrAnAge() throws {
        #expect(moment("2026-05-01") == 1_777_593_600 && moment("2026-05-01T00:01:00Z") == 1_777_593_660)
        for (text, age) in [("90m", 5_400.0), ("36h", 129_600.0), ("7d", 604_800.0), ("0d", 0.0)] {
            let before = WallClock.now
            let found = try #require(moment(text))
            #expect((before - age...WallClock.now - age).contains(found), "\(text)")
        }
        for text in ["7w", "d", "-1d", "1.5h", "", "7"] { #expect(moment(text) == nil, "\(text)") }
    }

    // MARK: Lines

    @Test func listedItemHasItsReactions() throws {
        let (saved, liked) = (entry("a"), entry("b"))
        try Store(path: path).apply([
            .reacted(saved, Reaction(isLiked: false, isDisliked: true, isSaved: true), at: 2),
            .reacted(liked, Reaction(isLiked: true, isDisliked: false, isSaved: false), at: 3),
        ])
        let store = try Store(reading: path)
        let entries = try store.entries(of: .saved, limit: 9) + store.entries(of: .liked, limit: 9)
        let facts = [
            #""at":"1970-01-01T00:00:02Z","liked":false,"disliked":true,"saved":true}"#,
            #""at":"1970-01-01T00:00:03Z","liked":true,"disliked":false,"saved":false}"#,
        ]
        #expect(entries.map(\.jsonLine) == zip([saved, liked], facts).map { "\($0.json.dropLast()),\($1)" })
        let now = 1_780_000_000.0
        #expect(
            entries.map { $0.textLine(now: now) } == [
                "\(LocalMoment(2, now: now).text)\tTitle a", "\(LocalMoment(3, now: now).text)\tTitle b",
            ])
    }

    @Test func eventHasItsItemAndFigures() throws {
        let skip = LoggedEvent(id: "e1", session: "s1", at: 3, what: "skip", detail: #"{"completion":0.5}"#)
        let shown = LoggedEvent(id: "e2", session: "s1", at: 4, what: "impression")
        try Store(path: path).apply([.event(entry("a"), skip), .event(entry("b"), shown)])
        let events = try Store(reading: path).events(limit: 9)
        #expect(
            events.map(\.jsonLine) == [
                #"{"event_id":"e1","session_id":"s1","at":"1970-01-01T00:00:03Z","what":"skip","video_id":"a","#
                    + #""url":"https://h.example/a.mp4","completion":0.5}"#,
                #"{"event_id":"e2","session_id":"s1","at":"1970-01-01T00:00:04Z","what":"impression","#
                    + #""video_id":"b","url":"https://h.example/b.mp4"}"#,
            ])
        let now = 1_780_000_000.0
        #expect(
            events.map { $0.textLine(now: now) } == [
                "\(LocalMoment(3, now: now).text)\tskip\thttps://h.example/a.mp4\t50 % watched",
                "\(LocalMoment(4, now: now).text)\timpression\thttps://h.example/b.mp4",
            ])
    }

    private func follow(_ name: String, _ address: String?, isShared: Bool = false) -> Follow {
        Follow(
            creator: CreatorKey(scope: "https://h.example", id: "id of \(name)"), name: name, since: 5,
            feed: address.map { FollowedFeed(address: $0, isShared: isShared) })
    }

    @Test func followedCreatorHasItsFeed() {
        #expect(
            follow("Bo", feed, isShared: true).jsonLine
                == #"{"id":"id of Bo","name":"Bo","feed":"https://h.example/feed.json","shared":true,"#
                + #""since":"1970-01-01T00:00:05Z"}"#)
        let now = 1_780_000_000.0
        let since = LocalMoment(5, now: now).text
        #expect(follow("Ada", nil).jsonLine == #"{"id":"id of Ada","name":"Ada","since":"1970-01-01T00:00:05Z"}"#)
        #expect(follow("Ada", nil).textLine(now: now) == "Ada\t-\t\(since)")
        #expect(follow("Bo", "file:///clips").textLine(now: now).hasSuffix("\t\(since)"))
    }

    @Test func eachFollowedFeedIsASubscriptionOnce() {
        let other = "https://h.example/other.xml"
        let follows = [
            follow("Bo", feed, isShared: true), follow("Ada", feed, isShared: true), follow("Cleo", "file:///clips"),
            follow("Dan", nil), follow("Eve", other),
        ]
        #expect(
            subscriptions(follows) == [Subscription(title: "Bo", url: feed), Subscription(title: "Eve", url: other)])
    }

    @Test func listedSourceHasItsShareAndCount() {
        let source = FeedSource("/clips", name: "Clips", weight: 2)
        #expect(source.textLine(UnseenCount(known: 9, unseen: 3)) == "/clips\t3 new\tClips, weight 2")
        #expect(FeedSource("/b").textLine(nil) == "/b\tnever read")
        #expect(
            source.jsonLine(UnseenCount(known: 9, unseen: 3), isAdded: true)
                == #"{"source":"/clips","name":"Clips","weight":2,"added":true,"items":9,"new":3}"#)
        #expect(
            FeedSource("/b", weight: 0.5).jsonLine(nil, isAdded: false)
                == #"{"source":"/b","weight":0.5,"added":false}"#)
    }
}
