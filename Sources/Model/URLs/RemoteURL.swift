/// The server of a request: scheme, host and port (RFC 6454). A value.
package struct Origin: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case http, https

        package var port: Int { self == .http ? 80 : 443 }
    }

    package var scheme: Scheme
    /// In lower case; an IPv6 address without its brackets.
    package var host: String
    package var port: Int

    /// "https://host:8443"; without the port if it is the scheme's default.
    package var text: String {
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(shown)" + (port == scheme.port ? "" : ":\(port)")
    }

    /// Whether it is the same server as `home`, or the same host over https if
    /// `home` is http, both at their default ports.
    package func isSame(as home: Origin) -> Bool {
        let isUpgrade = scheme == .https && home.scheme == .http && host == home.host && port == 443 && home.port == 80
        return self == home || isUpgrade
    }
}

/// An http or https URL, parsed strictly. The same value is checked and sent, so two parsers cannot see different hosts
/// in it. A value.
package struct RemoteURL: Hashable, Sendable {
    /// In bytes; a longer URL counts as an attack.
    package static let longest = 16 << 10

    package var origin: Origin
    /// "user" or "user:password", percent-decoded.
    package var user: String?
    /// Begins with a slash, contains no `.` or `..`; characters that RFC 3986 does not allow are percent-encoded.
    package var path: String
    package var query: String?

    /// nil for other schemes, and if the host is neither a valid name nor an address.
    package init?(_ text: String) {
        guard text.utf8.count <= RemoteURL.longest, let parts = URLParts(text) else { return nil }
        self.init(parts)
    }

    /// The same of the parts of a URL that is not longer than `longest`.
    init?(_ parts: URLParts) {
        guard let scheme = parts.scheme.flatMap(Origin.Scheme.init), let authority = parts.authority else {
            return nil
        }
        var rest = Array(authority.utf8)[...]
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
            // Other parsers see another host in such URLs: "http://good\\@bad/", "http://good@x@bad/".
            guard !rest[..<at].contains(where: { "@\\".utf8.contains($0) }) else { return nil }
            let name = String(
                decoding: FileURL.percentDecoded(String(decoding: rest[..<at], as: UTF8.self)), as: UTF8.self)
            user = name.isEmpty ? nil : name
            rest = rest[(at + 1)...]
        }
        guard let (host, port) = RemoteURL.hostAndPort(rest, inAnyAlphabet: true) else { return nil }
        origin = Origin(scheme: scheme, host: host, port: port ?? scheme.port)
        let encoded = PercentEncoding.encoded(parts.path)
        path = encoded.isEmpty ? "/" : URLParts.withoutDots(encoded)
        query = parts.query.map(PercentEncoding.encoded)
    }

    /// Without user and fragment.
    package var text: String { origin.text + target }

    /// The target of the request line.
    package var target: String { path + (query.map { "?" + $0 } ?? "") }

    /// Parses "host", "host:port" and "[address]:port" (RFC 3986, 3.2.2). Port 0 is invalid.
    ///
    /// - Parameter inAnyAlphabet: whether names may have letters beyond ASCII, which are then encoded.
    package static func hostAndPort(
        _ text: some Collection<UInt8>, inAnyAlphabet: Bool = false
    ) -> (host: String, port: Int?)? {
        var host = Array(text)
        var port: Int?
        let bracket = host.lastIndex(of: UInt8(ascii: "]"))
        if let colon = host.lastIndex(of: UInt8(ascii: ":")), colon > bracket ?? -1 {
            let digits = host[(colon + 1)...]
            if !digits.isEmpty {
                guard digits.count <= 5, digits.allSatisfy({ (0x30...0x39).contains($0) }),
                    let number = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(number)
                else { return nil }
                port = number
            }
            host = Array(host[..<colon])
        }
        let isAddress = host.first == UInt8(ascii: "[")
        if isAddress {
            guard host.last == UInt8(ascii: "]") else { return nil }
            host = Array(host[1..<(host.count - 1)])
        } else if inAnyAlphabet, !host.allSatisfy({ isOfHost($0, address: false) }) {
            guard let name = InternationalName.ascii(InternationalName.decoded(host)) else { return nil }
            host = name
        }
        guard (1...253).contains(host.count), host.allSatisfy({ isOfHost($0, address: isAddress) }) else { return nil }
        return (String(decoding: host, as: UTF8.self).lowercased(), port)
    }

    /// The letters, digits and `-._` of names (other alphabets come as
    /// `xn--…`), or the hexadecimal digits, colons and dots of IPv6.
    private static func isOfHost(_ byte: UInt8, address: Bool) -> Bool {
        if address { return FileURL.digit(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") }
        return FileURL.isPlain(byte) && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "~")
    }
}
