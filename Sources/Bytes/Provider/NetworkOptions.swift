/// How the network is spoken to.
public struct NetworkOptions: Sendable, Equatable {
    /// Which private addresses public hosts may lead to (L9).
    public enum PrivateHosts: String, Sendable, CaseIterable {
        case never
        /// Only when the asset or feed lies at the same private host.
        case sameOrigin = "same-origin"
        case always
    }

    public var userAgent = "flick"
    /// "http://host:port", "socks5://host:port"; nil: as the environment says (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`).
    public var proxy: String?
    public var connectTimeout: Duration = .seconds(10)
    public var firstByteTimeout: Duration = .seconds(15)
    public var stallTimeout: Duration = .seconds(10)
    public var privateHosts = PrivateHosts.sameOrigin

    public init() {}

    /// Whether `text` names a proxy that flick can speak with.
    public static func isProxy(_ text: String) -> Bool { ProxyServer(text) != nil }
}
