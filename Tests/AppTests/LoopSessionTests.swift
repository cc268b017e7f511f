import Bytes
import Engagement
import Feeds
import Foundation
import HTTP
import Model
import TestSupport
import Testing

@testable import App
@testable import Player
@testable import UI

/// Sessions of the loop that end, or have something else asked of them, while a request is in flight.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct LoopSessionTests {
    private let server: FaultyServer

    init() throws { server = try FaultyServer() }

    private func jsonFeed(_ names: [String], next: String? = nil) -> [UInt8] {
        let items = names.map {
            #"{"id":"\#($0)","attachments":[{"url":"\#(server.url("/\($0).mp4"))","mime_type":"video/mp4"}]}"#
        }
        let further = next.map { #","next_url":"\#(server.url($0))""# } ?? ""
        let version = "https://jsonfeed.org/version/1.1"
        return Array(
            #"{"version":"\#(version)","title":"T"\#(further),"items":[\#(items.joined(separator: ","))]}"#.utf8)
    }

    private func serve(_ path: String, _ bytes: [UInt8], faults: [Fault] = []) {
        server.serve(path, Resource(.bytes(bytes), type: "application/feed+json", etag: nil, faults: faults))
    }

    /// A feed of two items that has a further page of two, which the server has as `page`.
    ///
    /// - Parameter isNamed: whether it is the source that flick was started with, and can be read again.
    private func stageWithPages(
        _ page: [Fault] = [], isNamed: Bool = false
    ) throws -> (stage: LoopStage, pages: any FurtherPages) {
        serve("/feed.json", jsonFeed(["a", "b"], next: "/page.json"))
        serve("/page.json", jsonFeed(["c", "d"]), faults: page)
        let provider = CachedProvider(cache: nil, network: NetworkOptions())
        let feed = try loadFeed(sources: [server.url("/feed.json")], provider: provider)
        let source = isNamed ? server.url("/feed.json") : nil
        return (try LoopStage(feed: feed, provider: provider, source: source), try #require(feed.pages))
    }

    private func other() -> LoopMessage {
        let items = Array(LoopStage.items.prefix(3))
        return .feed(.read(.source, .success((Feed(title: nil, items: items, source: "file:///clips"), ReturnPoint()))))
    }

    // MARK: Places

    private func stageWithLibrary() throws -> LoopStage {
        serve("/feed.json", jsonFeed(["a", "b", "c"]))
        let provider = CachedProvider(cache: nil, network: NetworkOptions())
        let feed = try loadFeed(sources: [server.url("/feed.json")], provider: provider)
        return try LoopStage(feed: feed, provider: provider, library: true, source: server.url("/feed.json"))
    }

    @Test func placesAreShownWhereTheyWereLeft() throws {
        let stage = try stageWithLibrary()
        defer { stage.close() }
        stage.start()
        try stage.type("j")
        stage.run(for: .seconds(1))
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.current == .forYou })
        #expect(stage.state.items.count == 3 && stage.state.current == 0)
        #expect(stage.state.feed.title.text == "For You")
        try stage.type("G\u{1B}[Z")
        #expect(stage.wait { stage.state.feed.places.current == .source })
        #expect(stage.state.current == 1)
        // At once: it was not read again.
        let requests = server.requests(for: "/feed.json").count
        try stage.type("\t")
        stage.settle()
        #expect(stage.state.feed.places.current == .forYou && stage.state.current == 2)
        #expect(server.requests(for: "/feed.json").count == requests)
    }

    /// A second reading would put its clips in another order under the user's eyes.
    @Test func placeThatIsBeingReadIsNotReadTwice() throws {
        let stage = try stageWithLibrary()
        defer { stage.close() }
        stage.start()
        let requests = server.requests(for: "/feed.json").count
        let gate = DispatchSemaphore(value: 0)
        let bytes = jsonFeed(["a", "b", "c"])
        let answer = Resource.Body.dynamic { _ in
            gate.wait()
            gate.signal()
            return bytes
        }
        server.serve("/feed.json", Resource(answer, type: "application/feed+json"))
        try stage.type("\t\u{1B}[Z\t")
        #expect(stage.wait { server.requests(for: "/feed.json").count > requests })
        gate.signal()
        #expect(stage.wait { stage.state.feed.places.current == .forYou })
        stage.run(for: .seconds(2))
        #expect(server.requests(for: "/feed.json").count == requests + 1)
    }

    @Test func placeThatIsStillBeingReadIsReadWhenTheUserComesBack() throws {
        let stage = try LoopStage(nil, library: true)
        defer { stage.close() }
        stage.start()
        let session = stage.loop.feed
        #expect(session.isReading)
        stage.loop.state.feed.places.want(.liked)
        let liked = Feed(title: nil, items: LoopStage.items, source: "library:liked")
        stage.inbox.post(.feed(.read(.liked, .success((liked, ReturnPoint())))))
        stage.settle()
        #expect(stage.state.feed.places.current == .liked && session.left[.source] == nil)
    }

    /// It does not come back as it was at an earlier time.
    @Test func placeThatIsLeftWhileItReloadsIsReadAgain() throws {
        let stage = try stageWithLibrary()
        defer { stage.close() }
        stage.start()
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.current == .forYou })
        try stage.type("\u{1B}[Z")
        #expect(stage.wait { stage.state.feed.places.current == .source })
        let (gate, bytes) = (DispatchSemaphore(value: 0), jsonFeed(["n", "a", "b", "c"]))
        let answer: @Sendable () -> [UInt8] = {
            gate.wait()
            gate.signal()
            return bytes
        }
        server.serve(
            "/feed.json",
            Resource(.dynamic { _ in answer() }, type: "application/feed+json", etag: nil))
        let requests = server.requests(for: "/feed.json").count
        try stage.type("r")
        #expect(stage.wait { server.requests(for: "/feed.json").count > requests })
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.current == .forYou })
        gate.signal()
        // Its answer comes while another place is shown.
        stage.run(for: .seconds(1))
        try stage.type("\u{1B}[Z")
        #expect(stage.wait { stage.state.feed.places.current == .source && stage.state.items.count == 4 })
    }

    @Test func placesOfOtherSourcesAreReadAgain() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        stage.start()
        let session = stage.loop.feed
        let feed = Feed(title: nil, items: LoopStage.items, source: "")
        for place in [Place.home, .forYou, .following, .saved] {
            session.left[place] = FeedSession.LeftPlace(feed: feed, index: 0, item: nil)
        }
        _ = session.change(home: [FeedSource("/clips")], on: stage.state)
        #expect(Array(session.left.keys) == [.saved])
    }

    @Test func placeThatCannotBeReadLeavesThePage() throws {
        let stage = try stageWithLibrary()
        defer { stage.close() }
        stage.start()
        server.serve("/feed.json", nil as Resource?)
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.wanted == nil })
        #expect(stage.state.feed.places.current == .source && stage.state.items.count == 3)
        #expect(stage.loop.exit == nil)
    }

    @Test func clipThatIsLikedIsInItsPlace() throws {
        let stage = try stageWithLibrary()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(2))
        try stage.type("l")
        stage.run(for: .seconds(1))
        for _ in 0..<3 {
            try stage.type("\t")
            stage.settle()
        }
        #expect(stage.wait { stage.state.feed.places.current == .liked })
        #expect(stage.wait { stage.state.items.count == 1 })
    }

    // MARK: The feed

    @Test func furtherPageIsAddedNearTheEnd() throws {
        let stage = try stageWithPages().stage
        defer { stage.close() }
        stage.start()
        #expect(stage.wait { stage.state.items.count == 4 })
        #expect(server.requests(for: "/page.json").count == 1)
    }

    @Test func pageOfAFeedThatWasReplacedIsDropped() throws {
        let (stage, pages) = try stageWithPages()
        defer { stage.close() }
        // The page arrives in one step with the feed that replaces its own.
        let page = try #require(try pages.load())
        stage.inbox.post(other())
        stage.inbox.post(.feed(.page(pages, .success(page))))
        stage.start()
        #expect(page.items.count == 4)
        #expect(stage.state.items.count == 3)
    }

    @Test func pageThatFailsIsReportedOnceAndTriedAgain() throws {
        let stage = try stageWithPages([.status(404).first(2)]).stage
        defer { stage.close() }
        stage.start()
        #expect(stage.wait { stage.state.toasts.current?.text.text.hasPrefix("Couldn't load more") == true })
        #expect(stage.state.items.count == 2)
        let count = stage.state.toasts.count
        let due = try #require(stage.loop.feed.nextWake(left: 1))
        #expect(due > stage.now && due <= stage.now + PageAhead.shortestPause)
        stage.skip(PageAhead.shortestPause)
        #expect(stage.wait { server.requests(for: "/page.json").count == 2 })
        #expect(stage.wait { stage.loop.feed.nextWake(left: 1).map { $0 > stage.now } == true })
        #expect(stage.state.toasts.count == count)
        stage.skip(.seconds(60))
        #expect(stage.wait { stage.state.items.count == 4 })
    }

    /// Five items before the end, unless the configuration says otherwise.
    @Test func furtherPageIsRequestedFiveItemsBeforeTheEnd() throws {
        serve("/feed.json", jsonFeed((0..<7).map { "i\($0)" }, next: "/page.json"))
        serve("/page.json", jsonFeed(["z"]))
        let provider = CachedProvider(cache: nil, network: NetworkOptions())
        let feed = try loadFeed(sources: [server.url("/feed.json")], provider: provider)
        let stage = try LoopStage(feed: feed, provider: provider)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        let isEarly = holds(within: .milliseconds(200)) { !server.requests(for: "/page.json").isEmpty }
        #expect(!isEarly)
        try stage.type("j")
        #expect(stage.wait { stage.state.items.count == 8 })
    }

    /// Its pause is a deadline of the loop, and the user need not wait for it.
    @Test func keyAtTheEndLoadsAFailedPageAtOnce() throws {
        let stage = try stageWithPages([.status(404).first(2)]).stage
        defer { stage.close() }
        stage.start()
        #expect(stage.wait { stage.state.toasts.current?.text.text.hasPrefix("Couldn't load more") == true })
        // The user comes nearer, so it is tried again.
        try stage.type("G")
        #expect(
            stage.wait {
                server.requests(for: "/page.json").count == 2 && stage.loop.feed.nextWake(left: 0) != nil
            })
        let due = try #require(stage.loop.feed.nextWake(left: 0))
        #expect(due > stage.now && stage.loop.deadlines(now: stage.now).contains(due))
        try stage.type("j")
        #expect(stage.wait { stage.state.items.count == 4 })
        #expect(stage.now < due && server.requests(for: "/page.json").count == 3)
    }

    @Test func feedThatWasReadAgainMayBeReadOnceMore() throws {
        serve("/feed.json", jsonFeed(["a", "b"]))
        let stage = try LoopStage(source: server.url("/feed.json"))
        defer { stage.close() }
        stage.start()
        try stage.type("r")
        #expect(stage.wait { stage.state.items.count == 2 })
        #expect(!stage.loop.feed.isReading)
        stage.inbox.post(.feed(.read(.source, .failure(AppError("no feed")))))
        stage.settle()
        #expect(!stage.loop.feed.isReading)
    }

    /// A feed that comes from the cache by itself has a badge only.
    @Test func reloadOfAnUnreachableFeedIsAnswered() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        var cached = Feed(title: nil, items: LoopStage.items, source: "file:///clips")
        cached.cachedAge = .seconds(60)
        for isWanted in [false, true] {
            // The folder is not there: nothing else is read.
            stage.loop.feed.reload(on: stage.state, isWanted: isWanted)
            let count = stage.state.toasts.count
            for event in stage.loop.feed.show(cached) { stage.loop.handle(event) }
            #expect(stage.state.toasts.count == count + (isWanted ? 1 : 0))
        }
        #expect(stage.state.toasts.current?.text.text == "Still offline: server unreachable")
    }

    /// The user turns to another page before the answer is there; its first page has neither clip.
    @Test func clipThatIsTurnedToWhileTheFeedIsReadAgainStaysInView() throws {
        let stage = try stageWithPages(isNamed: true).stage
        defer { stage.close() }
        stage.start()
        #expect(stage.wait { stage.state.items.count == 4 })
        let (gate, feed) = (DispatchSemaphore(value: 0), jsonFeed(["a", "b"], next: "/page.json"))
        server.serve(
            "/feed.json",
            Resource(
                .dynamic { _ in
                    gate.wait()
                    gate.signal()
                    return feed
                }, type: "application/feed+json", etag: nil))
        let all = (0..<4).map { stage.state.items.id(at: $0) }
        try stage.type("Gr")
        #expect(stage.wait { server.requests(for: "/feed.json").count == 2 })
        try stage.type("k")
        stage.run(for: .seconds(1))
        #expect(stage.state.current == 2)
        gate.signal()
        #expect(stage.wait { stage.state.current == 0 })
        #expect(stage.state.content?.item.id == all[2])
        #expect((0..<4).map { stage.state.items.id(at: $0) } == [all[2], all[3], all[0], all[1]])
    }

    /// Nothing of the source before it is in it.
    @Test func sourceThatIsShownInPlaceOfAnotherIsItsOwn() throws {
        let stage = try stageWithPages(isNamed: true).stage
        defer { stage.close() }
        stage.start()
        #expect(stage.wait { stage.state.items.count == 4 })
        let old = Set((0..<4).map { stage.state.items.id(at: $0) })
        serve("/other.json", jsonFeed(["x", "y"], next: "/others.json"))
        serve("/others.json", jsonFeed(["z"]))
        let events = stage.loop.feed.open(FeedSource(server.url("/other.json")), on: stage.state)
        for event in events { stage.loop.handle(event) }
        #expect(stage.wait { stage.state.items.count == 3 })
        #expect((0..<3).allSatisfy { !old.contains(stage.state.items.id(at: $0)) })
    }

    @Test func subtitlesOfTheUserAreThoseOfAllPages() throws {
        let captions = CaptionLink(url: "file:///clips/a.srt")
        let feed = Feed(title: nil, items: LoopStage.items, pages: try stageWithPages().pages, source: "")
            .with(captions)
        let pages = try #require(feed.pages)
        var lists = [feed.items, pages.keep(Item(id: "w", url: "file:///clips/w.mp4"))]
        lists.append(try #require(try pages.load()).items)
        #expect(lists.map(\.count) == [5, 3, 5])
        for list in lists {
            #expect((0..<list.count).allSatisfy { list[$0].captions == [captions] })
        }
    }

    @Test func closedPartComesBackToTheWholeFeed() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        try stage.type("j")
        stage.run(for: .seconds(1))
        let session = stage.loop.feed
        #expect(session.isWhole && session.closePart().isEmpty)
        var items = LoopStage.items
        items[1].tags = ["rain"]
        stage.inbox.post(.feed(.read(.source, .success((Feed(title: nil, items: items, source: "x"), ReturnPoint())))))
        stage.settle()
        let part = FeedPart.topic("rain")
        stage.loop.handle(Event.notice("", .news))
        stage.loop.state.feed.want(part, now: stage.now)
        stage.pool.retention = .home
        stage.inbox.post(.feed(.part(part, Feed(title: nil, items: [items[1]], source: "x"))))
        stage.settle()
        #expect(!session.isWhole && stage.state.items.count == 1 && stage.pool.retention == .lasting)
        let events = session.closePart()
        #expect(session.isWhole && stage.pool.retention == .home)
        guard case .wholeFeed(let whole, _, let index)? = events.first else {
            Issue.record("no event for the page")
            return
        }
        #expect(whole.count == 5 && index == 1)
    }

    @Test func topicIsEncodedInTheRequestToTheService() throws {
        let stage = try LoopStage(source: server.url("/feed.json"))
        defer { stage.close() }
        stage.start()
        stage.loop.feed.loader.load(
            .topic("R&B café"), of: stage.state.items, at: server.url("/service"), keeping: LoopStage.items[0])
        #expect(server.waitUntil { $0.requests == 1 })
        #expect(server.requests(for: "/service/feed.json").map(\.query) == ["topic=R%26B%20caf%C3%A9"])
    }

    /// What is found for a part that is not wanted any more changes nothing.
    @Test func partThatIsNotWantedAnyMoreIsDropped() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.inbox.post(.feed(.part(.topic("rain"), Feed(title: nil, items: [LoopStage.items[1]], source: "x"))))
        stage.settle()
        #expect(stage.loop.feed.isWhole && stage.state.items.count == 5)
    }

    // MARK: The library

    @Test func placesOfClipsReachThePlayers() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.inbox.post(.places(["c": .seconds(90)]))
        stage.settle()
        #expect(stage.pool.place(of: "c", now: stage.now) == .seconds(90))
    }

    @Test func closingTheLibrarySavesTheHistory() throws {
        let stage = try LoopStage(library: true)
        stage.start()
        stage.run(for: .seconds(5))
        stage.loop.library.finish(now: stage.now)
        stage.close()
        let store = try Store(reading: stage.folder.path + "/flick.db")
        let key = ItemKey(LoopStage.items[0])
        #expect(try store.seen(among: [key]).contains(key))
    }

    @Test func clipThatIsSeenAgainIsFirstInTheHistory() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(2))
        for (key, history) in [("j", ["b", "a"]), ("k", ["a", "b"])] {
            try stage.type(key)
            stage.run(for: .seconds(2))
            #expect(
                stage.wait {
                    stage.stored { try $0.entries(of: .history, limit: 9).map(\.item.key) }
                        == history.map { ItemKey(Item(id: $0, url: "file:///clips/\($0).mp4")) }
                })
        }
    }

    // MARK: The end

    @Test func shutdownEndsRequestsInFlight() throws {
        server.serve("/a.vtt", .text(LoopStage.cues, faults: [.stall(after: 3)]))
        serve("/feed.json", jsonFeed(["a", "b"]), faults: [.stall(after: 5)])
        let stage = try LoopStage(source: server.url("/feed.json"))
        stage.start()
        stage.captions.readCaptions(0, of: server.item("a"))
        try stage.type("r")
        stage.settle()
        #expect(server.waitUntil { $0.answering == 2 })
        stage.close()
        #expect(server.waitUntil { $0.answering == 0 })
    }
}
