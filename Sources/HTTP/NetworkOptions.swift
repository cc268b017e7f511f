import Model
import Platform

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

/// Whose signatures under certificates count. The environment decides as with curl: `SSL_CERT_FILE` in place of the
/// system's, the folders of `SSL_CERT_DIR`, separated by colons, in addition. A value.
struct Authorities: Sendable {
    /// The sources that exist; nil for the system's default.
    struct Sources: Equatable, Sendable {
        var file: String?
        /// Separated by colons. OpenSSL finds a certificate in them by a hash of its subject: "1a2b3c4d.0".
        var folders: String?
    }

    private let file: String?
    private let folders: [String]

    /// - Parameter environment: returns the value of a variable.
    init(environment: (String) -> String?) {
        func path(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        file = path("SSL_CERT_FILE")
        folders = path("SSL_CERT_DIR")?.split(separator: ":").map(String.init) ?? []
    }

    /// nil if what the environment names cannot be read. Looks at the disk if it names anything.
    var sources: Sources? {
        if let file, access(file, R_OK) != 0 { return nil }
        let found = folders.filter { access($0 + "/.", R_OK) == 0 }
        guard folders.isEmpty || !found.isEmpty else { return nil }
        return Sources(file: file, folders: found.isEmpty ? nil : found.joined(separator: ":"))
    }
}
