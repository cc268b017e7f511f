import Wire

/// Writes the text of a media playlist (RFC 8216) from other descriptions of segments, such as a DASH manifest. Pure;
/// references are not trusted.
struct PlaylistWriter {
    /// The URL that references in the text are relative to.
    let base: String
    private var text = Array("\(PlaylistText.mark)\n".utf8)
    private var count = 0
    private var longest: Microseconds = 0

    init(base: String) { self.base = base }

    mutating func addDiscontinuity() { write("#EXT-X-DISCONTINUITY\n") }

    /// Adds the header of the following segments; nil if they have none.
    mutating func addMap(_ piece: MediaPlaylist.Piece?) throws(MediaError) {
        guard let piece else { return write("#EXT-X-MAP:\n") }
        guard PlaylistWriter.isPlain(piece.url) else { throw PlaylistWriter.noPlace }
        let range = piece.length < 0 ? "" : ",BYTERANGE=\"\(piece.length)@\(piece.offset)\""
        write("#EXT-X-MAP:URI=\"\(piece.url)\"\(range)\n")
    }

    /// `reference` is relative to `home`; if it is empty, it is `home` itself.
    /// A `length` of -1 means the whole resource.
    mutating func addSegment(
        _ reference: String, of home: String, offset: Int64 = 0, length: Int64 = -1, duration: Microseconds
    ) throws(MediaError) {
        count += 1
        longest = max(longest, duration)
        let range = length < 0 ? "" : "#EXT-X-BYTERANGE:\(length)@\(offset)\n"
        let place: String?
        if home == base, PlaylistWriter.isPlain(reference) {
            place = reference
        } else {
            place = PlaylistWriter.resolve(reference, home).flatMap { PlaylistWriter.isPlain($0) ? $0 : nil }
        }
        guard let place else { throw PlaylistWriter.noPlace }
        write("#EXTINF:\(PlaylistWriter.seconds(duration)),\n\(range)\(place)\n")
        guard text.count <= PlaylistText.maxBytes, count <= MediaPlaylist.maxSegments else {
            throw MediaError(.limits, "its manifest has too many segments")
        }
    }

    /// The absolute URL of a reference; of `home` if the reference is empty.
    static func resolve(_ reference: String, _ home: String) -> String? {
        URLReference.resolve(reference.isEmpty ? home.utf8 : reference.utf8, against: home)
    }

    static let noPlace = MediaError(.notMedia, "its manifest has an invalid byte range")

    /// Whether a reference can be written on its own line or between quotation marks without being misread.
    private static func isPlain(_ reference: String) -> Bool {
        guard let first = reference.utf8.first, first != UInt8(ascii: "#") else { return false }
        return reference.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    }

    private static func seconds(_ time: Microseconds) -> String {
        let decimals = String(time % 1_000_000)
        let zeros = String(repeating: "0", count: max(0, 6 - decimals.utf8.count))
        return "\(time / 1_000_000).\(zeros)\(decimals)"
    }

    private mutating func write(_ line: String) { text += line.utf8 }

    /// Parses the text like any other playlist. Accepts long durations, because a segment can be a whole film.
    func playlist() throws(MediaError) -> MediaPlaylist {
        let target = PlaylistWriter.seconds(min(longest, MediaPlaylist.longestTarget))
        let end = "#EXT-X-TARGETDURATION:\(target)\n#EXT-X-ENDLIST\n"
        return try MediaPlaylist(text + Array(end.utf8), base: base)
    }
}
