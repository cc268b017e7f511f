import Model

/// Makes items of what services list. Pure. Addresses are absolute, but the
/// caller has to ask `URLAccessPolicy` for each.
enum ServiceEntry {
    /// The items of one entry, none if it has nothing to play; nil if it is no entry of the service.
    ///
    /// - Parameter base: the URL of the answer.
    static func items(of value: JSON, from service: Service, base: String, need: MediaNeed) -> [Item]? {
        guard let origin = RemoteURL(base)?.origin.text else { return nil }
        switch service {
        case .peerTube: return PeerTubeVideo.items(of: value, origin: origin, need: need)
        case .loops: return LoopsVideo.items(of: value, origin: origin, need: need)
        case .mastodon: return MastodonPost.items(of: value, origin: origin, need: need)
        }
    }

    /// The id of an entry, which is safe in a path; nil if it has none.
    static func id(_ value: JSON?) -> String? { value?.asText(limit: 65).flatMap(ServiceAddress.plainID) }

    /// A text, and nothing else.
    static func text(_ value: JSON?, limit: Int) -> String? {
        guard case .text(let text)? = value else { return nil }
        return text.cut(to: limit)?.stripped.cut(to: limit)
    }

    static func duration(_ value: JSON?) -> Duration? {
        guard let seconds = value?.asNumber, seconds > 0, seconds < 1e9 else { return nil }
        return .milliseconds(Int((seconds * 1_000).rounded()))
    }

    static func stats(
        likes: JSON?, dislikes: JSON? = nil, comments: JSON?, saves: JSON? = nil, shares: JSON? = nil
    ) -> Item.Stats? {
        let stats = Item.Stats(
            likes: likes?.asCount, dislikes: dislikes?.asCount, comments: comments?.asCount, saves: saves?.asCount,
            shares: shares?.asCount)
        return stats == Item.Stats() ? nil : stats
    }

    /// The first elements of a list; none if it is no list.
    static func list(_ value: JSON?) -> [JSON] {
        guard case .list(let list)? = value else { return [] }
        return Array(list.prefix(ItemLimit.list))
    }
}
