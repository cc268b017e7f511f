import Model

/// How the client names this server, which addresses in its answers begin with. A value.
struct ServerAddress: Equatable {
    /// "http://127.0.0.1:8642", and nothing that could end an address or a line.
    let origin: String
    /// The token that the client has in its address, which ours then carry, too.
    let token: String?

    /// - Parameter host: the request's Host; X-Forwarded-… is not read, as anybody can send it.
    init(host: String?, isSecure: Bool, token: String?) throws(Refusal) {
        guard let host, Self.isHost(host) else { throw Refusal(.badRequest, "Host: it is missing or not a host") }
        origin = (isSecure ? "https://" : "http://") + host
        self.token = token
    }

    /// A name or address with or without a port (RFC 3986, 3.2.2), as far as any host here is called.
    private static func isHost(_ text: String) -> Bool {
        guard (1...255).contains(text.utf8.count) else { return false }
        var name = Substring(text)
        if let colon = name.lastIndex(of: ":"), name.last != "]" {
            let port = name[name.index(after: colon)...]
            guard (0...5).contains(port.utf8.count), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return false
            }
            name = name[..<colon]
        }
        if name.hasPrefix("["), name.hasSuffix("]") {
            return name.dropFirst().dropLast().utf8.allSatisfy {
                FileURL.digit($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            } && name.utf8.count > 3
        }
        return !name.isEmpty
            && name.utf8.allSatisfy { FileURL.isPlain($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "~") }
    }

    /// An absolute address. - Parameter path: begins with a slash, and is encoded already.
    func url(_ path: String, _ query: [(name: String, text: String)] = []) -> String {
        let pairs = query + (token.map { [("token", $0)] } ?? [])
        guard !pairs.isEmpty else { return origin + path }
        return origin + path + "?"
            + pairs.map { "\($0.name)=\(PercentEncoding.component($0.text))" }.joined(separator: "&")
    }
}
