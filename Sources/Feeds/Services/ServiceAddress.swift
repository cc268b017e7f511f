import Model

/// The services that flick reads by their own interface.
public enum Service: String, Hashable, Sendable, CaseIterable {
    /// The prefixes of addresses.
    case peerTube = "peertube"
    case loops
    case mastodon

    /// As its makers write it.
    var name: String {
        switch self {
        case .peerTube: "PeerTube"
        case .loops: "Loops"
        case .mastodon: "Mastodon"
        }
    }

    /// How its addresses are written, for messages.
    var forms: String {
        switch self {
        case .peerTube: "peertube:HOST, peertube:HOST/@account, peertube:HOST/c/channel or peertube:HOST?search=words"
        case .loops: "loops:HOST/@account or loops:HOST/#tag"
        case .mastodon: "mastodon:HOST, mastodon:HOST/@account or mastodon:HOST/#tag"
        }
    }

    /// The service that an argument names by its beginning; nil if it names none.
    init?(namedBy argument: String) {
        guard let colon = argument.utf8.prefix(12).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(rawValue: argument[..<colon].lowercased())
    }
}

/// A part of an instance of a service, as it is typed: `peertube:HOST/@name`,
/// `mastodon:HOST/#tag`. A value; parsing is pure.
///
/// HOST may have a port, and `https://` or `http://` before it. The rest is
/// written as in the address of the service's own web page.
public struct ServiceAddress: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// Everything that is shown to visitors, the newest first: of Mastodon, what the instance's own people post.
        case all
        /// "name", or "name@host" for an account on another instance.
        case account(String)
        case channel(String)
        case tag(String)
        case search(String)
        /// One video or post, by its id there.
        case one(String)
        case playlist(String)
    }

    let service: Service
    /// The instance: "https://host:8443".
    let origin: String
    let part: Part

    /// The most bytes of an address, and of a name in it.
    private static let limit = 2_048
    private static let nameLimit = 200

    /// nil for what is no address of a service.
    init?(_ argument: String) {
        guard argument.utf8.count <= Self.limit, let service = Service(namedBy: argument) else { return nil }
        let rest = argument[argument.index(after: argument.firstIndex(of: ":")!)...]  // Service found it.
        let lower = rest.prefix(8).lowercased()
        if lower.hasPrefix("http://") || lower.hasPrefix("https://") {
            self.init(service, page: String(rest))
        } else if rest.hasPrefix("@"), let at = rest.lastIndex(of: "@"), at > rest.startIndex {
            // As people are named: "@name@host".
            self.init(service, page: "https://\(rest[rest.index(after: at)...])/\(rest[..<at])")
        } else {
            self.init(service, page: "https://" + rest.drop { $0 == "/" })
        }
    }

    /// The part of an instance that one of its web pages shows; nil if it shows none.
    init?(_ service: Service, page: String) {
        guard page.utf8.count <= Self.limit, let remote = RemoteURL(page), let parts = URLParts(page),
            parts.authority?.contains("@") == false
        else { return nil }
        let steps = parts.path.split(separator: "/").map { QueryItem.decoded(String($0)) }
        let part =
            switch service {
            case .peerTube: Self.peerTube(steps, query: parts.query, tag: parts.fragment)
            case .loops: Self.loops(steps, tag: parts.fragment)
            case .mastodon: Self.mastodon(steps, tag: parts.fragment)
            }
        guard let part else { return nil }
        (self.service, origin, self.part) = (service, remote.origin.text, part)
    }

    // MARK: Pages

    private static func peerTube(_ steps: [String], query: String?, tag fragment: String?) -> Part? {
        let search = query.flatMap { QueryItem.value("search", in: $0) }.flatMap(words).map(Part.search)
        guard let first = steps.first else { return search ?? fragment.map { tag($0) } ?? .all }
        var rest = steps.dropFirst()
        switch first {
        case "search": return search
        case "tags": return rest.first.flatMap(tag)
        case "a", "accounts": return rest.first.flatMap(name).map(Part.account)
        case "c", "video-channels": return rest.first.flatMap(name).map(Part.channel)
        case "w": break
        case "videos" where rest.first == "watch": rest.removeFirst()
        // PeerTube's pages "recently added", "trending" and "local".
        case "videos": return .all
        default: return account(first)
        }
        if rest.count > 1, ["p", "playlist"].contains(rest.first) {
            return rest.dropFirst().first.flatMap(plainID).map(Part.playlist)
        }
        return rest.first.flatMap(plainID).map(Part.one)
    }

    private static func loops(_ steps: [String], tag fragment: String?) -> Part? {
        guard let first = steps.first else { return fragment.flatMap(tag) }
        if first == "tag" || first == "tags" { return steps.dropFirst().first.flatMap(tag) }
        return account(first)
    }

    private static func mastodon(_ steps: [String], tag fragment: String?) -> Part? {
        guard let first = steps.first else { return fragment.map { tag($0) } ?? .all }
        switch first {
        case "tags": return steps.dropFirst().first.flatMap(tag)
        case "statuses": return steps.dropFirst().first.flatMap(plainID).map(Part.one)
        case "public", "explore", "home": return .all
        default:
            guard let id = steps.dropFirst().first, id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return account(first)
            }
            return account(first).flatMap { _ in plainID(id).map(Part.one) }
        }
    }

    private static func account(_ step: String) -> Part? {
        guard step.hasPrefix("@") else { return nil }
        return name(String(step.dropFirst())).map(Part.account)
    }

    private static func tag(_ text: String) -> Part? {
        name(String(QueryItem.decoded(text).drop { $0 == "#" })).map(Part.tag)
    }

    /// A name that is a single step of a path, however a server decodes it.
    private static func name(_ text: String) -> String? {
        words(text).flatMap { $0.contains("/") || $0 == "." || $0 == ".." ? nil : $0 }
    }

    private static func words(_ text: String) -> String? {
        let words = text.stripped
        let isShort = (1...nameLimit).contains(words.utf8.count)
        return isShort && words.unicodeScalars.allSatisfy(ShownName.isSafe) ? words : nil
    }

    /// An id as these services make them: a number, a UUID, a short one.
    static func plainID(_ text: String) -> String? {
        let isPlain = text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        }
        return isPlain && (1...64).contains(text.utf8.count) ? text : nil
    }

    // MARK: Texts

    /// The one way to write it: what the same part is known by. Without blanks and `#`.
    var text: String {
        let https = "https://"
        let host = origin.hasPrefix(https) ? String(origin.dropFirst(https.count)) : origin
        return "\(service.rawValue):\(host)\(path)"
    }

    /// The web page that shows it.
    var page: String { origin + path }

    private var path: String {
        switch part {
        case .all: ""
        // An account's host is legible, and "@" needs no code.
        case .account(let name): "/@" + PercentEncoding.component(name).split(separator: "%40").joined(separator: "@")
        case .channel(let name): "/c/" + PercentEncoding.component(name)
        case .tag(let tag): (service == .loops ? "/tag/" : "/tags/") + PercentEncoding.component(tag)
        case .search(let words): "/search?search=" + PercentEncoding.component(words)
        case .one(let id): (service == .mastodon ? "/statuses/" : "/w/") + id
        case .playlist(let id): "/w/p/\(id)"
        }
    }

    var host: String { RemoteURL(origin)?.origin.host ?? origin }

    /// The title of the feed.
    var title: String {
        switch part {
        case .all, .one, .playlist: host
        case .account(let name): name.contains("@") ? "@\(name)" : "@\(name)@\(host)"
        case .channel(let name): "\(name) · \(host)"
        case .tag(let tag): "#\(tag) · \(host)"
        case .search(let words): "“\(words)” · \(host)"
        }
    }
}

/// Items of a URL's query, `name=value` between ampersands. Pure.
enum QueryItem {
    /// The first value of a name, decoded; nil if the name is missing.
    static func value(_ name: String, in query: String) -> String? {
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == name else { continue }
            return decoded(parts[1].split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%20"))
        }
        return nil
    }

    /// The URL with this value, which is encoded, in place of all that the name has.
    static func setting(_ name: String, to value: String, in url: String) -> String? {
        guard var parts = URLParts(url) else { return nil }
        let others = (parts.query ?? "").split(separator: "&").filter { $0 != name && !$0.hasPrefix("\(name)=") }
        parts.query = (others.map(String.init) + ["\(name)=\(PercentEncoding.component(value))"]).joined(separator: "&")
        return parts.text
    }

    /// Bytes that are not UTF-8 become U+FFFD.
    static func decoded(_ text: String) -> String { String(decoding: FileURL.percentDecoded(text), as: UTF8.self) }
}
