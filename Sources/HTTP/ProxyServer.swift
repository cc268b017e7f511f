import Model

/// A proxy server. A value.
struct ProxyServer: Hashable, Sendable {
    enum Kind: Sendable { case http, socks }

    var kind: Kind
    var host: String
    var port: Int
    /// "user" or "user:password"; never shown.
    var user: String?

    /// Accepts "http://user:password@host:port", "socks5://host" and
    /// "host:port"; nil for anything that flick cannot use.
    init?(_ text: String) {
        guard let parts = URLParts(text.contains("://") ? text : "http://" + text), let scheme = parts.scheme,
            let authority = parts.authority
        else { return nil }
        switch scheme {
        case "http": kind = .http
        case "socks5", "socks5h", "socks": kind = .socks
        default: return nil
        }
        var rest = Array(authority.utf8)[...]
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
            let name = FileURL.percentDecoded(String(decoding: rest[..<at], as: UTF8.self))
            user = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
            rest = rest[(at + 1)...]
        }
        // The client can log in to http proxies only.
        guard kind == .http || user == nil, let (host, port) = RemoteURL.hostAndPort(rest) else { return nil }
        self.host = host
        self.port = port ?? 1080
    }

    /// As curl reads it, without the user. The proxy looks names up, not flick (CURLPROXY_SOCKS5_HOSTNAME).
    var url: String { "\(kind == .http ? "http" : "socks5h")://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The user without the password.
    var name: String? { user.map { String($0.prefix { $0 != ":" }) } }

    /// Empty without a password.
    var password: String { user.map { String($0.drop { $0 != ":" }.dropFirst()) } ?? "" }
}
