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
