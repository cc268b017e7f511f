import Model

/// A request's address and User-Agent as the log shows them: without anything that may be a token, whatever its name
/// and encoding. A value.
struct LoggedAddress: Sendable {
    /// The items of a query whose texts are shown. In all others, texts that may be tokens are left out, as a token's
    /// name may be misspelt.
    private static let shown: Set<String> = ["cursor", "limit", "topic", "creator", "since"]
    /// A token has this many characters at least.
    private static let shortestToken = 8
    private static let hidden = "…"

    private let tokens: [String]

    /// - Parameter tokens: what is not shown wherever it stands.
    init(tokens: [String]) { self.tokens = tokens }

    /// - Parameter address: path and query as they were sent.
    func text(_ address: String) -> String {
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = path(parts[0])
        guard parts.count > 1 else { return path }
        return path + "?"
            + parts[1].split(separator: "&", omittingEmptySubsequences: false).map(item).joined(separator: "&")
    }

    /// - Parameter agent: the client's `User-Agent`.
    func agent(_ agent: String) -> String {
        holdsToken(PercentEncoding.fullyDecoded(agent[...])) ? Self.hidden : agent
    }

    /// A path with "=" in it may be one that its query was joined to by mistake.
    private func path(_ path: Substring) -> String {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            let decoded = PercentEncoding.fullyDecoded(segment)
            guard decoded.contains("=") || holdsToken(decoded) else { return String(segment) }
            return String(segment.prefix { !"=&;?%".contains($0) && !holdsToken(decoded) }) + Self.hidden
        }
        // It may be in several segments.
        let shown = segments.joined(separator: "/")
        return holdsToken(PercentEncoding.fullyDecoded(shown[...])) ? "/" + Self.hidden : shown
    }

    private func item(_ item: Substring) -> String {
        let ends = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = ends.first, !item.isEmpty else { return "" }
        let name = PercentEncoding.fullyDecoded(first)
        let isPlain = name.utf8.allSatisfy { FileURL.isPlain($0) && $0 != UInt8(ascii: "/") } && !holdsToken(name)
        // Without "=" it may be a value without its name.
        guard ends.count > 1 else { return mayBeShown(name, as: "") ? String(item) : Self.hidden }
        if isPlain, mayBeShown(PercentEncoding.fullyDecoded(ends[1]), as: name) { return String(item) }
        return (isPlain ? String(first) : Self.hidden) + "=" + Self.hidden
    }

    private func mayBeShown(_ text: String, as name: String) -> Bool {
        guard !text.contains("="), !holdsToken(text) else { return false }
        return Self.shown.contains(name)
            || text.utf8.count < Self.shortestToken && !SecretNames.isSecretItem(name)
    }

    private func holdsToken(_ text: String) -> Bool { tokens.contains { text.contains($0) } }
}
