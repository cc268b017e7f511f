import Model

/// A host as requests and options name it, the same for all its spellings. A value.
public enum ServedHost: Hashable, Sendable {
    /// In lower case, without the dot that may end it.
    case name(String)
    /// Four or sixteen bytes; an IPv4 address that is written as IPv6 has four.
    case address([UInt8])

    /// A name, an IPv4 address, or an IPv6 address with or without brackets;
    /// nil for anything else, such as one with a port.
    public init?(option text: String) {
        let shown = IPAddress.v6(text) == nil ? text : "[\(text)]"
        guard let host = RequestHost(shown), host.port == nil, !shown.hasSuffix(":") else { return nil }
        self = host.host
    }

    init(address bytes: [UInt8]) {
        let isMapped = bytes.count == 16 && bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
        self = .address(isMapped ? Array(bytes[12...]) : bytes)
    }

    /// 127.0.0.0/8 or ::1.
    fileprivate var isLoopbackAddress: Bool {
        guard case .address(let bytes) = self else { return false }
        return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }
}

/// Host and port as `Host` and `Origin` have them (RFC 9110, 7.2; RFC 3986, 3.2). A value.
struct RequestHost: Equatable, Sendable {
    var host: ServedHost
    var port: Int?

    /// nil if it is neither a name nor an address as RFC 3986 writes them, each with or without a port.
    init?(_ text: String) {
        guard let (shown, port) = RemoteURL.hostAndPort(text.utf8) else { return nil }
        self.port = port
        if text.hasPrefix("[") {
            guard let bytes = IPAddress.v6(shown) else { return nil }
            host = ServedHost(address: bytes)
            return
        }
        // "localhost." is localhost; no other label may be empty.
        let labels = shown.split(separator: ".", omittingEmptySubsequences: false)
        let named = labels.count > 1 && labels.last == "" ? labels.dropLast() : labels[...]
        guard !named.contains("") else { return nil }
        // Only this IPv4 notation: browsers convert all others to it.
        let numbers = named.compactMap { UInt8($0) }
        if named.count == 4, numbers.count == 4, zip(named, numbers).allSatisfy({ $0 == String($1) }) {
            host = .address(numbers)
        } else {
            host = .name(named.joined(separator: "."))
        }
    }
}

/// The hosts that a server answers for. A value.
///
/// To a browser, a web page whose author points its name to 127.0.0.1 (DNS rebinding) has the same origin as this
/// server: it could read the feed, and write to it. Its requests have that name as their `Host`. So the server answers
/// for a name only if the user has given it, or if it is this machine's.
struct ServedHosts: Sendable {
    private var given: Set<ServedHost>
    /// Whether the server listens at all addresses of this machine.
    private let isAtAll: Bool

    /// - Parameters:
    ///   - host: where the server listens.
    ///   - others: what else clients may call it.
    init(listeningAt host: String, others: [ServedHost]) {
        given = Set(others + [.name("localhost")])
        let own = ServedHost(option: host)
        if let own { given.insert(own) }
        isAtAll = own == .address([0, 0, 0, 0]) || own == .address([UInt8](repeating: 0, count: 16))
    }

    /// - Parameter local: the address of this machine that the request has come to.
    func has(_ host: ServedHost, local: @autoclosure () -> ServedHost?) -> Bool {
        host.isLoopbackAddress || given.contains(host) || host == local() || isAtAll && ThisMachine.has(host)
    }

    /// Whether a page is this server's own, whichever of its names the page was opened at (RFC 6454, 7).
    ///
    /// - Parameters:
    ///   - origin: the field's value.
    ///   - host: of the request.
    ///   - isSecure: whether this server speaks TLS. One before it may do so, too.
    func isOwn(
        origin: String, of host: RequestHost, local: @autoclosure () -> ServedHost?, isSecure: Bool
    ) -> Bool {
        guard let end = origin.firstRange(of: "://"), let page = RequestHost(String(origin[end.upperBound...])) else {
            return false
        }
        let standard: Int
        switch origin[..<end.lowerBound].lowercased() {
        case "http" where !isSecure: standard = 80
        case "https": standard = 443
        default: return false
        }
        return (page.port ?? standard) == (host.port ?? standard) && has(page.host, local: local())
    }
}

/// How the client names this server, which addresses in its answers begin with. A value.
struct ServerAddress: Equatable {
    /// "http://127.0.0.1:8642", and nothing that could end an address or a line.
    let origin: String
    /// The token that the client has in its address, which ours then carry, too.
    let token: String?

    /// - Parameter host: the request's Host; X-Forwarded-… is not read, as anybody can send it.
    init(host: String?, isSecure: Bool, token: String?) throws(RequestError) {
        guard let host, RequestHost(host) != nil else {
            throw RequestError(.badRequest, "Host: missing or invalid")
        }
        origin = (isSecure ? "https://" : "http://") + host
        self.token = token
    }

    /// An absolute address. - Parameter path: begins with a slash, and is encoded already.
    func url(_ path: String, _ query: [(name: String, text: String)] = []) -> String {
        let pairs = query + (token.map { [("token", $0)] } ?? [])
        guard !pairs.isEmpty else { return origin + path }
        return origin + path + "?"
            + pairs.map { "\($0.name)=\(PercentEncoding.component($0.text))" }.joined(separator: "&")
    }
}
