import Bytes
import Model

/// A feed that a list of subscriptions names. A value.
public struct Subscription: Equatable, Sendable {
    public var title: String?
    /// Absolute.
    public var url: String

    /// The most of a list.
    static let limit = 5_000

    public init(title: String?, url: String) {
        self.title = title
        self.url = url
    }

    /// The feeds that an OPML list names (http://opml.org/spec2.opml), in their order and without repetitions; nil if
    /// there is something else at `source`. Blocks.
    ///
    /// - Parameter source: as `loadFeed` takes it.
    public static func list(
        at source: String, provider: any ByteProvider, privateHosts: URLAccessPolicy.PrivateHosts
    ) throws(FeedsError) -> [Subscription]? {
        let opened: OpenedText?
        do throws(BytesError) { opened = try Source.find(source, provider: provider).opened } catch {
            throw .unreadable(error)
        }
        guard let opened, opened.kind == .opml else { return nil }
        return try read(opened, privateHosts: privateHosts)
    }

    /// Reads a list. Throws if it names no feed.
    static func read(
        _ list: OpenedText, privateHosts: URLAccessPolicy.PrivateHosts
    ) throws(FeedsError) -> [Subscription] {
        var handler = OutlineHandler(links: FeedLinks(base: list.url, privateHosts: privateHosts))
        do throws(MarkupParser.ParseError) {
            try MarkupParser.parse(list.stream, kind: .xml, charset: list.type?.charset, into: &handler)
        } catch {
            throw .notFeed(list.url, why: error.why)
        }
        guard !handler.found.isEmpty else {
            if let failure = list.stream.failure { throw .unreadable(failure) }
            throw .notFeed(list.url, why: "this list has no usable feed")
        }
        return handler.found
    }

    /// An OPML list of these feeds.
    public static func opml(_ subscriptions: [Subscription], title: String) -> String {
        let outlines = subscriptions.map { feed in
            "    <outline type=\"rss\" text=\"\(attribute(feed.title ?? feed.url))\" xmlUrl=\"\(attribute(feed.url))\"/>\n"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <opml version="2.0">
              <head><title>\(attribute(title))</title></head>
              <body>
            \(outlines.joined())  </body>
            </opml>

            """
    }

    /// A text as the value of an attribute in XML. What must not be in XML is left out.
    private static func attribute(_ text: String) -> String {
        var written = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": written += "&amp;"
            case "<": written += "&lt;"
            case ">": written += "&gt;"
            case "\"": written += "&quot;"
            case "\u{FFFE}", "\u{FFFF}": break
            default: if scalar.value >= 0x20 { written.unicodeScalars.append(scalar) }
            }
        }
        return written
    }
}

/// Gathers the outlines of a list that have the address of a feed, whatever groups they are in.
private struct OutlineHandler: MarkupHandler {
    let links: FeedLinks
    private(set) var found: [Subscription] = []
    private var known: Set<String> = []

    init(links: FeedLinks) { self.links = links }

    var isDone: Bool { found.count >= Subscription.limit }

    mutating func begin(_ element: MarkupElement) {
        guard element.name.lowercased() == "outline",
            let url = element.attribute("xmlurl").flatMap(address), known.insert(url).inserted
        else { return }
        let title = element.attribute("title") ?? element.attribute("text")
        found.append(Subscription(title: title?.stripped.cut(to: ItemLimit.title), url: url))
    }

    /// nil for what the list may not lead to.
    private func address(_ text: String) -> String? {
        // flick writes what only flick reads by its own address.
        if let account = ServiceAddress(text) { return links.address(account.origin).map { _ in account.text } }
        return links.address(FeedScheme.plain(text))
    }

    mutating func text(_ text: String) {}
    mutating func end(namespace: String, name: String) {}
}
