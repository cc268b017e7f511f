/// The item or feed that bytes are read for. `URLAccessPolicy` uses it to decide where requests may go, its headers are
/// sent with each request, and its retention decides how long bytes stay cached. A value.
public struct Asset: Hashable, Sendable {
    /// How long fetched bytes stay in the cache.
    public enum Retention: String, Sendable, CaseIterable {
        /// For items of a home feed: two hours.
        case home
        /// For sources that the user has named (a source, a profile, a topic, saved clips): until the cache is full.
        case lasting
        /// For what the user keeps offline: until the user lets it go. It does not count towards the cache's limit.
        case offline
    }

    /// Absolute: the item's own URL, or the feed's.
    public var url: String
    /// Absolute: the feed that named `url`; nil if the user did.
    public var feed: String?
    /// Sent with every request: `Referer`, `User-Agent` and others that the feed names. Names are not case-sensitive.
    public var headers: [String: String]
    public var retention: Retention
    /// The resolver that finds the media; nil if `url` is the media itself.
    public var resolver: Resolver?

    public init(
        url: String, feed: String? = nil, headers: [String: String] = [:], retention: Retention = .lasting,
        resolver: Resolver? = nil
    ) {
        self.url = url
        self.feed = feed
        self.headers = headers
        self.retention = retention
        self.resolver = resolver
    }

    /// The sources that `URLAccessPolicy` must all permit.
    package var sources: [String] { feed.map { [url, $0] } ?? [url] }

    /// The clip of an item.
    public init(_ item: Item, retention: Retention) {
        self.init(
            url: item.url, feed: item.feed, headers: item.headers, retention: retention, resolver: item.resolver)
    }
}

/// A service or program that finds the media of an item. It is queried when the clip's bytes
/// are first needed, and again when the address has expired.
public enum Resolver: String, Hashable, Sendable, CaseIterable {
    case peerTube = "peertube"
    case ytDLP = "yt-dlp"

    /// The name that the user sees.
    public var name: String {
        switch self {
        case .peerTube: "PeerTube"
        case .ytDLP: "yt-dlp"
        }
    }
}

/// Whether the user keeps a clip offline, and how far that is. A value.
public enum OfflineState: Sendable, Equatable {
    case no
    /// It is being fetched whole. The part that is there: 0 … 1; nil while that is unknown.
    case fetching(Double?)
    /// All of it is on disk.
    case whole
    /// It cannot be fetched whole: why, in a few words.
    case failed(String)
}
