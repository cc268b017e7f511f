/// Who tells where the media of an item is. It is asked when the clip's bytes are first wanted, and again when the
/// address no longer holds.
public enum Resolver: String, Hashable, Sendable, CaseIterable {
    case peerTube = "peertube"
    case ytDLP = "yt-dlp"

    /// What it is called before the user.
    public var name: String {
        switch self {
        case .peerTube: "PeerTube"
        case .ytDLP: "yt-dlp"
        }
    }
}
