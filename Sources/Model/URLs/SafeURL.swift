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

/// Names of files and URLs in one line of a message; they can be hostile. Pure.
public enum ShownName {
    /// The most characters of a name in a message. Of a longer name the end is shown, which says more.
    package static let limit = 120

    /// The name in single quotes, made safe by `SafeURL`.
    public static func of(_ url: String) -> String {
        let shown = SafeURL.text(url)
        return shown.count > limit ? "'…\(shown.suffix(limit))'" : "'\(shown)'"
    }

    package static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            // U+200D joins emoji and moves nothing.
            scalar == "\u{200D}"
        default: true
        }
    }
}

/// Which query items and header fields contain secrets, judged by their names. Pure.
public enum SecretNames {
    private static let parts = [
        "token", "secret", "password", "passwd", "auth", "session", "signature", "credential", "apikey", "cookie",
        "jwt",
    ]
    private static let whole: Set<String> = [
        "key", "sig", "sid", "pass", "pwd", "code", "hdnts", "hdnea", "hdntl", "policy", "hmac", "hash", "key-pair-id",
    ]

    package static func isSecretItem(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return whole.contains(name) || parts.contains { name.contains($0) } || name.hasSuffix("key")
            || name.hasSuffix("_sig")
            || name.hasPrefix("x-amz-") || name.hasPrefix("x-goog-")
    }

    /// The name that a feed's service knows the user by, in each request: another server that
    /// knew it could follow the user, and act in the user's name.
    package static let viewerField = "Flick-Viewer"

    /// Such fields are sent to the asset's own origin only, and never shown.
    public static func isSecretField(_ name: String) -> Bool {
        let name = name.lowercased()
        return parts.contains { name.contains($0) } || name.contains("key") || name == viewerField.lowercased()
    }
}
