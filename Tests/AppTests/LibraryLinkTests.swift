import Bytes
import Engagement
import Feeds
import Foundation
import Model
import TestSupport
import Testing
import Threads

@testable import App

/// What the page has the library store, and what it gets of it.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct LibraryLinkTests {
    private let folder = TemporaryFolder()
    private let inbox: Inbox<LoopMessage>
    private let link: LibraryLink

    private static let feed = "https://h.example/feed.json"

    init() throws {
        inbox = try Inbox<LoopMessage>()
        link = try Self.link(at: folder.path + "/flick.db", folder, inbox)
        link.source = Self.feed
    }

    private static func link(
        at path: String, _ folder: TemporaryFolder, _ inbox: Inbox<LoopMessage>
    ) throws -> LibraryLink {
        let journal = try Journal(
            ReportSettings(stateFolder: folder.path), file: LogFile(path: folder.path + "/log"), clock: ProcessClock())
        return LibraryLink(
            path: path, network: nil, name: "Ann",
            comments: CommentSession(provider: FileProvider(), inbox: inbox, journal: journal), inbox: inbox,
            journal: journal, began: 1_000)
    }

    private func item(_ id: String, creator: Item.Creator? = nil) -> Item {
        Item(
            id: id, url: "https://h.example/\(id).mp4", title: "Title-\(id)", creator: creator, feed: Self.feed)
    }

    /// Waits until the library's thread has done all that it was given.
    private func settle() {
        let isDone = Monitor(false)
        link.recorder.read { _ in
        } otherwise: {
            isDone.change { $0 = true }
        } then: { _ in
            isDone.change { $0 = true }
        }
        #expect(isDone.wait(upTo: .seconds(20)) { $0 ? () : nil } != nil)
    }

    /// What the library has once all is written.
    private func stored<Value>(_ read: (Store) throws -> Value) throws -> Value {
        settle()
        return try read(Store(reading: folder.path + "/flick.db"))
    }

    private func impression(_ id: Item.ID, at: Duration = .seconds(1)) -> EngagementEvent {
        EngagementEvent(item: id, at: at, what: .impression)
    }

    // MARK: What the user does

    @Test func reactionsAreStoredAtTheTimeOfDay() throws {
        defer { link.close() }
        link.react(to: item("a"), Reaction(isLiked: true, isDisliked: false, isSaved: false), now: .seconds(5))
        link.react(to: item("b"), Reaction(isLiked: false, isDisliked: false, isSaved: true), now: .milliseconds(7_500))
        let (liked, saved) = try stored {
            (try $0.entries(of: .liked, limit: 9), try $0.entries(of: .saved, limit: 9))
        }
        #expect(liked.map(\.item.key.id) == ["a"] && liked.map(\.at) == [1_005])
        #expect(saved.map(\.item.key.id) == ["b"] && saved.map(\.at) == [1_007.5])
    }

    @Test func followHasTheCreatorsNameAndFeed() throws {
        defer { link.close() }
        link.endpoint = "https://h.example/service"
        let mira = item("a", creator: Item.Creator(id: "c1", name: "Mira"))
        let unnamed = item("b", creator: Item.Creator(id: "c2"))
        link.follow(mira, true, now: .seconds(3))
        link.follow(unnamed, true, now: .seconds(4))
        link.follow(item("c"), true, now: .seconds(5))
        let part = "https://h.example/service/feed.json?creator="
        let follows = [
            Follow(
                creator: CreatorKey(scope: "https://h.example", id: "c2"), name: "c2", since: 1_004,
                feed: FollowedFeed(address: part + "c2", isShared: false)),
            Follow(
                creator: CreatorKey(scope: "https://h.example", id: "c1"), name: "Mira", since: 1_003,
                feed: FollowedFeed(address: part + "c1", isShared: false)),
        ]
        #expect(try stored { try $0.follows() } == follows)
        link.follow(unnamed, false, now: .seconds(6))
        #expect(try stored { try $0.follows() } == [follows[1]])
    }

    /// Forgetting a feed forgets what was hidden in it.
    @Test func hiddenRuleBelongsToTheFeedInView() throws {
        defer { link.close() }
        link.hide(HideRule(.topic, value: "rain"), true, now: .seconds(3))
        link.source = "https://other.example/feed.json"
        link.hide(HideRule(.words, value: "spoiler"), true, now: .seconds(4))
        let hidden = try stored { try $0.hidden() }
        #expect(hidden.map(\.rule.id.value) == ["spoiler", "rain"] && hidden.map(\.since) == [1_004, 1_003])
        #expect(try Store(path: folder.path + "/flick.db").forget(.source(Self.feed)) == 1)
        #expect(try stored { try $0.hidden().map(\.rule.id.value) } == ["spoiler"])
        link.hide(HideRule(.words, value: "spoiler"), false, now: .seconds(5))
        #expect(try stored { try $0.hidden().isEmpty })
    }

    @Test func itemIsStoredWithTheUsersCountsAndItsFeed() {
        defer { link.close() }
        link.endpoint = "https://h.example/service"
        link.counted = { item in
            var item = item
            item.stats = Item.Stats(likes: 7)
            return item
        }
        var counted = item("a")
        counted.stats = Item.Stats(likes: 7)
        #expect(
            link.libraryItem(item("a"))
                == LibraryItem(
                    key: ItemKey(scope: "https://h.example", id: "a"), url: "https://h.example/a.mp4",
                    json: ItemJSON.line(counted, source: Self.feed), feed: Self.feed, source: Self.feed,
                    endpoint: "https://h.example/service"))
    }

    // MARK: What is watched

    @Test func eventsAreLoggedForTheirOwnItems() throws {
        defer { link.close() }
        link.show(item("a"), page: 4)
        link.show(item("b"), page: 5)
        link.note([
            impression("b", at: .seconds(2)),
            EngagementEvent(item: "a", at: .seconds(3), what: .summary(.init(watchTime: .milliseconds(1_500)))),
        ])
        let events = try stored { try $0.events(limit: 9) }
        #expect(events.map(\.item) == [ItemKey(item("b")), ItemKey(item("a"))])
        #expect(events.map(\.event.what) == ["impression", "summary"] && events.map(\.event.at) == [1_002, 1_003])
        #expect(events.map(\.source) == [Self.feed, Self.feed] && events.last?.event.detail.contains("1.5") == true)
        #expect(Set(events.map(\.event.session)).count == 1 && Set(events.map(\.event.id)).count == 2)
        let seen = try stored { try $0.lastSeen(in: Self.feed, limit: 9) }
        #expect(seen == [LastSeen(key: ItemKey(item("b")), page: 5, hasPlayed: false)])
    }

    /// A page counts as left only after the next one has come.
    @Test func eventsOfTheLastThreePagesCount() throws {
        defer { link.close() }
        for (page, id) in ["a", "b", "c"].enumerated() { link.show(item(id), page: page) }
        #expect(link.shown == "c")
        let left = EngagementEvent(item: "a", at: .seconds(1), what: .summary(.init()))
        link.note([left])
        #expect(try stored { try $0.events(limit: 9).map(\.item.id) } == ["a"])
        link.show(item("d"), page: 3)
        link.note([left])
        #expect(try stored { try $0.events(limit: 9).count } == 1)
    }

    @Test func itemThatIsSeenAgainIsOnItsNewPageAndNotLoggedAgain() throws {
        defer { link.close() }
        link.show(item("a"), page: 0)
        link.note([impression("a", at: .seconds(1))])
        link.show(item("b"), page: 1)
        link.note([impression("b", at: .seconds(2))])
        link.show(item("a"), page: 7)
        link.note([EngagementEvent(item: "a", at: .seconds(9), what: .again)])
        let seen = try stored { try $0.lastSeen(in: Self.feed, limit: 9) }
        #expect(seen.map(\.key.id) == ["a", "b"] && seen.map(\.page) == [7, 1])
        #expect(try stored { try $0.events(limit: 9).map(\.item.id) } == ["a", "b"])
    }

    @Test func placeIsStoredForTheClipThatWasLeft() throws {
        defer { link.close() }
        for (page, id) in ["a", "b"].enumerated() {
            link.show(item(id), page: page)
            link.note([impression(id)])
        }
        link.left("a", place: .seconds(90))
        link.left("z", place: .seconds(30))
        func places() throws -> [Duration?] {
            let memories = try stored { try $0.memories(of: [ItemKey(item("a")), ItemKey(item("b"))]) }
            return ["a", "b"].map { memories[ItemKey(item($0))]?.place }
        }
        #expect(try places() == [.seconds(90), nil])
        link.left("b", place: .seconds(70))
        link.left("a", place: nil)
        #expect(try places() == [nil, .seconds(70)])
    }

    private nonisolated static let summary = EngagementEvent.Summary(
        watchTime: .seconds(9), completion: 0.5, milestones: [25, 50], replays: 3, hasSkipped: true,
        stallTime: .seconds(2))
    private nonisolated static let summaryFigures =
        #"{"watch_time":9,"completion":0.5,"milestones":[25,50],"replay_count":3,"has_skipped":true,"#
        + #""buffer_duration":2}"#

    @Test(arguments: [
        (EngagementEvent.What.impression, "{}"),
        (.start(how: .cold, after: .milliseconds(1_500)), #"{"how":"cold","after":1.5}"#),
        (.view(watched: .milliseconds(2_500)), #"{"watched":2.5}"#), (.milestone(75), #"{"percent":75}"#),
        (.skip(completion: 0.25), #"{"completion":0.25}"#), (.summary(summary), summaryFigures),
    ])
    func loggedDetailHasTheFiguresOfTheEvent(what: EngagementEvent.What, detail: String) {
        #expect(EngagementEvent(item: "a", at: .seconds(70), what: what).detail == detail)
    }

    // MARK: What is remembered

    /// Fills the library as an earlier session would.
    private func remember(_ changes: [Change]) throws { try Store(path: folder.path + "/flick.db").apply(changes) }

    private static let liked = Reaction(isLiked: true, isDisliked: false, isSaved: false)
    private static let saved = Reaction(isLiked: false, isDisliked: false, isSaved: true)

    @Test func memoriesComeOnceTheFirstPageWasSeen() throws {
        defer { link.close() }
        let (mira, bo) = (Item.Creator(id: "c1", name: "Mira"), Item.Creator(id: "c2", name: "Bo"))
        let items = [item("a", creator: bo), item("b"), item("c", creator: mira), item("d")]
        try remember([
            .reacted(link.libraryItem(items[0]), Self.liked, at: 1),
            .reacted(link.libraryItem(items[1]), Self.saved, at: 2), .left(ItemKey(items[1]), place: .seconds(90)),
            .followed(
                link.libraryItem(items[2]), CreatorKey(scope: "https://h.example", id: "c1"), name: "Mira", hasID: true,
                true, at: 3),
        ])
        link.recall(items)
        settle()
        #expect(inbox.drain().isEmpty)
        link.show(item("z"), page: 0)
        link.note([impression("z")])
        settle()
        let messages = inbox.drain()
        guard messages.count == 2, case .places(let places) = messages[0],
            case .event(.remembered(let reactions, let follows)) = messages[1]
        else {
            Issue.record("\(messages)")
            return
        }
        #expect(places == ["b": .seconds(90)] && follows == ["c1"])
        #expect(reactions == ["a": Self.liked, "b": Self.saved, "c": Reaction()])
        // Each is read once, and what is not remembered is not reported.
        link.recall(items + [item("e")])
        settle()
        #expect(inbox.drain().isEmpty)
    }

    /// Items that come near before the first page was seen are remembered up to a limit.
    @Test func newestOfTooManyWaitingItemsAreRecalled() throws {
        defer { link.close() }
        let items = (0...200).map { item("i\($0)") }
        try remember([0, 1, 200].map { .reacted(link.libraryItem(items[$0]), Self.liked, at: 1) })
        for item in items { link.recall([item]) }
        link.show(item("z"), page: 0)
        link.note([impression("z")])
        settle()
        let messages = inbox.drain()
        guard messages.count == 1, case .event(.remembered(let reactions, let follows)) = messages[0] else {
            Issue.record("\(messages)")
            return
        }
        #expect(reactions == ["i1": Self.liked, "i200": Self.liked] && follows.isEmpty)
    }

    /// A slow disk may take 2 s; another process may keep the file locked for 400 ms of them.
    @Test func lockedFileDoesNotDelayClosing() throws {
        let path = folder.path + "/flick.db"
        _ = try Store(path: path)
        let database = try LockedDatabase(path, by: ["BEGIN IMMEDIATE"])
        defer { database.release() }
        link.react(to: item("a"), Self.liked, now: .seconds(5))
        let began = ContinuousClock.now
        link.close()
        #expect(ContinuousClock.now - began < .milliseconds(1_500))
        #expect(try Store(reading: path).entries(of: .liked, limit: 9).isEmpty, "the change waits for the lock")
    }

    // MARK: Services and comments

    /// Only the feed from the network that listed an item knows its id.
    @Test func reportsGoToTheFeedThatListedTheItem() {
        defer { link.close() }
        let endpoint = "https://h.example/service"
        func reported(_ id: String, _ url: String, feed: String?) -> String? {
            LibraryLink.itemEndpoint(endpoint, for: Item(id: id, url: url, feed: feed))
        }
        let url = "https://h.example/a.mp4"
        #expect(reported("a", url, feed: Self.feed) == endpoint)
        #expect(reported("a", "file:///a.mp4", feed: Self.feed) == nil)
        #expect(reported("a", url, feed: nil) == nil)
        #expect(reported("a", url, feed: "file:///feed.json") == nil)
        #expect(reported(ItemID.hash(of: url), url, feed: Self.feed) == nil)
        #expect(LibraryLink.itemEndpoint(nil, for: item("a")) == nil)
        (link.endpoint, link.declared) = (endpoint, [.likeComment])
        #expect(link.endpoint(for: item("a")) == endpoint)
        // Nothing is sent to services.
        #expect(!link.takesComments && !link.takesComments(on: item("a")) && link.abilities.isEmpty)
    }

    @Test func commentsOnFilesOutsideAFeedOfTheNetworkStayHere() {
        link.close()
        func keeps(_ url: String, feed: String?) -> Bool {
            LibraryLink.keepsComments(on: Item(id: "a", url: url, feed: feed))
        }
        #expect(keeps("file:///a.mp4", feed: nil) && keeps("file:///a.mp4", feed: "file:///feed.json"))
        #expect(!keeps("file:///a.mp4", feed: Self.feed) && !keeps("https://h.example/a.mp4", feed: nil))
    }

    @Test func commentsWithoutAServiceAreUnavailable() {
        defer { link.close() }
        link.endpoint = "https://h.example/service"
        link.loadComments(of: item("b"), after: nil)
        let messages = inbox.drain()
        guard messages.count == 1,
            case .event(.commentsUnavailable("b", why: "this feed has no comments")) = messages[0]
        else {
            Issue.record("\(messages)")
            return
        }
    }

    private func ownComments(_ link: LibraryLink, on item: Item) -> [Model.Comment]? {
        let found = Monitor<[Model.Comment]?>(nil)
        link.readOwnComments(on: item) { comments in found.change { $0 = comments } }
        return found.wait(upTo: .seconds(20)) { $0 }
    }

    @Test func ownCommentsComeBackAsTheyWereWritten() {
        defer { link.close() }
        link.keepComment(on: item("a"), id: "1", "First", parent: nil, now: .seconds(5))
        link.keepComment(on: item("a"), id: "2", "Answer", parent: "1", now: .seconds(6))
        link.keepComment(on: item("b"), id: "3", "Elsewhere", parent: nil, now: .seconds(7))
        func comment(_ id: String, _ text: String, at: Double, parent: String?) -> Model.Comment {
            Model.Comment(id: id, text: text, at: Date(timeIntervalSince1970: at), parent: parent, isOwn: true)
        }
        let first = comment("1", "First", at: 1_005, parent: nil)
        let answer = comment("2", "Answer", at: 1_006, parent: "1")
        #expect(ownComments(link, on: item("a")) == [answer, first])
        link.deleteComment("2")
        #expect(ownComments(link, on: item("a")) == [first])
        link.restore(answer, on: item("a"))
        #expect(ownComments(link, on: item("a")) == [answer, first])
    }

    /// The page waits for an answer.
    @Test func libraryThatCannotBeReadHasNoComments() throws {
        link.close()
        let file = try folder.write("file", [0])
        let unreadable = try Self.link(at: file + "/flick.db", folder, inbox)
        defer { unreadable.close() }
        #expect(ownComments(unreadable, on: item("a")) == [])
        guard case .event(.notice(let text, .remark))? = inbox.drain().first else {
            Issue.record("no notice")
            return
        }
        #expect(text.hasPrefix("cannot save to '\(file)/flick.db': "))
    }
}
