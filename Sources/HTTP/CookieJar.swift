import Model

/// The cookies that the servers of one asset have set (RFC 6265): which are stored and where they are sent. Pure.
///
/// It is stricter than the RFC where a player loses nothing: a cookie stays at its port, and one that came over TLS
/// is never sent without.
struct CookieJar: Sendable {
    struct Pair: Hashable, Sendable {
        var name: String
        var value: String
    }

    private struct Cookie: Sendable {
        var pair: Pair
        /// The server that set it.
        var origin: Origin
        /// Whose subdomains receive it too; nil if only the server's host does.
        var domain: String?
        var path: String
        var needsTLS: Bool
        /// In seconds since 1970; nil for the end of flick.
        var expires: Int64?

        /// Whether `other` replaces it (RFC 6265, 5.3).
        func isSame(as other: Cookie) -> Bool {
            pair.name == other.pair.name && path == other.path && domain == other.domain
                && (domain != nil || origin.host == other.origin.host && origin.port == other.origin.port)
        }
    }

    /// The most cookies of an asset; the oldest go first.
    static let limit = 50
    /// In bytes: the longest name and value together (RFC 6265, 6.1), and the most that a request carries.
    static let longest = 4096
    static let maxSent = 8000

    /// In the order in which they were set.
    private var cookies: [Cookie] = []

    /// Stores the cookies of a response.
    /// - Parameters:
    ///   - fields: its `Set-Cookie` fields.
    ///   - now: in seconds since 1970.
    mutating func store(_ fields: [String], from url: RemoteURL, now: Int64) {
        for field in fields {
            guard let cookie = CookieJar.cookie(field, from: url, now: now) else { continue }
            cookies.removeAll { $0.isSame(as: cookie) }
            // One that has expired only removes the earlier one.
            if cookie.expires.map({ $0 > now }) ?? true { cookies.append(cookie) }
        }
        if cookies.count > CookieJar.limit { cookies.removeFirst(cookies.count - CookieJar.limit) }
    }

    /// The cookies of a request to `url`, the longest paths first (RFC 6265, 5.4).
    func pairs(for url: RemoteURL, now: Int64) -> [Pair] {
        let fitting = cookies.filter { cookie in
            cookie.expires.map { $0 > now } ?? true && CookieJar.isSent(cookie, to: url)
        }
        var room = CookieJar.maxSent
        return fitting.enumerated().sorted {
            let (one, other) = ($0.element.path.utf8.count, $1.element.path.utf8.count)
            return one != other ? one > other : $0.offset < $1.offset
        }.map(\.element.pair).filter { pair in
            room -= pair.name.utf8.count + pair.value.utf8.count + 3
            return room >= 0
        }
    }

    // MARK: Parsing

    /// nil if the field is malformed, too long, or the server must not set such a cookie.
    private static func cookie(_ field: String, from url: RemoteURL, now: Int64) -> Cookie? {
        guard field.utf8.count <= longest * 2, let parsed = SetCookie(field),
            parsed.name.utf8.count + parsed.value.utf8.count <= longest, isPlain(parsed.name), isPlain(parsed.value),
            let scope = scope(of: parsed.domain, setBy: url.origin.host)
        else { return nil }
        let isSecure = url.origin.scheme == .https
        // RFC 6265bis, 5.7: without TLS a server cannot set a cookie that needs it.
        if parsed.isSecure, !isSecure { return nil }
        var expires = parsed.expires
        if let age = parsed.maxAge { expires = age > 0 ? now + min(age, 1 << 40) : 0 }
        return Cookie(
            pair: Pair(name: parsed.name, value: parsed.value), origin: url.origin, domain: scope.domain,
            path: parsed.path ?? defaultPath(of: url), needsTLS: isSecure, expires: expires)
    }

    /// Whether it can stand in a `Cookie` field: no control characters, no separator.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
    }

    /// The folder of the URL (RFC 6265, 5.1.4).
    private static func defaultPath(of url: RemoteURL) -> String {
        guard let slash = url.path.lastIndex(of: "/"), slash != url.path.startIndex else { return "/" }
        return String(url.path[..<slash])
    }

    private enum Scope {
        case host
        case domain(String)

        var domain: String? { if case .domain(let domain) = self { domain } else { nil } }
    }

    /// Where a cookie with this `Domain` may be sent: to its own host only, or to that domain. nil if its server does
    /// not belong to the domain (RFC 6265, 5.3).
    ///
    /// flick has no list of public suffixes, so only the host itself and the domain right above it count as named, and
    /// that only if it does not look like "co.uk". Any other domain above the host narrows to the host.
    private static func scope(of domain: String, setBy host: String) -> Scope? {
        if domain.isEmpty { return .host }
        let isAddress = host.contains(":") || IPAddress.endsInNumber(host)
        if domain == host { return isAddress || looksPublic(domain) ? .host : .domain(domain) }
        guard !isAddress, host.hasSuffix("." + domain) else { return nil }
        let isParent = !host.dropLast(domain.count + 1).contains(".")
        return isParent && !looksPublic(domain) ? .domain(domain) : .host
    }

    /// Second-level names under which others register theirs: "co.uk", "com.au", "gouv.fr".
    private static let registries: Set<String> = [
        "ac", "asso", "co", "com", "ed", "edu", "gen", "go", "gob", "gouv", "gov", "govt", "gv", "id", "info", "ltd",
        "me", "mil", "ne", "net", "nom", "or", "org", "plc", "res", "sch", "web",
    ]

    private static func looksPublic(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, !labels.contains("") else { return true }
        return labels.count == 2 && labels[1].utf8.count == 2 && registries.contains(String(labels[0]))
    }

    // MARK: Matching

    private static func isSent(_ cookie: Cookie, to url: RemoteURL) -> Bool {
        let (home, origin) = (cookie.origin, url.origin)
        let isHost = origin.host == home.host
        let isInDomain = cookie.domain.map { origin.host == $0 || origin.host.hasSuffix("." + $0) } ?? false
        guard isHost || isInDomain, !cookie.needsTLS || origin.scheme == .https else { return false }
        let areDefaultPorts = origin.port == origin.scheme.port && home.port == home.scheme.port
        guard origin.port == home.port || areDefaultPorts else { return false }
        // RFC 6265, 5.1.4
        guard url.path.hasPrefix(cookie.path) else { return false }
        return url.path == cookie.path || cookie.path.hasSuffix("/")
            || url.path.utf8.dropFirst(cookie.path.utf8.count).first == UInt8(ascii: "/")
    }
}
