import Bytes
import Engagement
import Feeds
import HTTP
import Model
import TestSupport
import Testing
import UI

@testable import App

/// Counts and changes of the sources of Home, with a file of them, folders and a server on loopback.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct PlacesSessionTests {
    private let server: FaultyServer
    private let folder = TemporaryFolder()
    private let provider: CachedProvider
    private let inbox: Inbox<LoopMessage>

    init() throws {
        (server, inbox) = (try FaultyServer(), try Inbox<LoopMessage>())
        var network = NetworkOptions()
        network.environment = [:]
        provider = CachedProvider(cache: nil, network: network)
    }

    /// - Parameter configured: the sources of the configuration.
    private func session(
        configured: [String] = [], libraryPath: String? = nil, hidden: HiddenItems = HiddenItems()
    ) throws -> PlacesSession {
        let list = configured.map { "'\($0)'" }.joined(separator: ",")
        let config = configured.isEmpty ? "" : "home.sources=[\(list)]"
        let setup = try Setup(config: folder.write("config.toml", config.utf8), cacheFolder: nil, keepsCache: false)
        let settings = BrowseSettings(
            sources: [], pictureMode: nil, color: nil, output: nil, fit: nil, fps: nil, muted: false, audio: false,
            start: nil, shuffle: false, order: nil, loop: true, autoAdvance: false, reducedMotion: false,
            report: ReportSettings(stateFolder: folder.path), setup: setup)
        let loader = FeedLoader(
            places: try PlaceSources(named: [], home: []), libraryPath: nil, placesPath: libraryPath,
            ignoresLastSeen: true, isShuffled: false, exploration: 0, subtitles: nil, provider: provider,
            options: FeedOptions(spoolFolder: folder.path), inbox: inbox, hidden: hidden)
        return PlacesSession(settings, loader: loader, kept: FileProvider())
    }

    /// What a change posts: its notices, and what Home is of then.
    private func change(
        _ change: SourceChange, in session: PlacesSession
    ) -> (notices: [String], sources: [FeedSource]?) {
        session.change(change)
        var (notices, sources): ([String], [FeedSource]?) = ([], nil)
        for message in inbox.messages(until: { if case .feed(.sources) = $0 { true } else { false } }) {
            switch message {
            case .event(let event): notices.append(event.summary)
            case .feed(.sources(let found)): sources = found
            default: break
            }
        }
        return (notices, sources)
    }

    /// The list that is posted next, and how many changes were done before it.
    private func counted() throws -> (list: PlaceList, changes: Int) {
        let messages = inbox.messages { if case .feed(.counted) = $0 { true } else { false } }
        let lists: [(PlaceList, Int)] = messages.compactMap {
            if case .feed(.counted(let list, let changes)) = $0 { (list, changes) } else { nil }
        }
        return try #require(lists.first)
    }

    private func clips(_ name: String, _ count: Int) throws -> String {
        for number in 0..<count { try folder.write("\(name)/\(number).mp4") }
        return "\(folder.path)/\(name)"
    }

    /// A manifest with a title, of clips of the server. Returns its URL.
    private func serve(_ path: String, title: String, _ names: [String]) -> String {
        let items = names.map { "\"\(server.url("/\($0).mp4"))\"" }.joined(separator: ",")
        server.serve(path, .text("{\"title\": \"\(title)\", \"items\": [\(items)]}", type: "application/json"))
        return server.url(path)
    }

    // MARK: Changes

    @Test func changesConcernTheSourceTheyName() throws {
        try folder.write("config.toml.sources", "/a\n/b\n  name = Bees\n".utf8)
        let session = try session(configured: ["/first"])
        let first = FeedSource("/first")
        // Its name stays.
        let weighed = change(.weigh(PlaceList.Source("/b", name: "Other", weight: 3)), in: session)
        #expect(weighed.sources == [first, FeedSource("/a"), FeedSource("/b", name: "Bees", weight: 3)])
        let removed = change(.remove(PlaceList.Source("/a")), in: session)
        #expect(removed.sources == [first, FeedSource("/b", name: "Bees", weight: 3)])
        #expect(weighed.notices.isEmpty && removed.notices.isEmpty)
        let restored = change(.restore(PlaceList.Source("/c", name: "Sea", weight: 0.5)), in: session)
        #expect(restored.notices == ["news: Restored: Sea"])
        #expect(restored.sources?.last == FeedSource("/c", name: "Sea", weight: 0.5))
        #expect(change(.restore(PlaceList.Source("/d")), in: session).notices == ["news: Restored: /d"])
    }

    @Test func sourceIsAddedOnceUnderItsName() throws {
        defer { provider.close() }
        let (otters, sea) = (try clips("otters", 1), serve("/sea.json", title: "Sea", ["a"]))
        let session = try session(configured: [otters])
        let added = change(.add(PlaceList.Source(sea)), in: session)
        #expect(added.notices == ["news: Added: Sea"])
        #expect(added.sources == [FeedSource(otters), FeedSource(sea)])
        for known in [sea, otters] {
            let again = change(.add(PlaceList.Source(known)), in: session)
            #expect(again.notices == ["news: Already in Home"] && again.sources == added.sources)
        }
        #expect(fileText(folder.path + "/config.toml.sources") == sea + "\n")
    }

    @Test func feedsOfAListAreAddedWithoutThoseThatFail() throws {
        defer { provider.close() }
        let urls = [serve("/a.json", title: "A", ["a"]), server.url("/gone.json"), serve("/b.json", title: "B", ["b"])]
        let list = Subscription.opml(urls.map { Subscription(title: "Feed", url: $0) }, title: "Mine")
        server.serve("/list.opml", .text(list, type: "text/xml"))
        let added = change(.add(PlaceList.Source(server.url("/list.opml"))), in: try session())
        #expect(added.notices == ["news: Added: 2 sources"])
        #expect(added.sources == [urls[0], urls[2]].map { FeedSource($0, name: "Feed") })
    }

    @Test func sourceThatCannotBeReadIsNotAdded() throws {
        defer { provider.close() }
        let session = try session(configured: ["/first"])
        let missing = change(.add(PlaceList.Source("/nowhere/at/all")), in: session)
        #expect(missing.notices == ["failure: cannot add /nowhere/at/all: no such file or folder, and not a URL"])
        let gone = change(.add(PlaceList.Source(server.url("/gone.json"))), in: session)
        let beginning = "failure: cannot add \(server.url("/gone.json")): "
        #expect(gone.notices.count == 1 && gone.notices.first?.hasPrefix(beginning) == true)
        // Home is of the same sources as before.
        for answer in [missing, gone] { #expect(answer.sources == [FeedSource("/first")]) }
    }

    // MARK: Counts

    @Test func listHasTheFiguresOfEachSourceAndPlace() throws {
        let (one, two) = (try clips("one", 4), try clips("two", 7))
        let (three, alone) = (try clips("three", 2), try clips("alone", 5))
        let path = folder.path + "/flick.db"
        let items = try loadFeed(sources: [one]).items
        func entry(_ item: Item) -> LibraryItem {
            LibraryItem(key: ItemKey(item), url: item.url, json: "{}", source: "s")
        }
        let saved = ["x", "y"].map { entry(Item(id: $0, url: "file:///\($0).mp4")) }
        try Store(path: path).apply([
            .seen(entry(items[0]), at: 1),
            .reacted(saved[0], Reaction(isLiked: true, isDisliked: false, isSaved: true), at: 2),
            .reacted(saved[1], Reaction(isLiked: false, isDisliked: false, isSaved: true), at: 3),
        ])
        let rule = HideRule(.source, value: FileURL.url(path: three.utf8))
        let session = try session(configured: [one], libraryPath: path, hidden: HiddenItems(configured: [rule]))
        let home = [FeedSource(one, name: "One", weight: 2), FeedSource(two), FeedSource(three)]
        session.read(try PlaceSources(named: [FeedSource(alone)], home: home))
        let list = try counted().list
        #expect(
            list.sources == [
                PlaceList.Source(one, name: "One", weight: 2, isAdded: false, unseen: 3),
                PlaceList.Source(two, isAdded: true, unseen: 7),
                PlaceList.Source(three, isAdded: true, unseen: 0, isHidden: true),
            ])
        #expect(
            list.counts == [.source: 5, .home: 10, .forYou: 10, .following: 0, .liked: 1, .saved: 2, .history: 0])
        // Without sources of Home, For You is of what the user named.
        session.read(try PlaceSources(named: [FeedSource(alone)], home: []))
        let other = try counted().list
        #expect(other.sources.isEmpty && other.counts[.forYou] == 5 && other.counts[.home] == nil)
    }

    /// What the library has is read in a second at most, once each for sources, creators and lists.
    @Test func countsDoNotWaitForALockedLibrary() throws {
        let path = folder.path + "/flick.db"
        _ = try Store(path: path)
        let session = try session(libraryPath: path)
        let one = try clips("one", 4)
        let database = try LockedDatabase(path, by: LockedDatabase.excludesReaders)
        defer { database.release() }
        let began = ContinuousClock.now
        session.read(try PlaceSources(named: [], home: [FeedSource(one)]))
        let list = try counted().list
        #expect(ContinuousClock.now - began < .seconds(4))
        #expect(list.sources.map(\.unseen) == [nil] && list.counts.isEmpty)
    }

    @Test func onlyARefreshRequestsTheSources() throws {
        defer { provider.close() }
        let url = serve("/sea.json", title: "Sea", ["a", "b"])
        let places = try PlaceSources(named: [], home: [FeedSource(url)])
        let session = try session()
        session.read(places)
        #expect(try counted().list.sources.map(\.unseen) == [nil] && server.requests.isEmpty)
        session.refresh(places)
        #expect(try counted().list.sources.map(\.unseen) == [2] && server.requests.count == 1)
    }

    @Test func listIsCurrentIfItWasMadeAfterAllChanges() throws {
        let session = try session()
        let places = try PlaceSources(named: [], home: [])
        #expect(session.isCurrent(after: 0) && !session.isCurrent(after: 1))
        for _ in 0..<2 { _ = change(.remove(PlaceList.Source("/gone")), in: session) }
        session.settle()
        session.read(places)
        #expect(try counted().changes == 1 && !session.isCurrent(after: 1) && session.isCurrent(after: 2))
        session.settle()
        session.refresh(places)
        #expect(try counted().changes == 2)
    }
}
