import Model

/// Finds the feed that a web page names in its head (https://www.rssboard.org/rss-autodiscovery,
/// https://www.jsonfeed.org/version/1.1/#discovery).
enum FeedDiscovery {
    /// The source that a web page leads to.
    enum Lead: Equatable {
        /// The absolute URL of its feed.
        case feed(String)
        /// The part of a service that the page shows.
        case service(ServiceAddress)
    }

    /// nil if the page names no feed that it may lead to, and is of no service. Blocks.
    static func lead(of page: OpenedText, links: FeedLinks) throws(FeedsError) -> Lead? {
        var head = PageHead()
        do throws(MarkupParser.ParseError) {
            try MarkupParser.parse(page.stream, kind: .html, charset: page.type?.charset, into: &head)
        } catch {
            throw .notFeed(page.url, why: error.why)
        }
        if head.feeds.isEmpty, let failure = page.stream.failure { throw .unreadable(failure) }
        // A service's API describes its items better than its feeds do.
        if let address = head.service.flatMap({ ServiceAddress($0, page: page.url) }) { return .service(address) }
        let base = head.base.flatMap { URLParts.resolve($0, against: page.url) } ?? page.url
        return head.feeds.lazy.compactMap { URLParts.resolve(FeedScheme.plain($0), against: base) }.compactMap(
            links.address
        ).first.map(
            Lead.feed)
    }
}

/// The feeds, and the software, that the head of a web page names.
private struct PageHead: MarkupHandler {
    /// The page's own base for addresses.
    private(set) var base: String?
    /// As they are written; those of comments come last.
    var feeds: [String] { found + ofComments }
    private(set) var isDone = false
    private(set) var service: Service?
    private var found: [String] = []
    private var ofComments: [String] = []
    private var elements = 0

    /// More elements than a head has.
    private static let elementLimit = 5_000
    private static let feedLimit = 64
    private static let types: Set<String> = [
        "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json",
    ]

    mutating func begin(_ element: MarkupElement) {
        elements += 1
        switch element.name.lowercased() {
        case "base": base = base ?? element.attribute("href")
        case "link": note(element)
        // PeerTube names itself; nothing but Mastodon begins with its state like this.
        case "meta" where element.attribute("property") == "og:platform" && element.attribute("content") == "PeerTube":
            service = .peerTube
        case "script" where element.attribute("id") == "initial-state": service = service ?? .mastodon
        case "body": isDone = true
        default: break
        }
        if elements > Self.elementLimit || found.count + ofComments.count >= Self.feedLimit { isDone = true }
    }

    mutating func text(_ text: String) {}
    mutating func end(namespace: String, name: String) {}

    private mutating func note(_ link: MarkupElement) {
        let relations = (link.attribute("rel") ?? "").lowercased().split(separator: " ")
        let type = (link.attribute("type") ?? "").prefix { $0 != ";" }.lowercased()
        guard relations.contains("alternate"), let address = link.attribute("href"), !address.isEmpty,
            Self.types.contains(type)
        else { return }
        // Blogs name the feed of their comments beside their own.
        let isOfComments = (link.attribute("title") ?? "").lowercased().contains("comment")
        if isOfComments { ofComments.append(address) } else { found.append(address) }
    }
}
