/// On whose behalf bytes are read: an item, a feed. What it leads to is held to `LinkPolicy`, sent its headers, and kept as long as it.
public struct Asset: Hashable, Sendable {
    /// How long what is fetched is kept (C4).
    public enum Retention: String, Sendable, CaseIterable {
        /// Of a home feed: for two hours.
        case home
        /// Of what was asked for by name (a source, a profile, a topic, saved clips): until room is needed.
        case lasting
    }

    /// Absolute: the item's own URL, or the feed's.
    public var url: String
    /// Absolute: the feed that led to `url`; nil if nothing but the user did.
    public var feed: String?
    /// To be sent with every request: `Referer`, `User-Agent`, whatever the feed says. Names are compared without case.
    public var headers: [String: String]
    public var retention: Retention

    public init(url: String, feed: String? = nil, headers: [String: String] = [:], retention: Retention = .lasting) {
        self.url = url
        self.feed = feed
        self.headers = headers
        self.retention = retention
    }

    /// All that `LinkPolicy` asks for leave.
    var sources: [String] { feed.map { [url, $0] } ?? [url] }
}

/// What bytes are to whoever reads them. It decides what is kept of them (C2).
public enum ByteRole: Sendable, CaseIterable {
    /// A whole file of media, read in any order: kept by the ranges that were fetched.
    case media
    /// A manifest of a feed, of any length, read once from its beginning to its end: always asked for anew, and never kept.
    case manifest
    /// A playlist: asked for anew unless it is finished, and never kept as a file.
    case playlist
    /// A segment of a finished playlist, which never changes: kept.
    case segment
    /// A segment of a playlist that goes on: not kept.
    case liveSegment
    /// A key that segments are enciphered with: kept in memory only.
    case key
}

/// What is to be opened.
public struct ByteRequest: Hashable, Sendable {
    /// Absolute.
    public var url: String
    public var asset: Asset
    public var role: ByteRole
    /// The bytes of the resource that will be read; nil: all. Offsets of reads count from the resource's beginning all the same.
    public var range: Range<Int64>?
    /// The part of the clip that a segment holds.
    public var place: Range<Duration>?

    public init(
        url: String, asset: Asset, role: ByteRole = .media, range: Range<Int64>? = nil, place: Range<Duration>? = nil
    ) {
        self.url = url
        self.asset = asset
        self.role = role
        self.range = range
        self.place = place
    }
}

extension ByteRequest {
    /// The server that is asked, in one spelling.
    var origin: String { RemoteURL(url)?.origin.text ?? "" }
}
