import Engagement
import Feeds
import Foundation
import Model
import TestSupport
import Testing
import Threads

@testable import App
@testable import UI

/// The sheet of all places, in the loop with a list of sources.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct PlacesLoopTests {
    /// With a page at rest.
    private func stage() throws -> LoopStage {
        let stage = try LoopStage(library: true)
        stage.start()
        stage.run(for: .seconds(1))
        return stage
    }

    private func clips(_ stage: LoopStage, _ folder: String, _ names: [String]) throws -> String {
        for name in names { _ = try stage.folder.write("\(folder)/\(name).mp4") }
        return stage.folder.path + "/" + folder
    }

    private func sources(_ stage: LoopStage) -> String {
        // `try?`: it is not there before the first source.
        (try? String(contentsOfFile: stage.folder.path + "/config.toml.sources", encoding: .utf8)) ?? ""
    }

    @Test func sourcesAreAddedWeighedAndRemoved() throws {
        let stage = try stage()
        defer { stage.close() }
        let otters = try clips(stage, "otters", ["a", "b", "c"])
        try stage.type("pa\(otters)\r")
        #expect(stage.wait { sources(stage) == otters + "\n" })
        #expect(stage.wait { stage.state.feed.places.all.contains(.home) })
        #expect(stage.wait { stage.state.toasts.current?.text.text.hasPrefix("Added: ") == true })
        try stage.type("p")
        #expect(stage.wait { stage.state.feed.placeList.sources.map(\.unseen) == [3] })
        #expect(stage.state.feed.placeList.counts[.home] == 3)
        #expect(stage.state.feed.placeList.sources.map(\.isHidden) == [false])
        // The source is before the last line. Counting again while it changes does not undo that.
        try stage.type("Gk+pp")
        #expect(stage.wait { sources(stage) == otters + "\n  weight = 2\n" })
        try stage.type("Gkd")
        #expect(stage.wait { sources(stage).isEmpty })
        #expect(stage.wait { !stage.state.feed.places.all.contains(.home) })
        try stage.type("pU")
        #expect(stage.wait { sources(stage) == otters + "\n  weight = 2\n" })
        // Home has its clips.
        #expect(stage.wait { stage.state.feed.places.all.contains(.home) })
        try stage.type("p")
        let line = stage.state.placeLines.firstIndex(of: .place(.home)) ?? 0
        try stage.type("g" + String(repeating: "j", count: line) + "\r")
        #expect(stage.wait { stage.state.feed.places.current == .home && stage.state.items.count == 3 })
    }

    @Test func hiddenSourceIsListedAsSuch() throws {
        let stage = try stage()
        defer { stage.close() }
        let otters = try clips(stage, "otters", ["a"])
        try stage.type("pa\(otters)\r")
        #expect(stage.wait { stage.state.feed.places.all.contains(.home) })
        let rule = HideRule(.source, value: FileURL.url(path: otters.utf8))
        stage.loop.feed.loader.hidden.set(rule, hides: true)
        try stage.type("p")
        #expect(stage.wait { stage.state.feed.placeList.sources.map(\.isHidden) == [true] })
    }

    @Test func sourceThatIsNotThereIsNotAdded() throws {
        let stage = try stage()
        defer { stage.close() }
        try stage.type("pa/nowhere/at/all\r")
        #expect(stage.wait { stage.state.toasts.current?.text.text.hasPrefix("Cannot add /nowhere") == true })
        #expect(sources(stage).isEmpty)
    }

    @Test func sourceIsShownAlone() throws {
        let stage = try stage()
        defer { stage.close() }
        let otters = try clips(stage, "otters", ["a", "b", "c"])
        try stage.type("pa\(otters)\r")
        #expect(stage.wait { stage.state.feed.places.all.contains(.home) })
        try stage.type("p")
        #expect(stage.wait { stage.state.feed.placeList.sources.count == 1 })
        try stage.type("Gk\r")
        #expect(stage.wait { stage.state.items.count == 3 && stage.state.feed.places.current == .source })
    }

    /// It is not shown while the other one is being read.
    @Test func sourceBeforeAnotherIsForgotten() throws {
        let stage = try stage()
        defer { stage.close() }
        let session = stage.loop.feed
        let feed = Feed(title: nil, items: LoopStage.items, source: "")
        session.left[.source] = FeedSession.LeftPlace(feed: feed, index: 2, item: "c")
        _ = session.open(FeedSource(stage.folder.path), on: stage.state)
        #expect(session.left[.source] == nil)
    }

    @Test func placeThatIsLeftFromAPartIsShownWhereThePartWasOpened() throws {
        let items = LoopStage.items.map { item in
            var item = item
            item.tags = ["rain"]
            return item
        }
        let stage = try LoopStage(items, library: true)
        defer { stage.close() }
        stage.start()
        try stage.type("G")
        stage.run(for: .seconds(1))
        #expect(stage.state.current == 4)
        let part = FeedPart.topic("rain")
        stage.loop.state.feed.want(part, now: stage.now)
        stage.inbox.post(.feed(.part(part, Feed(title: nil, items: Array(items.suffix(2)), source: "x"))))
        stage.settle()
        #expect(!stage.loop.feed.isWhole && stage.state.current == 1)
        stage.loop.state.feed.places.want(.liked)
        let liked = Feed(title: nil, items: Array(items.prefix(1)), source: "library:liked")
        stage.inbox.post(.feed(.read(.liked, .success((liked, ReturnPoint())))))
        stage.settle()
        let left = try #require(stage.loop.feed.left[.source])
        #expect(left.index == 4 && left.item == items[4].id && left.feed.items.count == 5)
    }

    @Test func followedFolderIsInFollowingUntilItIsUnfollowed() throws {
        let folder = TemporaryFolder()
        for name in ["bo/1", "bo/2", "ilma/1", "ilma/2", "ilma/3"] { _ = try folder.write("\(name).mp4") }
        let feed = try loadFeed(sources: [folder.path])
        let stage = try LoopStage(feed: feed, library: true, source: folder.path)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type("Gf")
        #expect(stage.wait { stage.state.toasts.current?.text.text == "Following ilma" })
        try stage.type("p")
        #expect(stage.wait { stage.state.feed.placeList.counts[.following] == 3 })
        try stage.type("\u{1B}")
        stage.run(for: .seconds(1))
        try stage.type("\t\t")
        #expect(stage.wait { stage.state.feed.places.current == .following })
        #expect(stage.state.items.count == 3 && stage.state.feed.title.text == "Following")
        // What is unfollowed is gone when the place is shown again; the notice offers to undo it.
        try stage.type("f")
        #expect(stage.wait { stage.state.toasts.current?.text.text == "Unfollowed ilma · f to undo" })
        try stage.type("f")
        #expect(stage.wait { stage.state.toasts.current?.text.text == "Following ilma" })
        try stage.type("f\u{1B}[Z")
        #expect(stage.wait { stage.state.feed.places.current == .forYou })
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.current == .following && stage.state.items.count == 0 })
    }

    /// Their clips in the feed are what Following has of them.
    @Test func newClipsOfCreatorsWithoutAFeedAreCounted() throws {
        let folder = TemporaryFolder()
        for name in ["bo/1", "ilma/1", "ilma/2"] { _ = try folder.write("\(name).mp4") }
        let stage = try LoopStage(feed: try loadFeed(sources: [folder.path]), library: true, source: folder.path)
        defer { stage.close() }
        let item = LibraryItem(key: ItemKey(scope: "", id: "x"), url: "u", json: "{}", source: "s")
        let creator = CreatorKey(scope: "", id: "file://\(folder.path)/ilma")
        try Store(path: stage.folder.path + "/flick.db").apply([
            .followed(item, creator, name: "ilma", hasID: false, true, at: 1)
        ])
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type("p")
        #expect(stage.wait { stage.state.feed.placeList.counts[.following] == 2 })
    }

    /// The library is written on another thread, here only once the count and the list are wanted.
    @Test func placesIncludePendingWrites() throws {
        let stage = try stage()
        defer { stage.close() }
        try held(stage, "sp") { stage.state.feed.placeList.counts[.saved] != nil }
        #expect(stage.wait { stage.state.feed.placeList.counts[.saved] == 1 })
        let line = try #require(stage.state.placeLines.firstIndex(of: .place(.liked)))
        let keys = "plpg" + String(repeating: "j", count: line) + "\r"
        try held(stage, keys) { stage.state.feed.places.current == .liked }
        #expect(stage.wait { stage.state.feed.places.current == .liked && stage.state.items.count == 1 })
    }

    /// Types keys whose effect waits until the library can be written.
    private func held(_ stage: LoopStage, _ keys: String, until done: () -> Bool) throws {
        let hold = Monitor((isHeld: false, isOver: false))
        defer { hold.change { $0.isOver = true } }
        let writer = try #require(stage.loop.feed.loader.writer)
        writer.read { _ in
            hold.change { $0.isHeld = true }
            _ = hold.wait { $0.isOver ? () : nil }
        } then: { _ in
        }
        // What is noted before that is written first.
        try #require(hold.wait(upTo: .seconds(10)) { $0.isHeld ? () : nil } != nil)
        try stage.type(keys)
        let isEarly = holds(within: .milliseconds(300)) {
            stage.settle()
            return done()
        }
        #expect(!isEarly)
    }

    /// An earlier flick stored no feeds.
    @Test func creatorThatWasFollowedBeforeGetsAFeed() throws {
        let folder = TemporaryFolder()
        for name in ["bo/1", "ilma/1"] { _ = try folder.write("\(name).mp4") }
        let feed = try loadFeed(sources: [folder.path])
        let stage = try LoopStage(feed: feed, library: true, source: folder.path)
        defer { stage.close() }
        let path = stage.folder.path + "/flick.db"
        let creator = CreatorKey(scope: "", id: "file://\(folder.path)/ilma")
        let item = LibraryItem(key: ItemKey(scope: "", id: "x"), url: "u", json: "{}", source: "s")
        try Store(path: path).apply([.followed(item, creator, name: "ilma", hasID: false, true, at: 1)])
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type("j")
        stage.run(for: .seconds(2))
        #expect(stage.wait { stage.stored { try $0.follows().first?.feed?.address } == creator.id })
    }

    @Test func followingIsAtOnceThereAgain() throws {
        let folder = TemporaryFolder()
        for name in ["bo/1", "ilma/1", "ilma/2", "ilma/3"] { _ = try folder.write("\(name).mp4") }
        let feed = try loadFeed(sources: [folder.path])
        let stage = try LoopStage(feed: feed, library: true, source: folder.path)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type("Gf\t\t")
        #expect(stage.wait { stage.state.feed.places.current == .following && stage.state.items.count == 3 })
        try stage.type("jj\u{1B}[Z")
        #expect(stage.wait { stage.state.feed.places.current == .forYou })
        // It is not read again.
        _ = try folder.write("ilma/0.mp4")
        try stage.type("\t")
        stage.step()
        #expect(stage.state.feed.places.current == .following && stage.state.current == 2)
        #expect(stage.state.items.count == 3)
    }

    /// With a folder of clips that For You chooses from.
    private func stage(of folder: TemporaryFolder) throws -> LoopStage {
        for name in ["bo/1", "ilma/1", "ilma/2"] { _ = try folder.write("\(name).mp4") }
        return try LoopStage(feed: try loadFeed(sources: [folder.path]), library: true, source: folder.path)
    }

    @Test func forYouIsTurnedOffUntilThatIsUndone() throws {
        let folder = TemporaryFolder()
        let stage = try stage(of: folder)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.current == .forYou })
        try stage.type("XG\r")
        #expect(stage.wait { stage.state.feed.places.current == .source })
        #expect(!stage.state.feed.places.all.contains(.forYou))
        #expect(stage.wait { stage.stored { try $0.hidden().map(\.rule) } == [HideRule(place: .forYou)] })
        try stage.type("U")
        #expect(stage.wait { stage.state.feed.places.all.contains(.forYou) })
        #expect(stage.wait { stage.stored { try $0.hidden().isEmpty } == true })
    }

    /// A place without clips lies between them, so that the page forgets what it knew.
    @Test func clipThatAnotherPlaceLeftOpenIsDescribed() throws {
        let folder = TemporaryFolder()
        let stage = try stage(of: folder)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        let known = try #require(stage.state.clip.facts)
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.current == .forYou })
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.current == .following && stage.state.items.count == 0 })
        try stage.type("\u{1B}[Z")
        #expect(stage.wait { stage.state.feed.places.current == .forYou })
        #expect(stage.wait { stage.state.clip.facts == known })
    }

    /// As another flick has stored it. Each place that is read brings the rules.
    @Test func forYouIsOffWhereItWasTurnedOff() throws {
        let folder = TemporaryFolder()
        let stage = try stage(of: folder)
        defer { stage.close() }
        let rule = HideRule(place: .forYou)
        try Store(path: stage.folder.path + "/flick.db").apply([.hidden(rule, source: "", true, at: 1)])
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.current == .forYou && stage.state.feed.hidden.lines == 1 })
        // The one in view stays, where it was, until it is left.
        #expect(stage.state.feed.places.all.prefix(3) == [.source, .forYou, .following])
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.current == .following })
        #expect(!stage.state.feed.places.all.contains(.forYou))
    }
}
