/// What the decoder of a clip may open besides the clip: nothing, unless the clip's own first
/// bytes are those of a playlist; then whatever `URLAccessPolicy` allows. flick inspects the
/// bytes that it hands out, and trusts nothing that the decoder says about them. A value.
struct ReadPermissions {
    enum Kind {
        /// No byte of it was read yet.
        case unknown
        case media
        case playlist
    }

    private let url: String
    private(set) var kind: Kind
    private var beginning: [UInt8] = []

    /// An HLS playlist is known by its first line, perhaps after a byte order mark (RFC 8216, 4.1). A DASH manifest is
    /// XML, and no other format that is played begins as XML does.
    private static let playlistMark = Array("#EXTM3U".utf8)
    private static let manifestMark = UInt8(ascii: "<")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let whiteSpace = Array(" \t\r\n".utf8)
    /// How many bytes of white space are skipped at most before a manifest.
    private static let longest = 4_096

    /// - Parameter url: of the clip.
    init(url: String, kind: Kind = .unknown) {
        self.url = url
        self.kind = kind
    }

    /// Whether the decoder may open `other`, given the clip's kind.
    func allows(_ other: String) -> Bool { kind == .playlist || other == url }

    /// The decoder is about to get these bytes of the clip.
    mutating func note(_ bytes: some Collection<UInt8>, at offset: Int64) {
        guard kind == .unknown, offset == Int64(beginning.count) else { return }
        beginning += bytes.prefix(Self.longest - beginning.count)
        var text = beginning[...]
        if text.starts(with: Self.byteOrderMark) { text = text.dropFirst(Self.byteOrderMark.count) }
        let first = text.first { !Self.whiteSpace.contains($0) }
        if text.starts(with: Self.playlistMark) || first == Self.manifestMark {
            kind = .playlist
            return
        }
        // The bytes so far may be the beginning of a mark.
        let isOpen =
            first == nil || Self.playlistMark.starts(with: text) || Self.byteOrderMark.starts(with: beginning)
        if !isOpen || beginning.count == Self.longest { kind = .media }
    }
}
