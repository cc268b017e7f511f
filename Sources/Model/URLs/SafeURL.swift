/// URLs for traces and messages: without secrets, on one line. Pure.
public enum SafeURL {
    /// A file URL becomes its path. User name and password are left out; the values of query items that look like
    /// secrets, and the fragment, become `…`. Characters that could move the cursor, break the line or change the
    /// writing direction become U+FFFD.
    public static func text(_ url: String) -> String {
        let name = FileURL.path(of: url).map { String(decoding: $0, as: UTF8.self) } ?? withoutSecrets(url)
        var shown = ""
        for scalar in name.unicodeScalars {
            shown.unicodeScalars.append(ShownName.isSafe(scalar) ? scalar : "\u{FFFD}")
        }
        return shown
    }

    /// The URL to hand on to others: without user name and password, and without items of query and fragment that look
    /// like secrets. It may lead nowhere then. Anything else, a path among them, stays as it is.
    public static func shareable(_ url: String) -> String {
        guard var parts = URLParts(url), parts.scheme == "http" || parts.scheme == "https",
            let authority = parts.authority
        else { return url }
        if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            parts.authority = String(Substring(authority.utf8[at...].dropFirst()))
        }
        parts.query = parts.query.flatMap(withoutItems)
        parts.fragment = parts.fragment.flatMap(withoutItems)
        return parts.text
    }

    /// nil if nothing is left of what there was.
    private static func withoutItems(_ query: String) -> String? {
        let items = query.split(separator: "&", omittingEmptySubsequences: false)
        let kept = items.filter { !holdsSecret($0) }
        return kept.isEmpty ? nil : kept.joined(separator: "&")
    }

    private static func withoutSecrets(_ url: String) -> String {
        guard var parts = URLParts(url), parts.scheme != nil || parts.authority != nil else { return url }
        if let authority = parts.authority, let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            parts.authority = String(Substring(authority.utf8[at...].dropFirst()))
        }
        parts.path = parts.path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            // Items that were joined to the path by mistake, or are of a
            // segment's own: "feed.json&token=…", "a;token=…".
            holdsSecret(segment) ? String(segment.prefix { !"=&;?%".contains($0) }) + "…" : String(segment)
        }.joined(separator: "/")
        parts.query = parts.query.map(withoutValues)
        // The fragment is never sent to servers, so it does not identify what is read. Some web pages put tokens there,
        // under any name.
        if parts.fragment?.isEmpty == false { parts.fragment = "…" }
        return parts.text
    }

    private static func withoutValues(_ query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard holdsSecret(item) else { return String(item) }
            guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return "…" }
            return item[...equals] + "…"
        }.joined(separator: "&")
    }

    /// Whether a part of a URL is, or holds however it is encoded, an item whose name is a secret's: "token=x",
    /// "a;token=x", "url=https%3A%2F%2Fh%2F%3Ftoken%3Dx".
    private static func holdsSecret(_ text: Substring) -> Bool {
        let decoded = PercentEncoding.fullyDecoded(text)
        guard decoded.utf8.contains(UInt8(ascii: "=")) else { return false }
        return decoded.split { "?&;#/".contains($0) }.contains { item in
            guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return false }
            return SecretNames.isSecretItem(item[..<equals])
        }
    }
}
