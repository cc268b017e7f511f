/// Where an asset may lead. Pure.
public enum URLAccessPolicy {
    /// Which private addresses public hosts may lead to.
    public enum PrivateHosts: String, Sendable, CaseIterable {
        case never
        /// Only if the asset or feed itself comes from the same private host.
        case sameOrigin = "same-origin"
        case always
    }

    /// Whether `source` (a manifest, a playlist, an item) may lead to `target`; both are absolute URLs. A source from
    /// the network may lead to http and https only, never to local files or other
    /// protocols, nor to hosts with private names or addresses. A local file may lead to
    /// local files and to any host, also to private ones unless the rule is `.never`.
    public static func allows(
        _ target: String, from source: String, privateHosts: PrivateHosts = .sameOrigin
    ) -> Bool {
        refusal(of: target, from: source, privateHosts: privateHosts) == nil
    }

    /// Why `source` may not lead to `target`, in words for the user; nil if it may.
    public static func refusal(
        of target: String, from source: String, privateHosts: PrivateHosts = .sameOrigin
    ) -> BytesError.Reason? {
        // Each is parsed once: a feed may lead to very many.
        guard let parts = URLParts(target), let scheme = parts.scheme, let sourceParts = URLParts(source),
            let sourceScheme = sourceParts.scheme
        else { return .malformed }
        switch scheme {
        case "http", "https":
            guard ["file", "http", "https"].contains(sourceScheme) else { return .forbidden }
            guard target.utf8.count <= RemoteURL.longest, let remote = RemoteURL(parts) else { return .malformed }
            let home = source.utf8.count <= RemoteURL.longest ? RemoteURL(sourceParts) : nil
            let isReached = reach(of: remote, from: home, isFile: sourceScheme == "file", rule: privateHosts) != nil
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

    /// Which addresses a host's name may resolve to.
    package enum Reach: Equatable, Sendable {
        case anywhere
        /// Addresses are checked before connecting, because a public name server can return private ones.
        case onlyPublic
    }

    /// Which addresses a request for `target` may reach; nil if it must not be
    /// sent. It is not enough that the item comes from the same host, as any name
    /// can resolve to any address: the feed that named the item must reach as far.
    package static func reach(of target: RemoteURL, for asset: Asset, rule: PrivateHosts) -> Reach? {
        var furthest = Reach.anywhere
        for source in asset.sources {
            let isFile = URLParts(source)?.scheme == "file"
            guard let reach = reach(of: target, from: RemoteURL(source), isFile: isFile, rule: rule) else { return nil }
            if reach == .onlyPublic { furthest = .onlyPublic }
        }
        return furthest
    }

    /// A source may lead to its own host, wherever that is. Only local files lead to other private hosts (except with
    /// `.never`); with `.always` every source does.
    ///
    /// - Parameters:
    ///   - home: the source; nil if it is neither http nor https.
    ///   - isFile: whether the source is a local file.
    private static func reach(
        of target: RemoteURL, from home: RemoteURL?, isFile: Bool, rule: PrivateHosts
    ) -> Reach? {
        if rule == .always { return .anywhere }
        if let home, home.origin.host == target.origin.host { return .anywhere }
        if home == nil, rule == .sameOrigin, isFile { return .anywhere }
        switch HostKind(target.origin.host) {
        case .loopback, .privateNetwork: return nil
        case .publicAddress: return .anywhere
        case .name: return .onlyPublic
        }
    }
}
