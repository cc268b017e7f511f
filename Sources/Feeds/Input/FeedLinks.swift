import Model

/// Resolves and checks the addresses that a page of a feed leads to. A value.
struct FeedLinks: Sendable {
    /// The URL of the page.
    let base: String
    let privateHosts: URLAccessPolicy.PrivateHosts
    var rewriter = URLRewriter([])

    /// The absolute URL of a clip. Throws why it cannot be used.
    func clip(_ text: String) throws(ItemError) -> String {
        guard !text.isEmpty else { throw ItemError(why: "its \"url\" is empty") }
        guard text.utf8.count <= ItemLimit.url else {
            throw ItemError(why: "its \"url\" is too long")
        }
        guard let url = URLParts.resolve(text, against: base) else {
            throw ItemError(why: "\(ShownName.of(text)) is not a valid URL")
        }
        if let refusal = URLAccessPolicy.refusal(of: url, from: base, privateHosts: privateHosts) {
            var why = "this feed may not link to \(ShownName.of(url))"
            if case .privateHost = refusal { why += "; its host is private; see network.private_hosts" }
            throw ItemError(why: why)
        }
        return url
    }

    /// Another absolute URL: of a picture, a page; nil if it may not be used.
    func address(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= ItemLimit.url,
            let url = URLParts.resolve(text, against: base),
            URLAccessPolicy.allows(url, from: base, privateHosts: privateHosts)
        else { return nil }
        return url
    }

    /// The item with its addresses rewritten and checked. Throws why it cannot be used.
    func checked(_ item: Item) throws(ItemError) -> Item {
        var item = item
        let given = item.url
        item.url = try clip(rewriter.rewrite(given))
        if item.id == ItemID.hash(of: given) { item.id = ItemID.hash(of: item.url) }
        item.thumbnail = address(item.thumbnail.map(rewriter.rewrite))
        if var creator = item.creator {
            creator.avatar = address(creator.avatar.map(rewriter.rewrite))
            creator.url = address(creator.url)
            item.creator = creator == Item.Creator() ? nil : creator
        }
        item.captions = item.captions.compactMap { link in
            address(rewriter.rewrite(link.url)).map {
                CaptionLink(url: $0, language: link.language, title: link.title)
            }
        }
        item.chaptersURL = address(item.chaptersURL)
        item.commentsURL = address(item.commentsURL)
        item.link = address(item.link)
        return item
    }
}

/// The schemes of links that subscribe to a feed: `feed:`, `pcast:`, `itpc:`, `podcast:`. Pure.
enum FeedScheme {
    private static let schemes = [
        "feed:", "feeds:", "pcast:", "itpc:", "podcast:", "itms-pcast:", "itms-podcast:", "rss:",
    ]

    /// The http or https URL that such an address stands for: "feed:https://host/rss" and "feed://host/rss". Others
    /// stay as they are.
    static func plain(_ address: String) -> String {
        let beginning = address.prefix(16).lowercased()
        guard let scheme = schemes.first(where: beginning.hasPrefix) else { return address }
        let rest = String(address.dropFirst(scheme.count))
        let target = rest.prefix(8).lowercased()
        if target.hasPrefix("http://") || target.hasPrefix("https://") { return rest }
        // The rest names a host. Servers that have https lead there.
        guard rest.hasPrefix("//"), rest.utf8.count > 2 else { return address }
        return (scheme == "feeds:" ? "https:" : "http:") + rest
    }
}

/// How much is read of an item: what is longer is cut, or left out. In bytes, but for `list`.
enum ItemLimit {
    static let url = 8_192
    static let title = 1_000
    static let text = 20_000
    static let word = 200
    /// In elements.
    static let list = 64
}

/// Why an item cannot be used.
struct ItemError: Error {
    var why: String
}
