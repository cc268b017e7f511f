/// Distinguishes streams from lists, which share a name and a beginning: `.m3u8` and `#EXTM3U`. Pure.
enum ListKind {
    /// Whether a text in M3U is one stream (HLS, RFC 8216), and not a list of clips or channels.
    ///
    /// A mark that only lists of channels have (`tvg-…`, `group-title`, a duration of -1 …) decides, or
    /// one that only streams have (`#EXT-X-TARGETDURATION` …), whichever comes first. With neither it
    /// is a stream if all entries are short segments without names.
    ///
    /// - Parameter beginning: the first bytes; 4 KB are plenty.
    static func isStream(_ beginning: some Collection<UInt8>) -> Bool {
        let bytes = Array(beginning.starts(with: [0xEF, 0xBB, 0xBF]) ? beginning.dropFirst(3) : beginning[...])
        // The text after the last line break may be cut off: what it lacks proves nothing.
        let whole = bytes.lastIndex(where: isBreak).map { $0 + 1 } ?? 0
        var segments = Segments()
        for part in bytes[..<whole].split(whereSeparator: isBreak) {
            let line = LineText.trimmed(part)
            if let isStream = isStream(by: line) { return isStream }
            segments.note(line)
        }
        return isStream(by: LineText.trimmed(bytes[whole...])) ?? segments.areAll
    }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    /// Tags that every stream has some of, and no list. Others of HLS stand in lists, too: `#EXT-X-PLAYLIST-TYPE:VOD`,
    /// `#EXT-X-ENDLIST`.
    private static let streamTags = [
        "#EXT-X-TARGETDURATION:", "#EXT-X-STREAM-INF:", "#EXT-X-MEDIA-SEQUENCE:", "#EXT-X-MEDIA:", "#EXT-X-MAP:",
        "#EXT-X-KEY:", "#EXT-X-I-FRAME", "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-SESSION-", "#EXT-X-BYTERANGE:",
        "#EXT-X-PART-INF:", "#EXT-X-SERVER-CONTROL:", "#EXT-X-DISCONTINUITY", "#EXT-X-PROGRAM-DATE-TIME:",
        "#EXT-X-START:", "#EXT-X-DEFINE:", "#EXT-X-CONTENT-STEERING:",
    ]

    private static let listTags = ["#EXTVLCOPT:", "#EXTGRP:", "#KODIPROP:", "#EXTHTTP:", "#PLAYLIST:", "#EXTINF:-"]

    /// In the attributes of `#EXTM3U` and `#EXTINF`.
    private static let listWords = ["tvg-", "-tvg=", "group-title=", "http-referrer=", "http-user-agent=", "catchup"]

    /// Whether a line decides, and how; nil for most.
    private static func isStream(by line: ArraySlice<UInt8>) -> Bool? {
        guard line.starts(with: "#".utf8) else { return nil }
        let text = String(decoding: line.prefix(1_024), as: UTF8.self)
        if streamTags.contains(where: { text.hasPrefix($0) }) { return true }
        if listTags.contains(where: { text.hasPrefix($0) }) { return false }
        guard text.hasPrefix("#EXTM3U") || text.hasPrefix("#EXTINF:") else { return nil }
        return listWords.contains { text.contains($0) } ? false : nil
    }

    /// Whether all entries read so far are parts of one stream.
    private struct Segments {
        /// In seconds.
        private static let longest = 60.0

        private var duration: Double?
        private var count = 0
        private var isOther = false

        var areAll: Bool { count > 0 && !isOther }

        mutating func note(_ line: ArraySlice<UInt8>) {
            let tag = "#EXTINF:".utf8
            if line.starts(with: tag) {
                let info = ExtInf(line.dropFirst(tag.count))
                duration = info.duration
                if !LineText.trimmed(info.name).isEmpty { isOther = true }
            } else if let first = line.first, first != UInt8(ascii: "#") {
                let path = line.prefix { $0 != UInt8(ascii: "?") }
                let isNamed = ClipName.ending(of: path).map(["ts", "m4s", "cmfv", "aac"].contains) ?? false
                if duration.take().map({ $0 <= Self.longest }) != true || !isNamed { isOther = true }
                count += 1
            }
        }
    }
}
