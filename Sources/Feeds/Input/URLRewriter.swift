import Model

/// Rewrites URLs that name old storage hosts. Pure.
public struct URLRewriter: Sendable, Equatable {
    /// Replaces the beginning `from` of URLs by `to`. `from` is one of
    ///
    /// - a URL: `https://old.example/clips`;
    /// - a host, with or without a path: `bucket.s3.amazonaws.com` stands for http and https, and for the path form
    ///   `https://s3.amazonaws.com/bucket`;
    /// - a relative path: `media/`; `/` stands for all paths that begin with a slash.
    ///
    /// A match ends where the host or a segment of the path ends: `cdn.example` does not match `cdn.example.evil`.
    public struct Rule: Sendable, Equatable {
        public var from: String
        public var to: String

        public init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }

    /// A string is a URL if its key contains one of these, regardless of case.
    static let keys = ["url", "image", "thumbnail", "poster", "cover", "avatar", "media", "s3"]

    /// The URLs that a rule matches.
    private struct Pattern: Equatable {
        /// nil matches http and https. A relative path has no authority either.
        var scheme: String?
        var authority: String?
        var path: String
        var to: String
    }

    private let patterns: [Pattern]

    /// The longest `from` that matches is used; of equally long ones the first. An empty one matches nothing.
    public init(_ rules: [Rule]) {
        let sorted = rules.enumerated().filter { !$0.element.from.isEmpty }.sorted { left, right in
            let (one, other) = (left.element.from.utf8.count, right.element.from.utf8.count)
            return one == other ? left.offset < right.offset : one > other
        }
        patterns = sorted.flatMap { Self.patterns(of: $0.element) }
    }

    public var isEmpty: Bool { patterns.isEmpty }

    /// Rewrites `text` by the first rule that matches; unchanged if none does. At most one rule is applied, once.
    public func rewrite(_ text: String) -> String {
        guard !patterns.isEmpty else { return text }
        let address = Address(text)
        for pattern in patterns {
            if let rest = address.rest(after: pattern.scheme, pattern.authority, pattern.path) {
                return Self.join(pattern.to, rest)
            }
        }
        return text
    }

    /// A decoded JSON value with its URLs rewritten. Objects are checked by their keys, lists by the list's key; `key`
    /// is that of the value itself.
    func rewrite(_ value: JSON, key: String = "") -> JSON {
        guard !patterns.isEmpty else { return value }
        switch value {
        case .text(let text):
            let key = key.lowercased()
            return Self.keys.contains { key.contains($0) } ? .text(rewrite(text)) : value
        case .list(let values): return .list(values.map { rewrite($0, key: key) })
        case .object(let fields):
            var changed = fields
            for (key, value) in fields { changed[key] = rewrite(value, key: key) }
            return .object(changed)
        default: return value
        }
    }

    private static func patterns(of rule: Rule) -> [Pattern] {
        let from = Address(rule.from)
        var pattern = Pattern(scheme: from.scheme, authority: from.authority, path: from.rest, to: rule.to)
        if pattern.authority == nil {
            // "old.example/clips" has no scheme, but begins with a host; "media/" is a path.
            let step = from.rest.prefix { $0 != "/" }
            guard step.contains(where: { $0 == "." || $0 == ":" }), !step.hasPrefix(".") else { return [pattern] }
            pattern.authority = step.lowercased()
            pattern.path = String(from.rest.dropFirst(step.count))
        }
        guard let host = pattern.authority, let dot = host.firstIndex(of: ".") else { return [pattern] }
        // Storage URLs have two forms: with the bucket in the host or in the path.
        let storage = host[host.index(after: dot)...]
        guard storage.hasPrefix("s3.") || storage.hasPrefix("s3-") else { return [pattern] }
        var byPath = pattern
        byPath.authority = String(storage)
        byPath.path = "/" + host[..<dot] + pattern.path
        return [pattern, byPath]
    }

    /// Joins both with one slash, unless the rest begins with a query or is empty.
    private static func join(_ to: String, _ rest: Substring) -> String {
        guard let first = rest.utf8.first else { return to }
        switch (to.hasSuffix("/"), first == UInt8(ascii: "/")) {
        case (true, true): return to + rest.dropFirst()
        case (false, false):
            return first == UInt8(ascii: "?") || first == UInt8(ascii: "#") ? to + rest : to + "/" + rest
        default: return to + rest
        }
    }
}

/// The parts of a URL that rules compare.
private struct Address {
    /// In lower case; also nil for "//host/path".
    var scheme: String?
    /// In lower case; nil for relative paths.
    var authority: String?
    var rest: String

    init(_ text: String) {
        guard var parts = URLParts(text), let host = parts.authority else {
            rest = text
            return
        }
        scheme = parts.scheme
        authority = host.lowercased()
        parts.scheme = nil
        parts.authority = nil
        rest = parts.text
    }

    /// The rest after a matching prefix that ends with a path segment or the host; nil without a match.
    func rest(after wanted: String?, _ host: String?, _ path: String) -> Substring? {
        guard host == authority, rest.utf8.starts(with: path.utf8) else { return nil }
        if authority != nil, let scheme {
            guard wanted.map({ $0 == scheme }) ?? (scheme == "http" || scheme == "https") else { return nil }
        }
        let left = Substring(rest.utf8.dropFirst(path.utf8.count))
        if path.isEmpty || path.hasSuffix("/") { return left }
        switch left.utf8.first {
        case nil, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return left
        default: return nil
        }
    }
}
