import Model

/// Identifies an item in the library: across starts, and across feeds that have the same clip. A value.
///
/// An id from a feed is unique only within that feed's service. An id that flick made from
/// the item's URL is the same wherever the clip is found.
public struct ItemKey: Hashable, Sendable {
    /// The origin of the feed that gave the id, as `https://host:port`, or the URL of the manifest file; empty for an
    /// id that was made of the URL.
    public var scope: String
    public var id: String

    public init(scope: String, id: String) { (self.scope, self.id) = (scope, id) }

    public init(_ item: Item) {
        let isMade = item.feed == nil || item.id == ItemID.hash(of: item.url)
        scope = isMade ? "" : item.feed.map { RemoteURL($0)?.origin.text ?? $0 } ?? ""
        id = item.id
    }
}
