import Model

/// Chooses the proxy of a request: the configured one, else the environment's, with the same rules as curl. Pure.
struct ProxyChoice: Sendable {
    enum Route: Hashable, Sendable {
        case direct
        case through(ProxyServer)
        /// The proxy's URL is invalid. That is an error: a request without the proxy could expose the user.
        case malformed
    }

    private let http: Route
    private let https: Route
    /// In lower case; "*" means all.
    private let exceptions: [Substring]

    /// - Parameters:
    ///   - configured: overrides the environment; an empty text means no proxy.
    ///   - environment: returns the value of a variable.
    init(configured: String?, environment: (String) -> String?) {
        func route(_ text: String?) -> Route {
            guard let text, !text.isEmpty else { return .direct }
            return ProxyServer(text).map(Route.through) ?? .malformed
        }
        func variable(_ name: String) -> String? { environment(name) ?? environment(name.uppercased()) }
        let any = variable("all_proxy")
        // HTTP_PROXY in capitals is ignored: in a CGI script it comes from a request's header "Proxy".
        http = route(configured ?? environment("http_proxy") ?? any)
        https = route(configured ?? variable("https_proxy") ?? any)
        exceptions = (variable("no_proxy") ?? "").lowercased().split { $0 == "," || $0 == " " }
    }

    func route(to origin: Origin) -> Route {
        guard HostKind(origin.host) != .loopback, !exceptions.contains(where: { covers($0, origin) }) else {
            return .direct
        }
        return origin.scheme == .https ? https : http
    }

    /// Supports "example.com" and ".example.com" (with all subdomains), "host:port", "10.0.0.1", "10.0.0.0/8" and "*".
    private func covers(_ exception: Substring, _ origin: Origin) -> Bool {
        if exception == "*" { return true }
        if let slash = exception.firstIndex(of: "/") {
            guard let net = IPAddress.bytes(String(exception[..<slash])), let address = IPAddress.bytes(origin.host),
                let bits = Int(exception[exception.index(after: slash)...]), net.count == address.count,
                (0...(net.count * 8)).contains(bits)
            else { return false }
            return (0..<bits).allSatisfy { bit in (net[bit / 8] ^ address[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0 }
        }
        let isBareAddress = exception.utf8.count { $0 == UInt8(ascii: ":") } > 1 && !exception.hasPrefix("[")
        let name = exception.drop { $0 == "." }
        guard
            let (host, port) = isBareAddress
                ? (String(name), nil) : RemoteURL.hostAndPort(Array(name.utf8), inAnyAlphabet: true),
            port == nil || port == origin.port
        else { return false }
        return origin.host == host || origin.host.hasSuffix("." + host) && !IPAddress.endsInNumber(origin.host)
    }
}
