import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All that the page knows. Only `update` changes it; `draw` shows it. Times count from the start of the process on a
/// monotonic clock. A value, on the main thread.
public struct State: Sendable {
    /// A sheet that lies over the page.
    public enum Sheet: Hashable, Sendable, CaseIterable {
        case help, trust, diagnostics, menu, topics, caption, comments, filter
        /// What of the clip to hide, and all that is hidden.
        case hide, hidden
        /// All places, and the sources of Home.
        case places
        /// The variants of the clip, and data saver.
        case quality
    }

    /// What the menu opens at.
    enum MenuPlace: Sendable, Equatable {
        /// Where the pointer asked for it.
        case pointer(GridPoint)
        /// Under the button at the end of the top row.
        case button
        /// Beside the rail.
        case rail
    }

    public var size: GridSize
    public var options: Options {
        didSet {
            guard
                options.theme != oldValue.theme || options.color != oldValue.color
                    || options.textNeedsGround != oldValue.textNeedsGround
            else { return }
            theme = Theme(options)
        }
    }
    public internal(set) var theme: Theme
    /// The wall-clock time at which the monotonic clock was zero: "3m ago" is counted with it.
    public var wallClock = Date(timeIntervalSince1970: 0)

    public var feed: FeedView
    public internal(set) var pager: Pager
    /// The texts of the current page and those next to it.
    var contents: [Int: PageContent] = [:]
    /// What players reported: of items with a player, and of failed items nearby.
    public internal(set) var clips: [Item.ID: Clip] = [:]
    public var playback: Playback
    var seeking = Seeking()
    var loading = Loading()
    var subtitles = Subtitles()
    public internal(set) var reactions = Reactions()
    var discussion = Discussion()
    public internal(set) var view = PageView()
    public internal(set) var toasts = Toasts()
    /// The open text field.
    var typing: Typing?
    var pointer: Pointer
    /// What plain mode was asked to print once more.
    var questions = RepeatRequests()

    /// - Parameters:
    ///   - title: of the place that is shown, not yet cleaned.
    ///   - sourceName: what to call the place `source` before it was shown; not yet cleaned.
    public init(
        size: GridSize, items: any ItemList & Sendable, title: String? = nil, places: Places = Places(),
        sourceName: String? = nil, options: Options = Options()
    ) {
        self.size = size
        feed = FeedView(items, title: title, places: places, sourceName: sourceName)
        self.options = options
        theme = Theme(options)
        pager = Pager(count: items.count, at: options.startIndex, rows: size.rows)
        playback = Playback(options)
        pointer = Pointer(doubleClick: options.doubleClick)
        prepareContents()
    }

    /// The items of the feed, or of the part that stands in its place.
    public var items: any ItemList & Sendable { feed.items }

    /// The index of the current item: the one that plays, or would play.
    public var current: Int { pager.current }

    /// Whether pages pass by, and the one where they end will need a player.
    public var isPassing: Bool { playback.playAt != nil }

    /// Whether the current item's comments can be shown.
    var showsComments: Bool { feed.showsComments(of: content?.item) }

    /// Whether a comment on the current item can be written.
    var acceptsComments: Bool { feed.acceptsComments(on: content?.item) }

    /// Whether such a comment is not sent anywhere.
    var keepsComments: Bool { acceptsComments && !feed.takesComments }

    /// Whether the feed's counts of likes and the like include the user's own: its service knows them, or the items of
    /// the library are as they were seen last.
    var feedCountsReactions: Bool { feed.takesComments || feed.places.current.isOfLibrary }

    /// The smallest terminal that the page fits.
    public static let smallestSize = GridSize(columns: 40, rows: 12)

    public var isTooSmall: Bool { size.columns < Self.smallestSize.columns || size.rows < Self.smallestSize.rows }

    /// The current item; nil while the feed is empty.
    public var currentID: Item.ID? { content?.item.id }

    /// The clip of the current item; an empty value while nothing is known.
    public internal(set) var clip: Clip {
        get { currentID.flatMap { clips[$0] } ?? Clip(page: current) }
        set { if let currentID { clips[currentID] = newValue } }
    }

    public func clip(of index: Int) -> Clip { clips[content(of: index).item.id] ?? Clip(page: index) }

    /// The page that shows an item; nil if no recent effect was about it.
    public func page(of id: Item.ID) -> Int? {
        guard let page = clips[id]?.page, page < items.count else { return nil }
        return page
    }

    /// The item that an effect names.
    public func item(_ id: Item.ID) -> Item? {
        // Nothing is known of its clip while pages pass by.
        if let content, content.item.id == id { return content.item }
        return page(of: id).map { items[$0] }
    }

    /// Paused by the user, held, or paused by something else.
    public var isPaused: Bool { !playback.wantsPlay || clip.wasStopped || isHeld }

    /// The clip waits while a message is written, stills are chosen from or
    /// another window has the focus.
    var isHeld: Bool { typing?.item != nil || feed.grid != nil || playback.lacksFocus }

    public var content: PageContent? { contents[current] }

    public func content(of index: Int) -> PageContent {
        contents[index] ?? newContent(of: index)
    }

    /// The position that the scrubber shows.
    public func shownPosition(now: Duration) -> Duration {
        seeking.position(of: currentID, now: now) ?? clip.position(now: now, speed: playback.speed)
    }

    /// Lays out the texts of items near the current one, and drops the others.
    mutating func prepareContents() {
        guard items.count > 0 else {
            contents = [:]
            return
        }
        let near = Set([current - 1, current, current + 1, Int(pager.position), Int(pager.position) + 1])
            .filter { $0 >= 0 && $0 < items.count }
        contents = contents.filter { near.contains($0.key) }
        for index in near where contents[index] == nil {
            contents[index] = newContent(of: index)
        }
    }

    private func newContent(of index: Int) -> PageContent {
        let item = items[index]
        let clip = clips[item.id]
        return PageContent(
            item, tags: clip?.namingTags, playing: clip?.playing(of: item) ?? [], isASCII: options.isASCII,
            isCovered: covers(item))
    }

    /// The item's texts have changed.
    mutating func renewContents(of item: Item.ID) {
        for (index, content) in contents where content.item.id == item { contents[index] = newContent(of: index) }
    }
}
