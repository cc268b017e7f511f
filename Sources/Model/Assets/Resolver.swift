/// A service or program that finds the media of an item. It is queried when the clip's bytes
/// are first needed, and again when the address has expired.
public enum Resolver: String, Hashable, Sendable, CaseIterable {
    case peerTube = "peertube"
    case ytDLP = "yt-dlp"

    /// The name that the user sees.
    public var name: String {
        switch self {
        case .peerTube: "PeerTube"
        case .ytDLP: "yt-dlp"
        }
    }
}
