/// On whose behalf bytes are read: an item, or a feed. `LinkPolicy` decides where it may lead; its headers are sent with
/// each request, and what it leads to is cached as long as it is. A value.
public struct Asset: Hashable, Sendable {
    /// How long what is fetched stays in the cache.
    public enum Retention: String, Sendable, CaseIterable {
        /// For what a home feed leads to: two hours.
        case home
        /// For what the user asked for by name (a source, a profile, a topic, saved clips): until room is needed.
        case lasting
    }

    /// Absolute: the item's own URL, or the feed's.
    public var url: String
    /// Absolute: the feed that led to `url`; nil if nothing but the user did.
    public var feed: String?
    /// Sent with every request: `Referer`, `User-Agent`, whatever the feed names. Names are compared without case.
    public var headers: [String: String]
    public var retention: Retention

    public init(url: String, feed: String? = nil, headers: [String: String] = [:], retention: Retention = .lasting) {
        self.url = url
        self.feed = feed
        self.headers = headers
        self.retention = retention
    }

    /// All that `LinkPolicy` asks for permission.
    package var sources: [String] { feed.map { [url, $0] } ?? [url] }
}
