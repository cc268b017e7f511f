import Feeds
import Foundation
import Model
import TestSupport
import Testing

@testable import App
@testable import UI

/// The feed in view, its pages and parts, and the places behind it.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct FeedSessionTests {
    private static let items = ["a", "b", "c", "d", "e"].map { name in
        var item = Item(id: name, url: "file:///clips/\(name).mp4", title: "Title-\(name)")
        item.tags = ["rain", "sea"]
        return item
    }
    private let items = FeedSessionTests.items

    private func feed(_ title: String? = nil, _ pages: ScriptedPages? = nil, warnings: [String] = []) -> Feed {
        Feed(title: title, items: items, pages: pages, warnings: warnings, source: "s")
    }

    private func page(next: String?, warnings: [String] = []) -> ScriptedPages.Answer {
        .success(FeedPages.Page(url: "page", items: items, added: 2, next: next, warnings: warnings))
    }

    // MARK: Words

    @Test func beginningOfTheFeedIsAnnounced() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        let session = stage.session { $0.start = 8 }
        func words(_ start: FeedStart, of count: Int) -> [String] {
            session.words(for: start, of: count, as: .remark) { "\($0), or not" }.map(\.summary)
        }
        #expect(words(.top, of: 9).isEmpty)
        #expect(words(.new(3), of: 9) == ["remark: 3 new"])
        #expect(words(.resumed(4), of: 9) == ["remark: Resumed at 5 of 9, or not"])
        #expect(words(.top, of: 8) == ["failure: No item 9; started at the last, 8"])
        #expect(words(.top, of: 0).isEmpty)
    }

    @Test func warningsAreCountedAndLogged() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        let session = stage.loop.feed
        #expect(session.warn(of: [String]()).isEmpty)
        #expect(session.warn(of: ["one"]).map(\.summary) == ["remark: one"])
        #expect(session.warn(of: ["first", "second", "third"]).map(\.summary) == ["remark: 3 problems, first: first"])
        #expect(stage.log.contains("warning: feed: second\n") && stage.log.contains("warning: feed: third\n"))
        #expect(!stage.log.contains("feed: first\n"))
        // A badge says how old it is.
        var cached = feed(warnings: ["fourth"])
        cached.cachedAge = .seconds(60)
        #expect(session.warn(of: cached).isEmpty && stage.log.contains("warning: feed: fourth\n"))
    }

    @Test func reloadByAKeyIsAnsweredAfterAnotherReload() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        let session = stage.loop.feed
        var cached = feed()
        cached.cachedAge = .seconds(60)
        for isWanted in [true, false] { session.reload(on: stage.state, isWanted: isWanted) }
        #expect(
            session.show(cached).map(\.summary) == ["cachedFeed", "failure: Still offline: server unreachable"])
        session.reload(on: stage.state, isWanted: false)
        #expect(session.show(cached).map(\.summary) == ["cachedFeed"])
        session.reload(on: stage.state, isWanted: true)
        session.fail(.source)
        #expect(!session.isReading)
        #expect(session.show(cached).map(\.summary) == ["cachedFeed"])
    }

    @Test func serviceIsThatOfTheFeedInView() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        let library = stage.libraryWithServices()
        defer { library.close() }
        let session = stage.session(library: library)
        var feed = Feed(
            title: nil, items: items, engagement: "https://h.example/service",
            source: "https://me:secret@h.example/feed.json")
        feed.abilities = [.deleteItem]
        feed.cachedAge = .seconds(60)
        guard case .cachedFeed(age: let age)? = session.note(feed).first,
            case .service(let takesComments, let abilities, let address) = session.service
        else {
            Issue.record("no service")
            return
        }
        #expect(age == .seconds(60) && takesComments && abilities == [.deleteItem])
        #expect(address == "https://h.example/feed.json" && library.source == address)
        // A list of the library says nothing new of where its items are from.
        stage.loop.state.feed.places.want(.liked)
        _ = session.receive(
            Feed(title: nil, items: items, source: "library:liked"), of: .liked, from: ReturnPoint(), on: stage.state)
        #expect(library.source == "" && library.endpoint == nil && library.declared.isEmpty)
    }

    // MARK: Parts

    /// A session whose feed has these pages, with the part of a topic open.
    private func openPart(
        of stage: LoopStage, whole: ScriptedPages, part: ScriptedPages
    ) -> (session: FeedSession, events: [Event]) {
        let session = stage.session(feed("All", whole))
        stage.pool.retention = .home
        return (session, open(.topic("rain"), part, in: session, on: stage))
    }

    private func open(
        _ part: FeedPart, _ pages: ScriptedPages, in session: FeedSession, on stage: LoopStage
    ) -> [Event] {
        stage.loop.state.feed.want(part, now: .zero)
        return session.show(part, feed(nil, pages, warnings: ["odd"]), on: stage.state)
    }

    @Test func closedPartGivesBackThePagesAndTheTitleOfTheFeed() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        let (whole, part) = (ScriptedPages(), ScriptedPages())
        let (session, events) = openPart(of: stage, whole: whole, part: part)
        #expect(events.map(\.summary) == ["#rain: 5", "remark: odd"])
        #expect(session.pages === part && session.whole?.pages === whole && stage.pool.retention == .lasting)
        #expect(session.closePart().map(\.summary) == ["whole feed, All, 0 of 5"])
        #expect(session.pages === whole && stage.pool.retention == .home && session.isWhole)
        #expect(part.cancels == 1 && whole.cancels == 0)
    }

    @Test func secondPartComesBackToTheWholeFeed() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        let (whole, first, second) = (ScriptedPages(), ScriptedPages(), ScriptedPages())
        let session = openPart(of: stage, whole: whole, part: first).session
        #expect(open(.topic("sea"), second, in: session, on: stage).first?.summary == "#sea: 5")
        #expect(first.cancels == 1 && session.pages === second && session.whole?.pages === whole)
        _ = session.closePart()
        #expect(session.pages === whole && stage.pool.retention == .home)
        #expect([whole, first, second].map(\.cancels) == [0, 1, 1])
    }

    @Test func feedThatIsReadAgainEndsThePartBeforeIt() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        let (whole, part, new) = (ScriptedPages(), ScriptedPages(), ScriptedPages())
        let session = openPart(of: stage, whole: whole, part: part).session
        #expect(session.show(feed("New", new)).map(\.summary) == ["cachedFeed"])
        #expect([whole, part, new].map(\.cancels) == [1, 1, 0])
        #expect(session.pages === new && session.isWhole && stage.pool.retention == .home)
    }

    // MARK: Further pages

    @Test func lastPageEndsTheFeed() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        let pages = ScriptedPages()
        let session = stage.session(feed(nil, pages))
        func receive(_ answer: ScriptedPages.Answer, of from: ScriptedPages) -> [String] {
            session.receive(answer, of: from, left: 1, now: .zero).map(\.summary)
        }
        #expect(receive(page(next: "more", warnings: ["odd"]), of: pages) == ["more", "remark: odd"])
        #expect(receive(page(next: nil), of: ScriptedPages()).isEmpty && session.pages === pages)
        #expect(receive(page(next: nil), of: pages) == ["more"] && session.pages == nil)
        session.pages = pages
        #expect(receive(.success(nil), of: pages).isEmpty && session.pages == nil)
    }

    @Test func pageThatFailsAgainIsOnlyLogged() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        let pages = ScriptedPages()
        let session = stage.session(feed(nil, pages))
        let first = session.receive(.failure(.noSources), of: pages, left: 3, now: .seconds(5))
        #expect(first.map(\.summary) == ["moreFailed", "failure: Couldn't load more: \(FeedsError.noSources)"])
        #expect(session.nextWake(left: 3) == .seconds(7) && !stage.log.contains("warning: feed: "))
        let second = session.receive(.failure(.emptyFolder("file:///x")), of: pages, left: 3, now: .seconds(7))
        #expect(second.map(\.summary) == ["moreFailed"])
        #expect(stage.log.contains("warning: feed: \(FeedsError.emptyFolder("file:///x"))\n"))
        session.pages = nil
        #expect(session.nextWake(left: 3) == nil)
    }

    @Test func pagesAreLoadedAtTheConfiguredDistance() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        let (first, second, third) = (ScriptedPages(), ScriptedPages(), ScriptedPages(isArriving: true))
        let session = stage.session(feed(nil, first)) { $0.setup.configuration.feed.loadMoreAt = 2 }
        func loads(_ pages: ScriptedPages, at left: Int) -> Bool {
            session.loadAhead(left: left, now: .zero)
            return holds(within: .milliseconds(left == 2 ? 10_000 : 200)) { pages.loads > 0 }
        }
        #expect(!loads(first, at: 3) && loads(first, at: 2))
        _ = session.show(feed(nil, second))
        #expect(!loads(second, at: 3) && loads(second, at: 2))
        // What is arriving of the feed is loaded wherever the user is.
        _ = session.show(feed(nil, third))
        session.loadAhead(left: 99, now: .zero)
        #expect(holds(within: .seconds(10)) { third.loads == 1 })
    }

    // MARK: Places

    @Test func placeThatIsLeftKeepsItsPagesAndItsTitle() throws {
        let pages = ScriptedPages()
        let items = (0..<20).map { Item(id: "i\($0)", url: "file:///clips/\($0).mp4") }
        let stage = try LoopStage(feed: Feed(title: "Twenty", items: items, pages: pages, source: "s"))
        defer { stage.close() }
        stage.start()
        try stage.type("jjj")
        stage.run(for: .seconds(1))
        stage.loop.state.feed.places.want(.liked)
        let liked = Feed(title: "Liked", items: Array(items.suffix(2)), source: "library:liked")
        stage.inbox.post(.feed(.read(.liked, .success((liked, ReturnPoint())))))
        stage.settle()
        let session = stage.loop.feed
        let left = try #require(session.left[.source])
        #expect(left.index == 3 && left.item == "i3" && left.feed.title == "Twenty" && left.feed.pages === pages)
        #expect(session.pages == nil && pages.cancels == 0)
        #expect(session.open(.source, on: stage.state).last?.summary == "source, Twenty, 3 of 20")
        #expect(session.pages === pages && session.left[.liked]?.item == "i18")
    }

    @Test func placeIsShownAtTheItemAtWhichItWasLeft() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        let session = stage.session(feed("Mine"))
        session.left[.saved] = FeedSession.LeftPlace(feed: feed("Saved"), index: 1, item: "b")
        let moved = Feed(
            title: "Saved", items: [items[3], items[0], items[1]], warnings: ["odd"], source: "library:saved")
        var point = ReturnPoint()
        point.start = .resumed(4)
        // Not while the user wants another place, or none.
        #expect(session.receive(moved, of: .saved, from: point, on: stage.state).isEmpty && session.isAt(.source))
        stage.loop.state.feed.places.want(.saved)
        let events = session.receive(moved, of: .saved, from: point, on: stage.state).map(\.summary)
        #expect(events == ["cachedFeed", "service", "saved, Saved, 2 of 3", "remark: odd"] && session.isAt(.saved))
        // One that was not left yet, where the library says.
        stage.loop.state.feed.places.want(.history)
        let history = session.receive(feed("History"), of: .history, from: point, on: stage.state)
        #expect(history.last?.summary == "history, History, 4 of 5")
    }

    @Test func listsOfTheLibraryAreReadAgain() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        let session = stage.session(feed("Mine"))
        for (index, place) in [Place.source, .liked, .forYou, .following].enumerated() {
            session.left[place] = FeedSession.LeftPlace(feed: feed(place.name), index: index, item: nil)
        }
        #expect(session.open(.source, on: stage.state).isEmpty && session.open(.liked, on: stage.state).isEmpty)
        session.changeFollows()
        #expect(session.open(.following, on: stage.state).isEmpty)
        #expect(session.open(.forYou, on: stage.state).last?.summary == "forYou, For You, 2 of 5")
        // It was read since the follows changed.
        #expect(session.open(.following, on: stage.state).last?.summary == "following, Following, 3 of 5")
    }

    @Test func clipsOfHomeStayCachedForAShorterTime() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        func arrive(at place: Place, in session: FeedSession) -> Asset.Retention {
            stage.loop.state.feed.places.want(place)
            _ = session.receive(feed(), of: place, from: ReturnPoint(), on: stage.state)
            return stage.pool.retention
        }
        let home = [FeedSource("/home")]
        let named = stage.session(feed(), places: try PlaceSources(named: [FeedSource("/clips")], home: home))
        #expect(stage.pool.retention == .lasting)
        #expect(arrive(at: .home, in: named) == .home && arrive(at: .liked, in: named) == .lasting)
        #expect(arrive(at: .forYou, in: named) == .home)
        stage.pool.retention = .lasting
        _ = stage.session(feed(), places: try PlaceSources(named: [], home: home))
        #expect(stage.pool.retention == .home)
    }

    @Test func listThatLacksAChangeOfTheSourcesIsNotShown() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        let session = stage.session(feed())
        func shows(after changes: Int) -> Bool { !session.receive(PlaceList(), changes: changes).isEmpty }
        #expect(shows(after: 0) && !shows(after: 1))
        session.change(.remove(PlaceList.Source("/gone")))
        #expect(!shows(after: 0))
        _ = stage.inbox.messages { if case .feed(.sources) = $0 { true } else { false } }
        #expect(session.change(home: nil, on: stage.state).isEmpty)
        // It is counted again, now with the change.
        let messages = stage.inbox.messages { if case .feed(.counted) = $0 { true } else { false } }
        let counted: [Int] = messages.compactMap {
            if case .feed(.counted(_, let changes)) = $0 { changes } else { nil }
        }
        #expect(counted == [1] && shows(after: 1) && !shows(after: 0))
    }

    @Test func homeIsReadAgainOnlyIfItsSourcesChanged() throws {
        let stage = try LoopStage(items)
        defer { stage.close() }
        let session = stage.session(feed(), places: try PlaceSources(named: [], home: [FeedSource("/old")]))
        let (old, new) = ([FeedSource("/old")], [FeedSource("/new", weight: 2)])
        #expect(session.change(home: old, on: stage.state).isEmpty && !session.isReading)
        #expect(session.change(home: new, on: stage.state).count == 1 && session.isReading)
        #expect(session.loader.places.home == new)
        // The user did not ask for that.
        var cached = feed()
        cached.cachedAge = .seconds(60)
        #expect(session.show(cached).map(\.summary) == ["cachedFeed"])
        #expect(session.change(home: [], on: stage.state).count == 1 && !session.isReading)
    }

    // MARK: Folders

    /// A page at rest with the clips of a folder, which the loop follows.
    private func stage(of folder: TemporaryFolder, _ names: [String]) throws -> LoopStage {
        for name in names { try folder.write("\(name).mp4", [1]) }
        let stage = try LoopStage(nil, source: folder.path)
        stage.hidden.set(HideRule(.words, value: "spoiler"), hides: true)
        stage.start()
        stage.loop.feed.loader.load(.source)
        #expect(stage.wait { stage.state.items.count == names.count })
        stage.run(for: .seconds(5))
        return stage
    }

    /// Files are noticed after seconds.
    private func wait(_ stage: LoopStage, until done: () -> Bool) -> Bool {
        holds(within: .seconds(30)) {
            stage.settle()
            return done()
        }
    }

    private func titles(_ list: any ItemList) -> [String] { (0..<list.count).map { list[$0].title ?? "" } }

    @Test func clipsThatComeAndGoInAFolderAreShown() throws {
        let folder = TemporaryFolder()
        let stage = try stage(of: folder, ["a", "b", "c"])
        defer { stage.close() }
        try stage.type("j")
        stage.run(for: .seconds(1))
        for name in ["new", "spoiler"] { try folder.write("\(name).mp4", [1]) }
        #expect(wait(stage) { stage.state.items.count == 4 })
        #expect(titles(stage.state.items) == ["a", "b", "c", "new"])
        // The hidden one does not count.
        #expect(stage.state.toasts.current?.text.text == "1 new clip")
        try FileManager.default.removeItem(atPath: folder.path + "/a.mp4")
        #expect(wait(stage) { stage.state.items.count == 3 })
        #expect(titles(stage.state.items) == ["b", "c", "new"] && stage.state.current == 0)
    }

    @Test func feedBehindAPartFollowsItsFolder() throws {
        let folder = TemporaryFolder()
        let stage = try stage(of: folder, ["x/a", "x/b", "y/c", "y/d"])
        defer { stage.close() }
        try stage.type("jj")
        stage.run(for: .seconds(1))
        let (session, part) = (stage.loop.feed, FeedPart.folder("y"))
        stage.loop.state.feed.want(part, now: stage.now)
        _ = session.show(part, Feed(title: nil, items: [stage.state.items[2]], source: ""), on: stage.state)
        #expect(session.whole?.index == 2)
        try FileManager.default.removeItem(atPath: folder.path + "/x/a.mp4")
        #expect(wait(stage) { session.whole?.items.count == 3 })
        let whole = try #require(session.whole)
        #expect(whole.index == 1 && titles(whole.items) == ["b", "c", "d"] && whole.pages == nil)
        #expect(stage.state.items.count == 4)
    }
}
