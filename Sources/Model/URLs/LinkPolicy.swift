/// Where an asset may lead. Pure.
public enum LinkPolicy {
    /// Which private addresses public hosts may lead to.
    public enum PrivateHosts: String, Sendable, CaseIterable {
        case never
        /// Only when the asset or feed lies at the same private host.
        case sameOrigin = "same-origin"
        case always
    }

    /// Whether `source` (a manifest, a playlist, an item) may lead to `target`. What came over the network may lead only to http and https, never to
    /// files of this machine or other protocols, nor to hosts that are private by their very names. A local file may lead to local files, and to any host,
    /// private ones too unless the rule is `.never`. Both are absolute URLs.
    public static func allows(
        _ target: String, from source: String, privateHosts: PrivateHosts = .sameOrigin
    ) -> Bool {
        refusal(of: target, from: source, privateHosts: privateHosts) == nil
    }

    /// Why `source` may not lead to `target`, for the user; nil if it may.
    public static func refusal(
        of target: String, from source: String, privateHosts: PrivateHosts = .sameOrigin
    ) -> BytesError.Reason? {
        guard let scheme = URLParts(target)?.scheme, let sourceScheme = URLParts(source)?.scheme else {
            return .malformed
        }
        switch scheme {
        case "http", "https":
            guard ["file", "http", "https"].contains(sourceScheme) else { return .forbidden }
            guard let remote = RemoteURL(target) else { return .malformed }
            let isReached = reach(of: remote, from: source, rule: privateHosts) != nil
            return isReached ? nil : .privateHost(remote.origin.host)
        case "file": return sourceScheme == "file" ? nil : .forbidden
        default: return .forbidden
        }
    }

    /// Whether an asset may lead to `target`: both the item and the feed that named it must be allowed to.
    public static func allows(
        _ target: String, for asset: Asset, privateHosts: PrivateHosts = .sameOrigin
    ) -> Bool {
        refusal(of: target, for: asset, privateHosts: privateHosts) == nil
    }

    /// Why an asset may not lead to `target`; nil if it may.
    package static func refusal(
        of target: String, for asset: Asset, privateHosts: PrivateHosts
    ) -> BytesError.Reason? {
        asset.sources.lazy.compactMap { refusal(of: target, from: $0, privateHosts: privateHosts) }.first
    }

    /// Which addresses a host's name may lead to.
    package enum Reach: Equatable, Sendable {
        case anywhere
        /// Addresses are checked once there is a connection: a public name server may name private ones.
        case onlyPublic
    }

    /// How far a request for `target` on behalf of an asset may reach; nil: it may not be sent. That an item is at its own host is not enough, as any
    /// name can have any address: the feed that named it must reach as far.
    package static func reach(of target: RemoteURL, for asset: Asset, rule: PrivateHosts) -> Reach? {
        var furthest = Reach.anywhere
        for source in asset.sources {
            guard let reach = reach(of: target, from: source, rule: rule) else { return nil }
            if reach == .onlyPublic { furthest = .onlyPublic }
        }
        return furthest
    }

    /// What lies at `source` may lead to its own host, wherever that is. Other private hosts are reached only by local files (not with `.never`), and
    /// with `.always`.
    private static func reach(
        of target: RemoteURL, from source: String, rule: PrivateHosts
    ) -> Reach? {
        if rule == .always { return .anywhere }
        let home = RemoteURL(source)
        if let home, home.origin.host == target.origin.host { return .anywhere }
        if home == nil, rule == .sameOrigin, URLParts(source)?.scheme == "file" { return .anywhere }
        switch HostKind(target.origin.host) {
        case .loopback, .privateNetwork: return nil
        case .publicAddress: return .anywhere
        case .name: return .onlyPublic
        }
    }
}
