import Model

/// How requests are sent: user agent, proxy, time limits, private hosts. A value.
public struct NetworkOptions: Sendable, Equatable {
    public var userAgent = "flick"
    /// "http://host:port" or "socks5://host:port"; nil: the environment decides (`http_proxy`, `https_proxy`,
    /// `all_proxy`, `no_proxy`).
    public var proxy: String?
    public var connectTimeout: Duration = .seconds(10)
    public var firstByteTimeout: Duration = .seconds(15)
    public var stallTimeout: Duration = .seconds(10)
    /// The variables that name proxies, and authorities for certificates; nil: those of the process.
    public var environment: [String: String]?
    public var privateHosts = URLAccessPolicy.PrivateHosts.sameOrigin

    public init() {}

    /// Whether `text` names a proxy that flick can use.
    public static func isProxy(_ text: String) -> Bool { ProxyServer(text) != nil }
}
