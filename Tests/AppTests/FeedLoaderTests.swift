import Bytes
import Cache
import Engagement
import Feeds
import HTTP
import Model
import TestSupport
import Testing
import UI

@testable import App

/// What the loader reads of places and parts, and posts: with folders, a library of SQLite and a server on loopback.
@Suite(.timeLimit(.minutes(2))) struct FeedLoaderTests {
    private let server: FaultyServer
    private let folder = TemporaryFolder()
    private let provider: CachedProvider
    private let inbox: Inbox<LoopMessage>
    private var path: String { folder.path + "/flick.db" }

    init() throws {
        (server, inbox) = (try FaultyServer(), try Inbox<LoopMessage>())
        var network = NetworkOptions()
        network.environment = [:]
        provider = CachedProvider(cache: nil, network: network)
    }

    // MARK: Parts

    private static let items = (0..<6).map { number in
        var item = Item(
            id: "i\(number)", url: "https://h.example/\(number).mp4", title: "Clip \(number)",
            creator: Item.Creator(id: number % 2 == 0 ? "even" : "odd"), feed: "https://h.example/feed.json")
        item.tags = number % 2 == 0 ? ["rain"] : []
        return item
    }

    private func loader(
        named: [String] = [], home: [String] = [], libraryPath: String? = nil, placesPath: String? = nil,
        ignoresLastSeen: Bool = false, isShuffled: Bool = false, subtitles: CaptionLink? = nil,
        hidden: HiddenItems = HiddenItems(), provider: CachedProvider? = nil
    ) throws -> FeedLoader {
        FeedLoader(
            places: try PlaceSources(named: named.map { FeedSource($0) }, home: home.map { FeedSource($0) }),
            libraryPath: libraryPath, placesPath: placesPath, ignoresLastSeen: ignoresLastSeen, isShuffled: isShuffled,
            exploration: 0, subtitles: subtitles, provider: provider ?? self.provider,
            options: FeedOptions(spoolFolder: folder.path), inbox: inbox, hidden: hidden)
    }

    /// What comes of reading a place.
    private func answer(of place: Place) throws -> LoadedFeed {
        let messages = inbox.messages { if case .feed(.read(place, _)) = $0 { true } else { false } }
        let results: [Result<LoadedFeed, AppError>] = messages.compactMap {
            if case .feed(.read(place, let result)) = $0 { result } else { nil }
        }
        return try #require(results.first).get()
    }

    private func read(_ place: Place, with loader: FeedLoader, keeping watched: Item? = nil) throws -> LoadedFeed {
        loader.load(place, keeping: watched)
        return try answer(of: place)
    }

    private func ids(_ list: any ItemList) -> [Item.ID] { (0..<list.count).map { list.id(at: $0) } }

    private func titles(_ list: any ItemList) -> [String] { (0..<list.count).map { list[$0].title ?? "" } }

    /// A folder with this many clips.
    private func clips(_ name: String, _ count: Int) throws -> String {
        for number in 0..<count { try folder.write("\(name)/\(number).mp4") }
        return "\(folder.path)/\(name)"
    }

    /// A manifest of clips of the server. Returns its URL.
    private func serve(_ path: String, _ names: [String], _ fields: String = "") -> String {
        let items = names.map { "\"\(server.url("/\($0).mp4"))\"" }.joined(separator: ",")
        server.serve(path, .text("{\(fields)\"items\": [\(items)]}", type: "application/json"))
        return server.url(path)
    }

    private func entry(_ item: Item, source: String = "s") -> LibraryItem {
        LibraryItem(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: source), feed: item.feed,
            source: source)
    }

    /// The item at `index` was in view last, and played.
    ///
    /// - Parameter page: its page then; nil: `index`.
    private func leave(_ feed: Feed, at index: Int, page: Int? = nil) throws {
        let item = entry(feed.items[index], source: SourceName.text(feed.source))
        let start = LoggedEvent(id: "\(feed.source) \(index)", session: "s", at: 2, what: "start")
        try Store(path: path).apply([.seen(item, page: page ?? index, at: 2), .event(item, start)])
    }

    // MARK: Where a feed continues

    /// On a busy machine the lookup in the library may take too long, and find nothing: then the place is read again.
    private func resumed(_ place: Place, with loader: FeedLoader) throws -> LoadedFeed {
        var answer = try read(place, with: loader)
        for _ in 0..<3 where answer.point.start == .top { answer = try read(place, with: loader) }
        return answer
    }

    private func start(of place: Place, with loader: FeedLoader) throws -> FeedStart {
        try resumed(place, with: loader).point.start
    }

    @Test func onlyAFeedWhoseOrderStaysResumes() throws {
        let (one, other) = (try clips("one", 5), try clips("other", 5))
        try leave(loadFeed(sources: [one]), at: 3)
        try leave(loadFeed(sources: [one, other]), at: 7)
        #expect(try start(of: .home, with: loader(home: [one], placesPath: path)) == .resumed(3))
        #expect(try start(of: .home, with: loader(home: [one, other], placesPath: path)) == .top)
        #expect(try start(of: .source, with: loader(named: [one, other], placesPath: path)) == .resumed(7))
        #expect(try start(of: .home, with: loader(home: [one], placesPath: path, ignoresLastSeen: true)) == .top)
        #expect(try start(of: .home, with: loader(home: [one], placesPath: path, isShuffled: true)) == .top)
        // The path of the library's lists is another one.
        #expect(try start(of: .home, with: loader(home: [one], libraryPath: path)) == .top)
    }

    /// With rules, the first items of a long feed are examined at once, the others when they are needed.
    @Test func clipBeyondTheFirstItemsIsFoundAgain() throws {
        // Ten of the first items are visible, and a hundred behind them.
        let names = (0..<VisibleFeed.first + 100).map { $0 < VisibleFeed.first - 10 ? "spam-\($0)" : "clip-\($0)" }
        let items = names.map { "\"https://h.example/\($0).mp4\"" }.joined(separator: ",")
        let source = try folder.write("long.json", "{\"items\": [\(items)]}".utf8)
        try leave(loadFeed(sources: [source]), at: VisibleFeed.first + 50, page: 60)
        let hidden = HiddenItems(configured: [HideRule(.words, value: "spam")])
        let (feed, point) = try resumed(.source, with: loader(named: [source], placesPath: path, hidden: hidden))
        #expect(point.start == .resumed(60) && feed.items.count == 110)
    }

    // MARK: Places

    @Test func shuffledFeedHasItsClipsInAnotherOrder() throws {
        let source = try clips("many", 40)
        let all = ids(try loadFeed(sources: [source]).items)
        #expect(try ids(read(.source, with: loader(named: [source])).feed.items) == all)
        let shuffled = ids(try read(.source, with: loader(named: [source], isShuffled: true)).feed.items)
        #expect(shuffled != all && shuffled.sorted() == all.sorted())
    }

    @Test func homeHasUnseenClipsOfItsSourcesFirst() throws {
        let sources = [try clips("one", 2), try clips("other", 2)]
        let all = ids(try loadFeed(sources: sources).items)
        try leave(loadFeed(sources: [sources[0]]), at: 0)
        let home = try loader(home: sources, placesPath: path)
        // The lookup may take too long, as above.
        #expect(try (0..<4).contains { _ in try ids(read(.home, with: home).feed.items).last == all[0] })
        // What the user names stays in its order.
        #expect(try ids(read(.source, with: loader(named: sources, placesPath: path)).feed.items) == all)
    }

    @Test func hiddenSourceOfHomeIsNotRequested() throws {
        let urls = [serve("/a.json", ["a"]), serve("/b.json", ["b"])]
        let rules = urls.map { HideRule(.source, value: $0) }
        let one = HiddenItems(configured: [rules[1]])
        #expect(try titles(read(.home, with: loader(home: urls, hidden: one)).feed.items) == ["a"])
        #expect(server.requests.map(\.path) == ["/a.json"])
        let both = HiddenItems(configured: rules)
        #expect(try read(.home, with: loader(home: urls, hidden: both)).feed.items.count == 0)
        #expect(server.requests.count == 1)
        // What the user names is requested all the same.
        _ = try read(.source, with: loader(named: urls, hidden: one))
        #expect(server.requests(for: "/b.json").count == 1)
    }

    @Test func clipInViewStaysInAFeedWithFurtherPages() throws {
        let several = serve("/feed.json", ["a"], "\"next\": \"more.json\", ")
        let watched = Item(id: "w", url: server.url("/w.mp4"))
        let users = CaptionLink(url: "file:///users.srt")
        let (feed, point) = try read(
            .source, with: loader(named: [several], subtitles: users), keeping: watched)
        #expect(titles(feed.items) == ["", "a"] && feed.items.id(at: 0) == "w" && point.held == "w")
        #expect((0..<2).map { feed.items[$0].captions } == [[users], [users]])
        let single = try read(.source, with: loader(named: [serve("/b.json", ["b"])]), keeping: watched)
        #expect(titles(single.feed.items) == ["b"] && single.feed.pages == nil && single.point.held == "w")
        #expect(try read(.source, with: loader(named: [several])).point.held == nil)
    }

    @Test func listsAreReadFromTheLibrary() throws {
        let items = ["liked", "saved"].map { Item(id: $0, url: "file:///clips/\($0).mp4") }
        try Store(path: path).apply([
            .reacted(entry(items[0]), Reaction(isLiked: true, isDisliked: false, isSaved: false), at: 1),
            .reacted(entry(items[1]), Reaction(isLiked: false, isDisliked: false, isSaved: true), at: 2),
        ])
        for place in [Place.liked, .saved] {
            let (feed, point) = try read(place, with: loader(named: ["/nowhere"], libraryPath: path))
            #expect(ids(feed.items) == [place.rawValue] && feed.title == place.name)
            #expect(feed.source == "library:\(place.rawValue)" && point.held == nil)
            // The other path is that of what places remember.
            #expect(try read(place, with: loader(named: ["/nowhere"], placesPath: path)).feed.items.count == 0)
        }
        let offline = try read(.offline, with: loader(named: ["/nowhere"], libraryPath: path)).feed
        let hidden = try read(.hidden, with: loader(named: ["/nowhere"], libraryPath: path)).feed
        #expect([offline.title, hidden.title] == ["Offline", "Hidden"])
        #expect([offline.source, hidden.source] == ["library:offline", "library:hidden"])
    }

    @Test func forYouHasTheServiceOfHomeAndExplainsItsClips() throws {
        let fields = #""title": "Mine", "engagement": "/service", "accepts": ["like_comment"], "headers": 1, "#
        let url = serve("/feed.json", (0..<30).map { "\($0)" }, fields)
        try loader(home: [url], placesPath: path).load(.forYou)
        let messages = inbox.messages { if case .feed(.read) = $0 { true } else { false } }
        let reasons: [[Item.ID: String]] = messages.compactMap {
            if case .event(.reasons(let reasons)) = $0 { reasons } else { nil }
        }
        guard case .feed(.read(.forYou, .success((let feed, _))))? = messages.last else {
            Issue.record("\(messages)")
            return
        }
        #expect(feed.items.count == ForYouChoice.chosenAtOnce && feed.title == "For You" && feed.source == "for-you:")
        #expect(reasons.count == 1 && Set(reasons[0].keys) == Set(ids(feed.items)))
        #expect(feed.engagement == server.url("/service") && feed.abilities == [.likeComment])
        #expect(feed.next == "for-you:" && feed.pages != nil)
        // What is wrong with Home.
        #expect(feed.warnings.contains { $0.contains("headers") })
    }

    @Test func placeChosenOutOfACachedHomeHasItsAge() throws {
        var network = NetworkOptions()
        network.environment = [:]
        let caching = CachedProvider(cache: CacheOptions(folder: folder.path + "/cache"), network: network)
        defer { caching.close() }
        let loader = try loader(home: [serve("/feed.json", ["a"])], placesPath: path, provider: caching)
        #expect(try read(.forYou, with: loader).feed.cachedAge == nil)
        server.serve("/feed.json", .text("", faults: [.status(500)]))
        let (feed, _) = try read(.forYou, with: loader)
        #expect(feed.items.count == 1 && feed.cachedAge != nil)
    }

    @Test func rulesOfTheLibraryArePosted() throws {
        let cats = HideRule(.topic, value: "cats")
        try Store(path: path).apply([.hidden(cats, source: "s", true, at: 1)])
        let hidden = HiddenItems(libraryPath: path)
        try loader(named: ["/nowhere"], hidden: hidden).load(.hidden)
        _ = inbox.messages { if case .feed(.rules) = $0 { true } else { false } }
        #expect(hidden.own == [cats])
    }

    // MARK: Feeds that were read before

    @Test func feedsAreLookedAtAgainFromThePageInView() throws {
        let hidden = HiddenItems()
        let long = (0..<6_000).map { Item(id: "i\($0)", url: "https://h.example/\($0).mp4", title: "Clip \($0)") }
        let lists = [long, Array(long.prefix(3))].compactMap {
            Feed(title: nil, items: $0, source: "").visible(hidden).items as? VisibleList
        }
        hidden.set(HideRule(.words, value: "clip 1"), hides: true)
        try loader(named: ["/nowhere"], hidden: hidden).lookAgain(at: [(lists[0], 3_500), (lists[1], 2)])
        let messages = inbox.messages { if case .feed(.visible) = $0 { true } else { false } }
        guard case .feed(.visible(let found))? = messages.first else { return }
        #expect(found.map(\.count) == [3_500 + VisibleFeed.first - 1, 2])
        #expect(found.map(\.generation) == [1, 1])
        #expect(found.count == 2 && found[0].feed === lists[0].feed && found[1].feed === lists[1].feed)
    }

    @Test func placeThatIsLookedAtAgainContinuesWhereItWas() throws {
        let hidden = HiddenItems()
        let loader = try loader(named: ["/nowhere"], hidden: hidden)
        let feeds = [ScriptedPages(), nil].map { pages in
            Feed(title: "Mine", items: Self.items, pages: pages, source: "s").visible(hidden)
        }
        hidden.set(HideRule(.words, value: "clip 2"), hides: true)
        var point = ReturnPoint(held: "i3")
        point.start = .resumed(2)
        for feed in feeds {
            loader.lookAgain(at: .saved, feed, from: point)
            let (found, from) = try answer(of: .saved)
            #expect(ids(found.items) == ["i0", "i1", "i3", "i4", "i5"] && found.title == "Mine")
            #expect(from.start == .resumed(2) && from.held == "i3")
            #expect(found.pages === feed.pages)
        }
    }

    @Test func clipInViewIsPutIntoAPlaceThatWasReadWithoutIt() throws {
        let pages = ScriptedPages(items: Array(Self.items.prefix(2)))
        let feed = Feed(title: nil, items: Array(Self.items.prefix(2)), pages: pages, source: "s")
        try loader(named: ["/nowhere"]).keep(Self.items[4], in: .home, feed)
        let (found, point) = try answer(of: .home)
        #expect(ids(found.items) == ["i4", "i0", "i1"] && point.held == "i4" && found.pages === pages)
    }

    @Test func furtherPageIsPostedWithItsPages() throws {
        let page = FeedPages.Page(url: "second", items: Self.items, added: 4, next: nil, warnings: [])
        let pages = ScriptedPages([.failure(.noSources), .success(page)])
        let loader = try loader(named: ["/nowhere"])
        var results: [ScriptedPages.Answer] = []
        for _ in 0..<2 {
            loader.loadMore(of: pages)
            for case .feed(.page(let from, let result)) in inbox.messages(until: { _ in true }) {
                #expect(from === pages)
                results.append(result)
            }
        }
        try #require(results.count == 2)
        #expect(throws: FeedsError.noSources) { try results[0].get() }
        #expect(try results[1].get()?.url == "second")
    }

    // MARK: Parts of a feed

    private func part(
        _ part: FeedPart, of items: [Item] = FeedLoaderTests.items, at endpoint: String? = nil, keeping watched: Item,
        with loader: FeedLoader
    ) throws -> [Item.ID] {
        ids(try loaded(part, of: items, at: endpoint, keeping: watched, with: loader).items)
    }

    private func loaded(
        _ part: FeedPart, of items: [Item], at endpoint: String?, keeping watched: Item, with loader: FeedLoader
    ) throws -> Feed {
        loader.load(part, of: items, at: endpoint, keeping: watched)
        let messages = inbox.messages { if case .feed(.part) = $0 { true } else { false } }
        let feeds: [Feed] = messages.compactMap {
            if case .feed(.part(part, let feed)) = $0 { feed } else { nil }
        }
        return try #require(feeds.first)
    }

    @Test func partOfWhatIsLoadedHasTheClipInView() throws {
        let loader = try loader(named: ["/nowhere"])
        let (rain, odd) = (FeedPart.topic("rain"), FeedPart.creator(key: "odd", id: nil, name: "Odd"))
        #expect(try part(rain, keeping: Self.items[2], with: loader) == ["i0", "i2", "i4"])
        #expect(try part(odd, keeping: Self.items[1], with: loader) == ["i1", "i3", "i5"])
        #expect(try part(rain, keeping: Self.items[5], with: loader) == ["i5", "i0", "i2", "i4"])
        let hidden = HiddenItems(configured: [HideRule(.words, value: "clip 2")])
        let filtered = try self.loader(named: ["/nowhere"], hidden: hidden)
        #expect(try part(rain, keeping: Self.items[0], with: filtered) == ["i0", "i4"])
    }

    @Test func partHasAtMostFiveThousandClipsAndTheOneInView() throws {
        let items = (0..<6_000).map { Item(id: "i\($0)", url: "https://h.example/\($0).mp4", tags: ["rain"]) }
        let loader = try loader(named: ["/nowhere"])
        for (watched, count) in [(4_999, 5_000), (5_000, 5_001)] {
            let found = try part(.topic("rain"), of: items, keeping: items[watched], with: loader)
            #expect(found.count == count && found[count - 1] == "i4999" && found.contains("i\(watched)"))
        }
    }

    @Test func creatorIsRequestedFromTheServiceByID() throws {
        _ = serve("/service/feed.json", ["x", "y"])
        let loader = try loader(named: ["/nowhere", server.url("/feed.json")])
        let creator = FeedPart.creator(key: "even", id: "R&B", name: "Even")
        let found = try part(creator, at: server.url("/service"), keeping: Self.items[0], with: loader)
        #expect(found == ["i0"] + ["x", "y"].map { ItemID.hash(of: server.url("/\($0).mp4")) })
        #expect(server.requests.map(\.query) == ["creator=R%26B"])
        // The service knows neither creators without an id nor folders of this machine.
        for other in [FeedPart.creator(key: "even", id: nil, name: "Even"), .folder("x")] {
            _ = try part(other, at: server.url("/service"), keeping: Self.items[0], with: loader)
        }
        #expect(server.requests.count == 1)
    }

    @Test func partOfAServiceHasTheSubtitlesOfTheUser() throws {
        _ = serve("/service/feed.json", ["x"])
        let users = CaptionLink(url: "file:///users.srt")
        let feed = try loaded(
            .topic("rain"), of: Self.items, at: server.url("/service"), keeping: Self.items[0],
            with: loader(named: [server.url("/feed.json")], subtitles: users))
        #expect(feed.items.count == 2 && feed.items[1].captions == [users])
    }

    @Test func onlyServersThatTheUserNamedAreRequested() throws {
        let (rain, watched) = (FeedPart.topic("rain"), Self.items[2])
        let endpoint = server.url("/service")
        #expect(
            try part(rain, at: endpoint, keeping: watched, with: self.loader(named: ["https://h.example/feed.json"]))
                == ["i0", "i2", "i4"])
        #expect(server.requests.isEmpty)
        // A server that has no such list, and then one that has.
        let loader = try loader(named: ["/nowhere"], home: [server.url("/feed.json")])
        #expect(try part(rain, at: endpoint, keeping: watched, with: loader) == ["i0", "i2", "i4"])
        _ = serve("/service/feed.json", ["x"])
        #expect(try part(rain, at: endpoint, keeping: watched, with: loader).count == 2)
        #expect(server.requests.map(\.path) == ["/service/feed.json", "/service/feed.json"])
    }
}
