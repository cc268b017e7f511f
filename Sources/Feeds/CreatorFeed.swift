import Model

/// The feed that has the clips of an item's creator, as the item shows it: an account or a channel of a service, a part
/// of a served feed, a folder, or else the feed that the item is of. Pure.
///
/// What a feed says of its creators is not trusted: their feeds are on the server that the item's feed is on, which the
/// user named, or are that feed itself.
public struct CreatorFeed: Hashable, Sendable {
    /// As the user would name it as a source: an http or https URL, the address of an account, or the file URL of a
    /// folder or feed.
    public let source: String
    /// Whether it can have clips by others, too.
    public let isShared: Bool

    /// nil if the item has no creator, or nothing is known but the item itself.
    ///
    /// - Parameter endpoint: of the service that the item's feed declares; nil if it declares none.
    public init?(of item: Item, endpoint: String? = nil) {
        guard let feed = item.feed else {
            guard let folder = Self.folder(of: item) else { return nil }
            (source, isShared) = (folder, false)
            return
        }
        guard let creator = item.creator else { return nil }
        let own = RemoteURL(feed).flatMap { feed in
            Self.account(creator, of: item, at: feed.origin) ?? Self.channel(creator, of: item, at: feed.origin)
                ?? Self.part(creator, at: endpoint, feed: feed.origin)
        }
        (source, isShared) = (own ?? feed, own == nil)
        guard Self.isSource(source) else { return nil }
    }

    /// Whether a text is the address of a feed that can be read as a creator's: of a server, of an account, or of a
    /// local file or folder.
    public static func isSource(_ text: String) -> Bool {
        RemoteURL(text) != nil || ServiceAddress(text) != nil || FileURL.path(of: text) != nil
    }

    /// How lists of subscriptions name a source: an account by its web page, which names its feed to other readers as
    /// well, if the pages of its service do. nil for what is not on a server.
    public static func subscription(to source: String) -> String? {
        if RemoteURL(source) != nil { return source }
        return ServiceAddress(source).map { $0.service == .loops ? $0.text : $0.page }
    }

    /// The folder that a clip without a feed lies in, which stands in for a creator; see `Item.folder`.
    private static func folder(of item: Item) -> String? {
        guard item.creator == nil, item.folder != nil, let path = FileURL.path(of: item.url),
            let end = path.lastIndex(of: UInt8(ascii: "/")), end > 0
        else { return nil }
        return FileURL.url(path: path[..<end])
    }

    /// The account or channel of an item that a service's interface listed.
    private static func account(_ creator: Item.Creator, of item: Item, at origin: Origin) -> String? {
        let api = "\(origin.text)/api/v1/"
        let service: Service
        if item.resolver == .peerTube {
            service = .peerTube
        } else if item.id.hasPrefix(api + "statuses/") {
            service = .mastodon
        } else if item.id.hasPrefix(api + "video/") {
            service = .loops
        } else {
            return nil
        }
        guard var name = creator.id else { return nil }
        // The instance's own people are known by their name alone.
        let host = "@" + origin.host
        if name.hasSuffix(host) { name.removeLast(host.count) }
        let step = creator.url.map { isChannel($0) } ?? false ? "c/" : "@"
        let path = (service == .peerTube ? step : "@") + PercentEncoding.component(name)
        return ServiceAddress(service, page: "\(origin.text)/\(path)")?.text
    }

    /// Whether the address of a creator on PeerTube is that of a channel.
    private static func isChannel(_ url: String) -> Bool {
        let first = URLParts(url)?.path.split(separator: "/").first
        return first == "video-channels" || first == "c"
    }

    /// The page of a channel that yt-dlp lists, on the host that the user named.
    private static func channel(_ creator: Item.Creator, of item: Item, at origin: Origin) -> String? {
        guard item.resolver == .ytDLP, let url = creator.url, let page = RemoteURL(url),
            Self.plain(page.origin.host) == Self.plain(origin.host)
        else { return nil }
        return url
    }

    /// Sites have their pages with and without "www.".
    private static func plain(_ host: String) -> String { host.hasPrefix("www.") ? String(host.dropFirst(4)) : host }

    /// The creator's part of a feed that declares a service (docs/internals/service.md).
    private static func part(_ creator: Item.Creator, at endpoint: String?, feed: Origin) -> String? {
        guard let endpoint, let id = creator.id, RemoteURL(endpoint)?.origin == feed, var parts = URLParts(endpoint)
        else { return nil }
        parts.path += (parts.path.hasSuffix("/") ? "" : "/") + "feed.json"
        parts.query = "creator=\(PercentEncoding.component(id))"
        return parts.text
    }
}
