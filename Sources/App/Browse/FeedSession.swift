import Bytes
import Feeds
import Model
import Player
import UI

/// A feed, and where to continue in it.
typealias LoadedFeed = (feed: Feed, point: ReturnPoint)

/// The feed: reads it, again and in parts, adds its further pages, and follows its folders. Main thread; its methods
/// return events for the page.
@MainActor
final class FeedSession {
    /// What was read on other threads.
    enum Arrival: Sendable {
        case read(Place, Result<LoadedFeed, AppError>)
        case part(FeedPart, Feed)
        /// A further page of the feed; nil after the last.
        case page(any FurtherPages, Result<FeedPages.Page?, FeedsError>)
        /// Files came to the feed's folders, or went: what is visible now, and how many of these are new.
        case folders(FolderFollower, FolderFollower.Change, VisibleList, new: Int)
        /// Feeds that are there, looked at again after the rules for what is hidden changed.
        case visible([VisibleList])
        /// A change of the sources is done: Home is of these now; nil: of the same as before.
        case sources([FeedSource]?)
        /// How much is new in all places, as of this number of changes of the sources.
        case counted(PlaceList, changes: Int)
        /// The library has other rules than those that were known.
        case rules
    }

    /// The feed that stands behind a part of it, until the user comes back. A value.
    struct WholeFeed {
        var items: any ItemList & Sendable
        var pages: (any FurtherPages)?
        /// The page at which it was left.
        var index: Int
        /// How long its clips stay cached.
        var retention: Asset.Retention
    }

    /// A place that was left, until the user comes back. A value.
    struct LeftPlace {
        /// With the items that were loaded by then.
        var feed: Feed
        /// The page at which it was left, and its item.
        var index: Int
        var item: Item.ID?
    }

    private(set) var loader: FeedLoader
    private let sources: PlacesSession
    private let pool: PlayerPool
    let library: LibraryLink?
    private let journal: Journal
    /// The feed that the page begins with, until it is shown, and the item that the user wants to begin at, from 0.
    private var first: (feed: LoadedFeed?, item: Int?)
    /// The further pages of the current feed.
    var pages: (any FurtherPages)?
    private var pageAhead: PageAhead
    /// Follows the folders of the current feed, if it has some and no further pages.
    private var follower: FolderFollower?
    /// The whole feed, while a part of it stands in its place.
    var whole: WholeFeed?
    /// The whole feed, as it was read last.
    private var shown: Feed
    /// The place that it is.
    private var place: Place
    var left: [Place: LeftPlace] = [:]
    /// The places that are being read, for the first time or again, and whether the user asked for that with a key.
    private var reading: [Place: Bool]
    /// Whether the user follows others since Following was read.
    private var isFollowingOutdated = false

    /// - Parameters:
    ///   - feed: nil if the loader is still reading it.
    ///   - settings: where to begin, and when to load more.
    ///   - kept: what the cache has; no server is asked.
    init(
        _ feed: LoadedFeed?, loader: FeedLoader, pool: PlayerPool, library: LibraryLink?, journal: Journal,
        settings: BrowseSettings, kept: any ByteProvider
    ) {
        sources = PlacesSession(settings, loader: loader, kept: kept)
        (self.loader, self.pool, self.library, self.journal) = (loader, pool, library, journal)
        first = (feed, settings.start)
        pages = feed?.feed.pages
        shown = feed?.feed ?? Feed(title: nil, items: [Item](), source: "")
        place = loader.places.first
        reading = feed == nil ? [loader.places.first: false] : [:]
        pageAhead = PageAhead(distance: settings.setup.configuration.feed.loadMoreAt)
        pool.retention = retention(of: place)
    }

    /// Whether the place in view is being read, for the first time or again.
    var isReading: Bool { reading[place] != nil }

    /// Whether the current list is the whole feed, not a part of it.
    var isWhole: Bool { whole == nil }

    // MARK: The whole feed

    /// The feed that the page begins with, once; nil: it is still being read.
    func takeFirst() -> LoadedFeed? {
        defer { first.feed = nil }
        return first.feed
    }

    /// The feed was read. Returns the events that precede it on the page.
    func show(_ feed: Feed) -> [Event] {
        let isReload = reading.removeValue(forKey: place) ?? false
        whole?.pages?.cancel()
        pages?.cancel()
        if let whole { pool.retention = whole.retention }
        (pages, whole) = (feed.pages, nil)
        pageAhead = PageAhead(distance: pageAhead.distance)
        var events = note(feed)
        follow(feed)
        if isReload, feed.cachedAge != nil {
            events.append(journal.complaint(of: "feed", "Still offline: server unreachable"))
        }
        return events
    }

    /// A place could not be read.
    func fail(_ place: Place) { reading[place] = nil }

    /// Notes whose feed it is.
    func note(_ feed: Feed) -> [Event] {
        // Other places say nothing new of where their items are of.
        library?.source = place == .source || place == .home ? SourceName.text(feed.source) : ""
        library?.endpoint = feed.engagement
        library?.declared = feed.abilities
        shown = feed
        recordPage(feed.source, items: feed.items.count, next: feed.next)
        return [.cachedFeed(age: feed.cachedAge)]
    }

    /// Follows what comes to the feed's folders and goes from them, in place of those of the feed before. A feed with
    /// further pages is left as it is: its list is that of its pages.
    func follow(_ feed: Feed) {
        follower?.end()
        follower = nil
        guard !feed.folders.isEmpty, let list = feed.items as? VisibleList, !list.feed.hasFurther else { return }
        let (new, inbox) = (FolderFollower(feed.folders, items: list.all), loader.inbox)
        let changed = { @Sendable (change: FolderFollower.Change) in
            let visible = list.feed.restart(with: change.items)
            let count = visible.count(from: change.items.count - change.new)
            inbox.post(.feed(.folders(new, change, visible, new: count)))
        }
        new.begin(changed: changed)
        follower = new
    }

    /// The feed begins: a toast says why it does not begin at its first item.
    ///
    /// - Parameter offering: adds the key for the first item to a toast's words.
    func words(
        for begin: FeedStart, of count: Int, as kind: Toasts.Kind, offering: (String) -> String
    ) -> [Event] {
        var events: [Event] = []
        switch begin {
        case .top: break
        case .new(let count): events.append(.notice("\(count) new", kind))
        case .resumed(let page): events.append(.notice(offering("Resumed at \(page + 1) of \(count)"), kind))
        }
        if let start = first.item, count > 0, start >= count {
            events.append(.notice("No item \(start + 1); started at the last, \(count)", .failure))
        }
        return events
    }

    /// Reports what of a feed was left out. Of an earlier answer only the log does: a badge shows its age.
    func warn(of feed: Feed) -> [Event] {
        guard feed.cachedAge != nil else { return warn(of: feed.warnings) }
        for warning in feed.warnings { journal.warn("feed: \(warning)") }
        return []
    }

    /// All warnings go to the log; the user sees their number and the first one.
    func warn(of warnings: [String]) -> [Event] {
        guard let first = warnings.first else { return [] }
        for warning in warnings.dropFirst() { journal.warn("feed: \(warning)") }
        // The count comes first, because a narrow page cuts the end.
        let text = warnings.count > 1 ? "\(warnings.count) problems, first: \(first)" : first
        return [journal.complaint(of: "feed", text, as: .remark)]
    }

    private func recordPage(_ source: String, items: Int, next: String?) {
        journal.record(.feed(source: SourceName.text(source), items: items, next: next.map(SourceName.text)))
    }

    /// Reads the feed again, unless it is being read.
    ///
    /// - Parameter isWanted: the user asked for it, and is shown if the server is still unreachable.
    func reload(on state: State, isWanted: Bool = true) {
        if let part = state.feed.part { return open(part, on: state) }
        guard beginReading(place, isWanted: isWanted) else { return }
        load(place, keeping: state.content?.item)
    }

    /// Whether a place is to be read now: it is not being read yet.
    private func beginReading(_ place: Place, isWanted: Bool = false) -> Bool {
        let before = reading[place]
        reading[place] = isWanted || before ?? false
        return before == nil
    }

    private func load(_ place: Place, keeping watched: Item? = nil) {
        if place == .following { isFollowingOutdated = false }
        loader.load(place, keeping: watched)
    }

    /// The user follows a creator, or no longer does.
    func changeFollows() { isFollowingOutdated = true }

    // MARK: Places

    /// Whether a feed that was read is that of the place in view.
    func isAt(_ place: Place) -> Bool { place == self.place }

    /// Goes to a place, or begins to read it.
    func open(_ place: Place, on state: State) -> [Event] {
        guard place != self.place else { return [] }
        // What is liked or saved meanwhile is to be in its list.
        guard let was = left[place], !place.isOfLibrary, place != .following || !isFollowingOutdated else {
            if beginReading(place) { load(place) }
            return []
        }
        return go(to: place, was.feed, at: was.index, on: state)
    }

    /// A place was read. Returns the events that show it, unless the user wants another one by now.
    func receive(_ feed: Feed, of place: Place, from point: ReturnPoint, on state: State) -> [Event] {
        reading[place] = nil
        guard state.feed.places.wanted == place else { return [] }
        let index = left[place].flatMap { was in was.item.flatMap { feed.items.index(of: $0, near: was.index) } }
        return go(to: place, feed, at: index ?? point.start.page, on: state) + warn(of: feed)
    }

    /// The sources of Home that are not changed by then stay as they are.
    func close() { sources.close() }

    /// Counts what is new in all places.
    func countNew() { sources.read(loader.places) }

    /// After one without the latest changes another list follows.
    func receive(_ list: PlaceList, changes: Int) -> [Event] {
        sources.isCurrent(after: changes) ? [.placeList(list)] : []
    }

    /// Adds or removes a source of Home, or changes its weight. What Home is of then comes as an `Arrival`.
    func change(_ change: SourceChange) { sources.change(change) }

    /// Reads all sources again.
    func refreshSources(on state: State) {
        sources.refresh(loader.places)
        reload(on: state)
    }

    /// Home is of these sources now: it is read again, at once if it is in view.
    func change(home new: [FeedSource]?, on state: State) -> [Event] {
        sources.settle()
        defer { countNew() }
        guard let new, new != loader.places.home else { return [] }
        loader.places.change(home: new)
        let ofHome: [Place] = [.home, .forYou, .following]
        for place in ofHome { left[place] = nil }
        if ofHome.contains(place), !new.isEmpty { reload(on: state, isWanted: false) }
        return [.places(loader.places.all)]
    }

    /// The rules for what is hidden have changed.
    func hidePlaces() -> [Event] {
        let before = loader.places.all
        loader.places.change(hidden: loader.hidden.own)
        let all = loader.places.all
        if !all.contains(.forYou) { left[.forYou] = nil }
        return all == before ? [] : [.places(all)]
    }

    /// Shows a source alone, in place of what flick was started with.
    func open(_ source: FeedSource, on state: State) -> [Event] {
        loader.places.name(source)
        left[.source] = nil
        if beginReading(.source) { loader.load(.source) }
        return [.places(loader.places.all)]
    }

    private func go(to place: Place, _ feed: Feed, at index: Int, on state: State) -> [Event] {
        var was = shown
        (was.items, was.pages) = (whole?.items ?? state.items, whole == nil ? pages : whole?.pages)
        let page = whole?.index ?? state.current
        // One that is still being read is read when the user comes back.
        left[self.place] =
            isReading
            ? nil
            : LeftPlace(feed: was, index: page, item: page < was.items.count ? was.items.id(at: page) : nil)
        if whole != nil { pages?.cancel() }
        self.place = place
        (pages, whole) = (feed.pages, nil)
        pool.retention = retention(of: place)
        pageAhead = PageAhead(distance: pageAhead.distance)
        let events = note(feed)
        follow(feed)
        return events + [
            service, .place(place, feed.items, title: feed.title, at: index),
        ]
    }

    /// How long the clips of a place stay cached.
    private func retention(of place: Place) -> Asset.Retention {
        loader.places.sources(of: place).isHome ? .home : .lasting
    }

    // MARK: Further pages

    /// When to ask again for a page that could not be loaded.
    ///
    /// - Parameter left: the number of items after the current one, or the chosen one of a grid.
    func nextWake(left: @autoclosure () -> Int) -> Duration? {
        pages == nil ? nil : pageAhead.nextWake(left: left())
    }

    /// Loads the next page when the user comes near the end, and what is arriving of the feed at once.
    func loadAhead(left: @autoclosure () -> Int, now: Duration) {
        guard let pages, pageAhead.begins(left: pages.isArriving ? 0 : left(), now: now) else { return }
        loader.loadMore(of: pages)
    }

    /// The user wants the next page now, though it could not be loaded.
    func hurry() { pageAhead.hurry() }

    /// Handles a further page of the feed, or the failure to load it.
    func receive(
        _ result: Result<FeedPages.Page?, FeedsError>, of from: any FurtherPages, left: Int, now: Duration
    ) -> [Event] {
        guard from === pages else { return [] }
        switch result {
        case .success(let page):
            pageAhead.loaded()
            // Its items come with those that are looked at again.
            if let page, !isCurrent(page.items) { return [] }
            if page?.next == nil { pages = nil }
            guard let page else { return [] }
            recordPage(page.url, items: page.added, next: page.next)
            return [.more(page.items)] + warn(of: page.warnings)
        case .failure(let error):
            guard pageAhead.failed(left: left, now: now) else {
                journal.warn("feed: \(error)")
                return [.moreFailed]
            }
            return [.moreFailed, journal.complaint(of: "feed", "Couldn't load more: \(error)")]
        }
    }

    // MARK: Folders

    /// Files came to the folders, or went.
    ///
    /// - Parameters:
    ///   - items: of the feed now.
    ///   - new: how many of them are new.
    func receive(
        _ change: FolderFollower.Change, _ items: VisibleList, new: Int, of from: FolderFollower
    ) -> [Event] {
        guard from === follower, isCurrent(items) else { return [] }
        recordPage(shown.source, items: items.count, next: nil)
        var events: [Event] = []
        if let whole {
            // The part that stands in the feed's place stays as it is.
            let left = whole.index < whole.items.count ? whole.items.id(at: whole.index) : nil
            let index = left.flatMap { items.index(of: $0, near: whole.index) }
            self.whole = WholeFeed(
                items: items, pages: nil,
                index: index ?? max(0, min(whole.index, items.count - 1)), retention: whole.retention)
        } else {
            pages = nil
            events.append(.changed(items, hasLost: change.lost > 0))
        }
        if new > 0 { events.append(.notice(new == 1 ? "1 new clip" : "\(new) new clips", .remark)) }
        return events
    }

    /// What the service of the feed in view can do.
    var service: Event {
        .service(
            takesComments: library?.takesComments ?? false, abilities: library?.abilities ?? [],
            address: library?.source)
    }

    // MARK: Parts

    /// Reads a part of the feed, from its service or from the loaded items, on a separate thread.
    func open(_ part: FeedPart, on state: State) {
        guard let watched = state.content?.item else { return }
        loader.load(part, of: whole?.items ?? state.items, at: library?.endpoint, keeping: watched)
    }

    /// A part of the feed was read.
    func show(_ part: FeedPart, _ feed: Feed, on state: State) -> [Event] {
        guard state.takes(part) else { return [] }
        guard isCurrent(feed.items) else {
            // It was read by earlier rules.
            open(part, on: state)
            return []
        }
        if whole == nil {
            whole = WholeFeed(items: state.items, pages: pages, index: state.current, retention: pool.retention)
            // A creator or topic that the user opens is not the home feed, even if it was found in one.
            pool.retention = .lasting
        } else {
            pages?.cancel()
        }
        pages = feed.pages
        pageAhead = PageAhead(distance: pageAhead.distance)
        return [.part(part, feed.items)] + warn(of: feed)
    }

    /// Comes back to the whole feed, where it was left.
    func closePart() -> [Event] {
        guard let whole else { return [] }
        pages?.cancel()
        // A page that was on its way when the part was opened is read again.
        pool.retention = whole.retention
        (pages, pageAhead, self.whole) = (whole.pages, PageAhead(distance: pageAhead.distance), nil)
        return [.wholeFeed(whole.items, title: shown.title, at: whole.index)]
    }
}
