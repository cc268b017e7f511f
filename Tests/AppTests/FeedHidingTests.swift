import Feeds
import Model
import TestSupport
import Testing

@testable import App
@testable import UI

/// What is hidden and deleted, in the feed in view and in those behind it.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct FeedHidingTests {
    private static let items = ["a", "b", "c", "d", "e"].map { name in
        var item = Item(id: name, url: "file:///clips/\(name).mp4", title: "Title-\(name)")
        item.tags = ["rain"]
        return item
    }

    private func ids(_ list: (any ItemList)?) -> [Item.ID] {
        (0..<(list?.count ?? 0)).map { list?.id(at: $0) ?? "" }
    }

    // MARK: Rules

    @Test func ownRulesAreDistinguishedFromConfiguredOnes() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        let hidden = HiddenItems(configured: [HideRule(.topic, value: "cats")])
        let session = stage.session(hidden: hidden, library: stage.loop.library.link)
        let dogs = HideRule(.topic, value: "dogs")
        let shown = session.hide(dogs, true, on: stage.state, now: .seconds(3))
        #expect(shown.map(\.summary) == [#"hidden: ["dogs"], ["cats"]"#])
        // What waits is written before the file is read.
        let writer = try #require(stage.loop.library.link).recorder
        writer.flush(within: .seconds(10))
        #expect(stage.stored { try $0.hidden().map(\.rule) } == [dogs])
        #expect(stage.stored { try $0.hidden().map(\.since) } == [3])
        let undone = session.hide(dogs, false, on: stage.state, now: .seconds(4))
        #expect(undone.map(\.summary) == [#"hidden: [], ["cats"]"#])
        writer.flush(within: .seconds(10))
        #expect(stage.stored { try $0.hidden().isEmpty } == true)
    }

    @Test func placeThatIsTurnedOffIsForgotten() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        let session = stage.loop.feed
        let left = FeedSession.LeftPlace(feed: Feed(title: nil, items: Self.items, source: ""), index: 1, item: "b")
        for place in [Place.forYou, .following] { session.left[place] = left }
        let events = session.hide(HideRule(place: .forYou), true, on: stage.state, now: .zero)
        let rest: [Place] = [.source, .following, .liked, .saved, .history, .offline, .hidden]
        #expect(events.map(\.summary).last == "places: \(rest)" && Array(session.left.keys) == [.following])
    }

    // MARK: Lists made by earlier rules

    /// What is hidden before the answer comes is not in it. The page is where it would have been.
    @Test func placeThatWasReadByEarlierRulesIsFilteredAgain() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        stage.start()
        let read = Feed(title: "Saved", items: Self.items, source: "library:saved").visible(stage.hidden)
        stage.hidden.set(HideRule(clip: Self.items[4]), hides: true)
        var point = ReturnPoint()
        point.start = .resumed(2)
        stage.loop.state.feed.places.want(.saved)
        stage.inbox.post(.feed(.read(.saved, .success((read, point)))))
        #expect(stage.wait { stage.state.feed.places.current == .saved })
        #expect(ids(stage.state.items) == ["a", "b", "c", "d"] && stage.state.current == 2)
        #expect(stage.state.feed.title.text == "Saved")
    }

    @Test func wholeFeedBehindAPartLosesWhatIsHidden() throws {
        let stage = try LoopStage(Self.items)
        defer { stage.close() }
        stage.start()
        try stage.type("G")
        stage.run(for: .seconds(1))
        let (session, part) = (stage.loop.feed, FeedPart.topic("rain"))
        stage.loop.state.feed.want(part, now: stage.now)
        let found = Feed(title: nil, items: Array(Self.items.suffix(2)), source: "").visible(stage.hidden)
        stage.inbox.post(.feed(.part(part, found)))
        stage.settle()
        #expect(session.whole?.index == 4 && ids(stage.state.items) == ["d", "e"] && stage.state.current == 1)
        for event in session.hide(HideRule(clip: Self.items[3]), true, on: stage.state, now: stage.now) {
            stage.loop.handle(event)
        }
        #expect(stage.wait { ids(stage.state.items) == ["e"] && session.whole?.items.count == 4 })
        #expect(ids(session.whole?.items) == ["a", "b", "c", "e"] && session.whole?.index == 3)
        #expect(stage.state.currentID == "e")
    }

    @Test func placeThatWasLeftIsAtItsItemOnceOthersAreHidden() throws {
        let stage = try LoopStage(Self.items, library: true)
        defer { stage.close() }
        stage.start()
        let session = stage.loop.feed
        for (place, index) in [(Place.home, 3), (.forYou, 1)] {
            let feed = Feed(title: place.name, items: Self.items, source: "").visible(stage.hidden)
            session.left[place] = FeedSession.LeftPlace(feed: feed, index: index, item: feed.items.id(at: index))
        }
        for event in session.hide(HideRule(clip: Self.items[1]), true, on: stage.state, now: .zero) {
            stage.loop.handle(event)
        }
        #expect(stage.wait { session.left.values.allSatisfy { $0.feed.items.count == 4 } })
        let (home, forYou) = (try #require(session.left[.home]), try #require(session.left[.forYou]))
        #expect(home.index == 2 && home.item == "d" && home.feed.title == "Home")
        #expect(forYou.index == 1 && forYou.item == "c" && forYou.feed.title == "For You")
    }

    /// Even if it seemed to have ended.
    @Test func feedKeepsItsFurtherPagesWhenSomethingIsHidden() throws {
        let stage = try LoopStage(nil)
        defer { stage.close() }
        stage.start()
        let items = (0..<20).map { Item(id: "i\($0)", url: "file:///clips/\($0).mp4") }
        let feed = Feed(title: nil, items: items, pages: ScriptedPages(), source: "").visible(stage.hidden)
        stage.inbox.post(.feed(.read(.source, .success((feed, ReturnPoint())))))
        stage.settle()
        let session = stage.loop.feed
        session.pages = nil
        for event in session.hide(HideRule(clip: items[7]), true, on: stage.state, now: stage.now) {
            stage.loop.handle(event)
        }
        #expect(stage.wait { stage.state.items.count == 19 })
        #expect(session.pages != nil && session.pages === feed.pages)
    }

    // MARK: Deleted clips

    @Test func clipOfAFeedWithoutAServiceCannotBeDeleted() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        let session = stage.session(library: stage.loop.library.link)
        let events = session.delete(LoopStage.items[1], true, on: stage.state, now: .zero)
        #expect(events.map(\.summary) == ["failure: This clip's server cannot delete it"])
        #expect(stage.hidden.generation == 0)
    }

    @Test func deletedClipIsHiddenAndItsServiceDeletesIt() throws {
        let server = try FaultyServer()
        let stage = try LoopStage()
        defer { stage.close() }
        let library = stage.libraryWithServices()
        defer { library.close() }
        library.endpoint = server.url("/service")
        let session = stage.session(library: library)
        let items = ["a", "b"].map { Item(id: $0, url: server.url("/\($0).mp4"), feed: server.url("/feed.json")) }
        func isHidden() -> [Bool] { items.map(stage.hidden.snapshot.rules.hides) }
        _ = session.delete(items[1], true, on: stage.state, now: .zero)
        #expect(isHidden() == [false, true])
        #expect(server.waitUntil { $0.requests > 0 })
        let request = try #require(server.requests.first)
        #expect(request.method == "DELETE" && request.path == "/service/videos/b")
        _ = session.show(deleted: "b", true, on: stage.state)
        #expect(isHidden() == [false, false])
        _ = session.show(deleted: "b", false, on: stage.state)
        #expect(isHidden() == [false, true])
        _ = session.delete(items[1], false, on: stage.state, now: .seconds(1))
        #expect(isHidden() == [false, false] && stage.hidden.own.isEmpty)
    }
}
