import Model

/// An item as the library keeps it: enough to show and play it again without its feed. A value.
public struct LibraryItem: Hashable, Sendable {
    public var key: ItemKey
    /// Absolute.
    public var url: String
    /// The item in one line, as `flick feed --json` prints it.
    public var json: String
    /// The URL of the feed that named it, which decides what it may lead to; nil if the user named it.
    public var feed: String?
    /// The feed that it was seen in, as `Feed.source`; empty if that was a list
    /// of the library, which says nothing new of it.
    public var source: String
    /// The absolute URL below which its feed wants reports of views and reactions; nil if it wants none.
    public var endpoint: String?

    public init(
        key: ItemKey, url: String, json: String, feed: String? = nil, source: String, endpoint: String? = nil
    ) {
        (self.key, self.url, self.json, self.feed, self.source) = (key, url, json, feed, source)
        self.endpoint = endpoint
    }
}

/// The library's data on one item, for its page. A value.
public struct ItemMemory: Hashable, Sendable {
    public var reaction: Reaction
    /// Where the clip was left; nil if it plays from its beginning.
    public var place: Duration?

    public init(reaction: Reaction = Reaction(), place: Duration? = nil) {
        (self.reaction, self.place) = (reaction, place)
    }
}

/// A creator in the feeds of one server. A value.
public struct CreatorKey: Hashable, Sendable {
    /// See `ItemKey.scope`.
    public var scope: String
    /// The creator's id, URL or name, whichever the feed gives first.
    public var id: String

    public init(scope: String, id: String) { (self.scope, self.id) = (scope, id) }

}

/// The feed that has the items of a followed creator. A value.
public struct FollowedFeed: Hashable, Sendable {
    /// As the user would name it as a source: a URL, or the address of an account.
    public var address: String
    /// Whether it has items by others, too.
    public var isShared: Bool

    public init(address: String, isShared: Bool) { (self.address, self.isShared) = (address, isShared) }
}

/// A creator that the user follows. A value.
public struct Follow: Hashable, Sendable {
    public var creator: CreatorKey
    /// Not cleaned.
    public var name: String
    /// In seconds since 1970.
    public var since: Double
    /// nil if only feeds that the user reads anyway have the creator's items.
    public var feed: FollowedFeed?

    public init(creator: CreatorKey, name: String, since: Double, feed: FollowedFeed? = nil) {
        (self.creator, self.name, self.since, self.feed) = (creator, name, since, feed)
    }
}

/// Something of the engagement log. A value.
public struct LoggedEvent: Hashable, Sendable {
    /// Unique for ever: what is sent twice counts once.
    public var id: String
    /// The run of flick that it happened in.
    public var session: String
    /// Seconds since 1970.
    public var at: Double
    /// As in the trace's `engage`: `impression`, `start`, `view` …
    public var what: String
    /// More of it: an object of JSON in one line; empty if there is no more.
    public var detail: String

    public init(id: String, session: String, at: Double, what: String, detail: String = "") {
        (self.id, self.session, self.at, self.what, self.detail) = (id, session, at, what, detail)
    }
}

/// One thing to remember. Times are seconds since 1970. A value.
public enum Change: Hashable, Sendable {
    /// The item was in view, in a feed that it is the last watched item of; `page` counts from 0.
    case seen(LibraryItem, page: Int? = nil, at: Double)
    /// The item's page was left, with its clip at `place`; nil if the clip plays from its beginning the next time.
    case left(ItemKey, place: Duration?)
    /// All that holds from now on of what the user thinks of the item.
    case reacted(LibraryItem, Reaction, at: Double)
    /// The creator of the item is followed from now on, or no longer. `hasID`: the feed gave the creator an id, so its
    /// service knows it. `feed`: of the creator; nil if there is no such.
    case followed(
        LibraryItem, CreatorKey, name: String, feed: FollowedFeed? = nil, hasID: Bool, Bool, at: Double)
    /// An item of the creator was seen, which shows where the creator's feed is. Changes nothing unless the creator is
    /// followed and has no feed yet.
    case foundFeed(FollowedFeed, of: CreatorKey)
    case shared(LibraryItem, at: Double)
    /// The item was fetched whole, perhaps without being seen.
    case fetched(LibraryItem)
    /// Something is hidden from now on, or no longer. `source`: the feed in which the user decided so, as
    /// `LibraryItem.source`.
    case hidden(HideRule, source: String, Bool, at: Double)
    case commented(LibraryItem, OwnComment)
    /// A comment that stays here, and is never sent.
    case keptComment(LibraryItem, OwnComment)
    /// The comment of this id, which was kept, is deleted.
    case deletedComment(String)
    /// What the user did with a comment that the item's service has.
    case changedComment(LibraryItem, comment: String, CommentAct, at: Double)
    /// The item is deleted from its service, or comes back (false).
    case deletedItem(LibraryItem, Bool, at: Double)
    /// An event of the statistics. With nil no service gets it.
    case event(LibraryItem, LoggedEvent, EngagementEvent.What? = nil)
}

/// The user's comment on an item. A value.
public struct OwnComment: Hashable, Sendable {
    /// Unique for ever.
    public var id: String
    public var text: String
    /// The id of the comment which this one answers, as its list or service has it; nil if it answers none.
    public var parent: String?
    /// The user's name at the service.
    public var name: String?
    /// Seconds since 1970.
    public var at: Double

    public init(id: String, text: String, parent: String? = nil, name: String? = nil, at: Double) {
        (self.id, self.text, self.parent, self.name, self.at) = (id, text, parent, name, at)
    }
}

/// An item of a feed that was in view. A value.
public struct LastSeen: Hashable, Sendable {
    public var key: ItemKey
    /// Where the feed had it then, from 0; nil if that is not known.
    public var page: Int?
    /// Whether it ever played. If not, its page showed an error, or was left before its first frame.
    public var hasPlayed: Bool
    /// Whether it was ever played to its end.
    public var isFinished: Bool

    public init(key: ItemKey, page: Int? = nil, hasPlayed: Bool = true, isFinished: Bool = false) {
        (self.key, self.page, self.hasPlayed, self.isFinished) = (key, page, hasPlayed, isFinished)
    }
}

extension LibraryList {
    /// Whether an item is in the list. What never played is not in the history: its page showed an error, or was left
    /// before its first frame.
    var condition: String { "\(column) IS NOT NULL" + (self == .history ? " AND \(Self.hasPlayed)" : "") }

    /// Whether an item ever played.
    static let hasPlayed =
        "EXISTS (SELECT 1 FROM event WHERE event.item = item.number AND what IN ('start', 'view', 'milestone'))"

    /// The column that says since when an item is in the list.
    var column: String {
        switch self {
        case .history: "seen"
        case .liked: "liked"
        case .saved: "saved"
        }
    }
}

/// An item in a list of the library. A value.
public struct LibraryEntry: Hashable, Sendable {
    /// Where it stands, for the next page of the list.
    public struct Place: Hashable, Sendable {
        var at: Double
        var number: Int64
    }

    public var place: Place
    public var item: LibraryItem
    public var memory: ItemMemory

    /// When it was seen, liked or saved last, in seconds since 1970.
    public var at: Double { place.at }
}

/// Something that the user hid. A value.
public struct HiddenEntry: Hashable, Sendable {
    public var rule: HideRule
    /// In seconds since 1970.
    public var since: Double
}

/// An event in the order in which events were logged. A value.
public struct EventEntry: Hashable, Sendable {
    /// Rises with each event.
    public var number: Int64
    public var item: ItemKey
    public var url: String
    /// The feed that the item was seen in, as `LibraryItem.source`.
    public var source: String
    public var event: LoggedEvent
}

/// A visit of an item's page, and what is remembered of the item now. A value.
public struct VisitEntry: Hashable, Sendable {
    /// Rises with each event of the log.
    public var number: Int64
    /// When the page was left, in seconds since 1970.
    public var at: Double
    /// Its summary (`JSONLine.put(_:)`), an object of JSON in one line.
    public var detail: String
    /// As `LibraryItem.json`.
    public var item: String
    /// As `LibraryItem.feed`.
    public var feed: String?
    public var memory: ItemMemory
}

/// The part of the library to delete. A value.
public enum Forgetting: Hashable, Sendable {
    case all
    /// Items with this id or URL.
    case item(String)
    /// Items that were last seen in this feed, and what was hidden in it.
    case source(String)
}

/// Identifies an item in the library: across starts, and across feeds that have the same clip. A value.
///
/// An id from a feed is unique only within that feed's service. An id that flick made from
/// the item's URL is the same wherever the clip is found.
public struct ItemKey: Hashable, Sendable {
    /// The origin of the feed that gave the id, as `https://host:port`, or the URL of the manifest file; empty for an
    /// id that was made of the URL.
    public var scope: String
    public var id: String

    public init(scope: String, id: String) { (self.scope, self.id) = (scope, id) }

    public init(_ item: Item) {
        let isMade = item.feed == nil || item.id == ItemID.hash(of: item.url)
        scope = isMade ? "" : item.feed.map { RemoteURL($0)?.origin.text ?? $0 } ?? ""
        id = item.id
    }
}
