import Bytes
import Engagement
import Feeds
import Model
import Threads
import UI

/// Reads the feed and its further pages on separate threads, because folders can be large and servers slow. Posts the
/// results to the loop.
struct FeedLoader: Sendable {
    var places: PlaceSources
    /// The file of what flick remembers, for lists of it.
    let libraryPath: String?
    /// The same, for where feeds and clips were left; nil if flick is not to remember that.
    let placesPath: String?
    /// Whether to begin at the first item, or where `--start` says, and not where the feed was left.
    let ignoresLastSeen: Bool
    let isShuffled: Bool
    /// The share of clips in For You that are there to find out what the user likes.
    let exploration: Double
    /// Subtitles for all items.
    let subtitles: CaptionLink?
    let provider: any ByteProvider
    let options: FeedOptions
    let inbox: Inbox<LoopMessage>
    var hidden = HiddenItems()
    /// nil without a cache.
    var offline: OfflineClips?
    /// Writes what the page adds to the library; nil if nothing does.
    var writer: LibraryWriter?
    /// How long that may take before the library is read without it.
    var writingLimit = Duration.seconds(1)
    /// Lookups in the library that a picture would wait for.
    let lookups = BriefLookup()
    /// How long another program may keep the library locked before a list of it is an error.
    static let lockLimit = Duration.milliseconds(250)

    /// Reads a place. `watched`, the current item, stays in a feed that has pages, even if the new feed lacks it.
    func load(_ place: Place, keeping watched: Item? = nil) {
        BlockingThread.start {
            do {
                inbox.post(.feed(.read(place, .success(try read(place, keeping: watched)))))
            } catch {
                inbox.post(.feed(.read(place, .failure(AppError("\(error)")))))
            }
        }
    }

    private func read(_ place: Place, keeping watched: Item?) throws -> LoadedFeed {
        flushLibrary()
        readRules()
        var feed: Feed
        switch place {
        case .source, .home: feed = try readSources(of: place, keeping: watched)
        case .liked, .saved, .history:
            let library = LibrarySource(places.sources(of: place).sources)
            let list = try library?.feed(
                path: libraryPath, privateHosts: options.privateHosts, lockLimit: Self.lockLimit)
            feed = list ?? Feed(title: nil, items: [Item](), source: "")
        case .offline: feed = Feed(title: place.name, items: try offline?.items() ?? [], source: "library:offline")
        // Nothing hidden is read: the page lists the rules.
        case .hidden: feed = Feed(title: place.name, items: [Item](), source: "library:hidden")
        case .forYou:
            let inbox = inbox
            feed = try choose(place) { library in
                ForYouChoice(library, exploration: exploration) { inbox.post(.event(.reasons($0))) }
            }
        case .following: feed = try readFollowed(beginsEarly: watched == nil)
        }
        feed = subtitled(feed)
        if let watched, let pages = feed.pages { feed.items = pages.keep(watched) }
        feed = feed.visible(hidden)
        guard watched == nil, !place.isOfLibrary else { return (feed, ReturnPoint(held: watched?.id)) }
        let isMixed = place == .home && places.home.count > 1
        let ignoresLastSeen = ignoresLastSeen || isShuffled || isMixed || place == .forYou || place == .following
        var point = returnPoint(of: feed, ignoresLastSeen: ignoresLastSeen)
        if point.isLost, feed.pages?.isArriving == true, let rest = try feed.pages?.load() {
            feed.items = rest.items
            feed.warnings += rest.warnings
            point = returnPoint(of: feed, ignoresLastSeen: ignoresLastSeen)
        }
        return (feed, point)
    }

    /// Waits until what the user has just done is in the library. Blocks.
    func flushLibrary() { writer?.flush(within: writingLimit) }

    /// Reads what the user hides before the first feed is shown, and again with each: another flick may have changed
    /// it. What takes longer than a moment is applied when it is there.
    private func readRules() {
        lookups.run { [hidden, inbox] in
            if hidden.read() { inbox.post(.feed(.rules)) }
        }
    }

    /// Looks again at feeds that were read, by the rules of now.
    ///
    /// - Parameter lists: each with the page in view.
    func lookAgain(at lists: [(list: VisibleList, index: Int)]) {
        BlockingThread.start { [inbox] in
            inbox.post(.feed(.visible(lists.map { $0.list.feed.restart(at: $0.list.place(of: $0.index)) })))
        }
    }

    /// The same of a place that was read by earlier rules.
    func lookAgain(at place: Place, _ feed: Feed, from point: ReturnPoint) {
        BlockingThread.start { [inbox] in
            var feed = feed
            if let list = feed.items as? VisibleList {
                feed.items = list.feed.restart()
                feed.pages = list.feed.hasMore ? list.feed : nil
            }
            inbox.post(.feed(.read(place, .success((feed, point)))))
        }
    }

    /// Puts the clip in view into a place that was read without it.
    func keep(_ item: Item, in place: Place, _ feed: Feed) {
        BlockingThread.start { [inbox] in
            var feed = feed
            if let pages = feed.pages { feed.items = pages.keep(item) }
            inbox.post(.feed(.read(place, .success((feed, ReturnPoint(held: item.id))))))
        }
    }

    private func readSources(of place: Place, keeping watched: Item?) throws -> Feed {
        var options = options
        options.shuffle = isShuffled ? .random(in: 0 ... .max) : nil
        // Only the whole feed shows whether the watched item is still in it.
        options.beginsEarly = watched == nil
        return try readClips(of: place, options)
    }

    /// The clips of the sources that a place is of. A source of Home that is hidden is not read.
    private func readClips(of place: Place, _ options: FeedOptions) throws -> Feed {
        let (sources, isHome) = places.sources(of: place)
        guard isHome else { return try loadFeed(sources: sources, provider: provider, options: options) }
        var options = options
        if sources.count > 1 { options.mix = .unseenFirst(path: placesPath, lookups: lookups) }
        let rules = hidden.snapshot.rules
        let visible = sources.filter { !rules.hides(source: $0.text) }
        guard !visible.isEmpty else { return Feed(title: nil, items: [Item](), source: "") }
        return try loadFeed(sources: visible, provider: provider, options: options)
    }

    /// Reads the feeds of creators that the user follows, and what Home has of creators without a feed.
    private func readFollowed(beginsEarly: Bool) throws -> Feed {
        let follows = try library.readUnlocked { store throws(StoreError) in try store.follows() } ?? []
        let feeds = FollowedFeeds(follows, without: hidden.snapshot.rules)
        guard !feeds.sources.isEmpty else { return try choose(.following) { FollowedChoice($0) } }
        var options = options
        (options.order, options.beginsEarly, options.namesFolders) = (nil, beginsEarly, true)
        options.mix = .newestFirst(path: placesPath, lookups: lookups)
        let others = feeds.others.isEmpty ? nil : ChosenItems(name: Place.home.name) { ofHome(by: feeds.others) }
        do throws(FeedsError) {
            var feed = try loadFeed(sources: feeds.sources, and: others, provider: provider, options: options)
            feed.title = Place.following.name
            return feed
        } catch {
            // The place is there even if no creator's server answers.
            var feed = Feed(title: Place.following.name, items: [Item](), source: "\(Place.following.rawValue):")
            feed.warnings = ["\(error)"]
            return feed
        }
    }

    /// The loaded items of Home by these creators.
    private func ofHome(by creators: Set<CreatorKey>) -> [Item] {
        var options = options
        options.beginsEarly = true
        var items: any ItemList = [Item]()
        do {
            let home = try readClips(of: .following, options)
            items = home.items
            if home.pages?.isArriving == true, let rest = try home.pages?.load() { items = rest.items }
        } catch {
            // Home itself reports what is wrong with its sources. What had come by then counts.
        }
        return (0..<min(items.count, Self.maxOfHome)).map { items[$0] }
            .filter { item in CreatorKey(of: item).map(creators.contains) ?? false }
    }

    /// The most items of Home to look at for those of followed creators.
    private static let maxOfHome = 20_000

    /// Reads the first items of a place that are chosen out of the clips of Home.
    private func choose(_ place: Place, by choice: (LibraryReader) -> any ItemChoice) throws -> Feed {
        var options = options
        options.beginsEarly = true
        // Hidden clips are no candidates.
        let home = try readClips(of: place, options).visible(hidden)
        let pages = ChosenPages("\(place.rawValue):", of: home, by: choice(library))
        let first = try pages.load()
        var feed = Feed(
            title: place.name, items: first?.items ?? [Item](), next: first?.next,
            pages: first?.next == nil ? nil : pages, engagement: home.engagement,
            warnings: home.warnings + (first?.warnings ?? []), source: pages.name)
        (feed.abilities, feed.cachedAge) = (home.abilities, home.cachedAge)
        return feed
    }

    private var library: LibraryReader {
        LibraryReader(
            path: placesPath, privateHosts: options.privateHosts, lockLimit: Self.lockLimit, lookups: lookups)
    }

    /// Where the user left the feed; nothing if that cannot be read at once.
    private func returnPoint(of feed: Feed, ignoresLastSeen: Bool) -> ReturnPoint {
        lookups.run { ReturnPoint(of: feed, path: placesPath, ignoresLastSeen: ignoresLastSeen) } ?? ReturnPoint()
    }

    /// Reads a part of the feed: from its service, if it has one that answers, else out of what is loaded. `watched`,
    /// the current item, is in it.
    ///
    /// - Parameters:
    ///   - items: of the whole feed.
    ///   - endpoint: of the service that the feed declares.
    func load(_ part: FeedPart, of items: any ItemList, at endpoint: String?, keeping watched: Item) {
        BlockingThread.start {
            var feed = endpoint.flatMap { fromService(part, at: $0) } ?? Self.loaded(part, of: items)
            let near = 0..<min(feed.items.count, Self.maxOfPart)
            if !near.contains(where: { feed.items.id(at: $0) == watched.id }) {
                feed.items = feed.pages?.keep(watched) ?? [watched] + near.map { feed.items[$0] }
            }
            inbox.post(.feed(.part(part, feed.visible(hidden))))
        }
    }

    /// The most loaded items to search, and the most to show.
    private static let maxLookedAt = 100_000
    private static let maxOfPart = 5_000

    private static func loaded(_ part: FeedPart, of items: any ItemList) -> Feed {
        var found: [Item] = []
        for index in 0..<min(items.count, maxLookedAt) where found.count < maxOfPart {
            let item = items[index]
            if part.has(item) { found.append(item) }
        }
        return Feed(title: nil, items: found, source: "")
    }

    /// nil if the service has no such list. Only a server that the user named is asked: a feed must not lead to others
    /// as if the user had.
    private func fromService(_ part: FeedPart, at endpoint: String) -> Feed? {
        let query =
            switch part {
            case .creator(_, let id?, _): "creator=\(PercentEncoding.component(id))"
            case .topic(let topic): "topic=\(PercentEncoding.component(topic))"
            case .creator(_, nil, _), .folder: ""
            }
        let url = ServiceClient.url(endpoint, "feed.json", query: query)
        guard !query.isEmpty, let origin = RemoteURL(url)?.origin,
            (places.named + places.home).contains(where: { RemoteURL($0.text)?.origin == origin })
        else { return nil }
        do throws(FeedsError) {
            let feed = try loadFeed(sources: [url], provider: provider, options: options)
            return feed.items.count > 0 ? subtitled(feed) : nil
        } catch {
            // It is no service of that kind, or does not answer: what is loaded has to do.
            return nil
        }
    }

    private func subtitled(_ feed: Feed) -> Feed { subtitles.map(feed.with) ?? feed }

    /// Reads the next page.
    func loadMore(of pages: any FurtherPages) {
        BlockingThread.start {
            do throws(FeedsError) {
                inbox.post(.feed(.page(pages, .success(try pages.load()))))
            } catch {
                inbox.post(.feed(.page(pages, .failure(error))))
            }
        }
    }
}
