import Model

/// What stands on the page of the feed: all of it or a part, as pages or as a grid of stills; and what is known of it
/// besides its items. A value.
public struct FeedView: Sendable {
    public internal(set) var items: any ItemList & Sendable
    /// The feed's title, cleaned; empty if it has none.
    public internal(set) var title: GlyphLine {
        didSet { if places.current == .source, part == nil { sourceName = title } }
    }
    /// When the feed was read, if its server does not answer now: before flick began, so it is negative.
    var readAt: Duration?
    /// The feed is still being read, so an empty list does not mean an empty feed. Ends with the first `Event.feed`.
    public var isReading = false
    /// Whether the feed has another page that could not be loaded.
    var lacksMore = false

    /// The place that the feed is, and the others.
    public var places = Places()
    /// The title of the place `source`, as it was seen last; before that, what the user calls it.
    private(set) var sourceName: GlyphLine
    /// Why For You chose an item, one line each; at most as many as pages were shown.
    var reasons: [Item.ID: String] = [:]
    /// The part of the feed that stands in its place.
    public private(set) var part: FeedPart?
    /// The part that is being read.
    private(set) var wanted: WantedPart?
    /// The same as a grid of stills, while that is open.
    public internal(set) var grid: StillGrid?

    /// What the sheet of all places says of them.
    var placeList = PlaceList()
    /// What `undo` takes back, the newest last.
    private(set) var changes: [UserChange] = []
    /// What the user hides in all feeds.
    var hidden = HiddenList()

    /// Whether the feed has a service, which has comments, accepts new ones, and counts reactions.
    public internal(set) var takesComments = false
    /// What else that service can do.
    public internal(set) var abilities: Set<ServiceAbility> = []
    /// The address of the feed whose title is shown: all items that name it are of that. nil if it is not known.
    var address: String?
    /// Whether what is said of an item can be read where the item is of, if the feed has no service.
    public var readsComments: @Sendable (Item) -> Bool = { _ in false }
    /// Whether the user's comments on an item are stored on this machine, if the feed has no service.
    public var keepsComments: @Sendable (Item) -> Bool = { _ in false }
    /// The avatars that can be shown, by their addresses.
    public internal(set) var avatars: Set<String> = []
    /// The sensitive items that the user has asked to see in this session.
    private var revealed: Set<Item.ID> = []

    /// - Parameters:
    ///   - title: not yet cleaned.
    ///   - sourceName: what to call the place `source` before it was shown; not yet cleaned.
    init(
        _ items: any ItemList & Sendable, title: String?, places: Places = Places(), sourceName: String? = nil
    ) {
        self.items = items
        self.places = places
        self.title = Self.title(title)
        self.sourceName = places.current == .source ? self.title : Self.title(sourceName)
    }

    static func title(_ text: String?) -> GlyphLine { GlyphLine(CleanText.line(text ?? "", limit: 120)) }

    /// The whole feed was read.
    mutating func arrive() { (isReading, lacksMore, part) = (false, false, nil) }

    // MARK: Changes

    /// Older changes cannot be undone.
    private static let maxChanges = 20

    /// The user has removed or hidden something.
    mutating func note(_ change: UserChange) { changes = (changes + [change]).suffix(Self.maxChanges) }

    /// What is to be taken back, once.
    mutating func takeLastChange() -> UserChange? { changes.popLast() }

    /// These were taken back in another way, or did not come about.
    mutating func forgetChanges(where isMeant: (UserChange) -> Bool) { changes.removeAll(where: isMeant) }

    // MARK: Parts

    /// A part is being read from now on.
    mutating func want(_ part: FeedPart, now: Duration) { wanted = WantedPart(part: part, since: now) }

    /// The part that is being read is not wanted any more.
    mutating func dropWanted() { wanted = nil }

    /// Whether a part that was read meanwhile is still wanted: not after Esc, nor on a clip outside it.
    func takes(_ part: FeedPart, at item: Item?) -> Bool {
        wanted?.part == part && (item.map { part.has($0) } ?? false)
    }

    /// The part was read, and stands in place of the feed.
    mutating func open(_ part: FeedPart) { (self.part, wanted) = (part, nil) }

    /// The whole feed is there again.
    mutating func closePart() { (part, grid) = (nil, nil) }

    /// The part that takes a while to read, once for each.
    mutating func takeLatePart(now: Duration) -> FeedPart? {
        guard let wanted, let lateAt, now >= lateAt else { return nil }
        self.wanted?.isAnnounced = true
        return wanted.part
    }

    /// When a notice will say that a part takes a while; nil if none will.
    var lateAt: Duration? {
        guard let wanted, !wanted.isAnnounced else { return nil }
        return wanted.since + WantedPart.patience
    }

    // MARK: Items

    /// Whether the comments of an item can be shown.
    func showsComments(of item: Item?) -> Bool { acceptsComments(on: item) || item.map(readsComments) ?? false }

    /// Whether a comment on an item can be written.
    func acceptsComments(on item: Item?) -> Bool { takesComments || item.map(keepsComments) ?? false }

    /// Whether an item is sensitive, and the user has not asked to see it.
    func isSensitive(_ item: Item) -> Bool { item.isSensitive && !revealed.contains(item.id) }

    mutating func reveal(_ item: Item.ID) { revealed.insert(item) }
}

extension State {
    /// What is missing. The list of what is hidden has no clips.
    var emptyListTitle: String {
        feed.places.current == .hidden && feed.hidden.isEmpty ? "Nothing hidden" : "Nothing to play here"
    }

    /// How clips come into the list that is shown, if it is one of the library: "Clips you save with s appear here".
    var emptyListWords: String? {
        func words(_ verb: String, _ action: Action, of clips: String = "Clips") -> String {
            "\(clips) you \(verb)" + (keyLabel(of: action).map { " with \($0)" } ?? "") + " appear here"
        }
        let place = feed.places.current
        if place == .hidden, !feed.hidden.isEmpty {
            return keyLabel(of: .notInterested).map { "\($0) lists what you have hidden" } ?? "Something is hidden"
        }
        if !place.isOfLibrary, feed.hidden.count > 0 {
            return "Some clips are hidden" + (keyLabel(of: .notInterested).map { "; \($0) lists them" } ?? "")
        }
        return switch place {
        case .following: words("follow", .follow, of: "Clips by creators")
        case .history: "Clips you watch appear here"
        case .liked: words("like", .like)
        case .saved: words("save", .save)
        case .offline: "Downloaded clips" + (keyLabel(of: .keepOffline).map { " (\($0))" } ?? "") + " appear here"
        case .hidden: "What you hide" + (keyLabel(of: .notInterested).map { " with \($0)" } ?? "") + " is listed here"
        case .source, .home, .forYou: nil
        }
    }
}
