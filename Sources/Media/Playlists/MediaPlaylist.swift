import Wire

/// A media playlist (RFC 8216, 4.3.3): the segments of one variant. Pure; the text is not trusted.
struct MediaPlaylist {
    /// A part of a resource; a `length` of -1 means to its end.
    struct Piece: Equatable {
        var url: String
        var offset: Int64 = 0
        var length: Int64 = -1
        /// How to decrypt it; nil if it is not encrypted.
        var cipher: Cipher?

        /// The offset of its end; -1 for the end of the resource.
        var end: Int64 { length < 0 ? -1 : offset + length }
    }

    struct Cipher: Equatable {
        var keyURL: String
        /// 16 bytes.
        var vector: [UInt8]
    }

    struct Segment {
        /// Counted from the playlist's first segment.
        var start: Microseconds
        var duration: Microseconds
        /// The media sequence number: counts all segments that the playlist ever had.
        var sequence: Int64
        /// Segments with the same domain have a common timeline of stamps. A discontinuity begins another domain.
        var domain: Int64
        /// The server does not have the segment.
        var isGap: Bool

        fileprivate var uri: Range<Int>
        fileprivate var offset: Int64
        fileprivate var length: Int64
        fileprivate var key: Int?
        fileprivate(set) var map: Int?
    }

    private struct Key {
        var uri: String
        var vector: [UInt8]?
    }

    private struct Map {
        var uri: String
        var offset: Int64
        var length: Int64
        var key: Int?
    }

    static let maxSegments = 200_000
    /// A longer segment counts as an error, unless the target duration is longer.
    private static let longestSegment: Microseconds = 3_600_000_000
    /// A segment with more target durations than this counts as an error,
    private static let maxTargets: Microseconds = 10
    /// but not if it is shorter than this, because authors are careless.
    private static let alwaysBelieved: Microseconds = 60_000_000
    /// A target duration of a day or more counts as an error.
    static let longestTarget: Microseconds = 86_399_999_999

    /// The playlist's URL, which references are relative to.
    let base: String
    private var text: PlaylistText
    private(set) var segments: [Segment] = []
    private var keys: [Key] = []
    private var maps: [Map] = []
    /// No segment is much longer; at least half a second.
    private(set) var targetDuration: Microseconds = 0
    /// Whether the playlist is complete.
    private(set) var isFinished = false
    /// Whether the first segments remain in a growing playlist.
    private(set) var isEvent = false
    /// Where the author wants playback to begin: from the beginning, or from the end if negative.
    private(set) var preferredStart: Microseconds?
    /// For each domain the stamp at the playlist's beginning, if known. HLS does not state it.
    var origins: [Int64: Microseconds] = [:]

    var duration: Microseconds { segments.last.map { $0.start + $0.duration } ?? 0 }

    init(_ bytes: [UInt8], base: String) throws(MediaError) {
        guard let text = PlaylistText(bytes) else { throw MediaError(.notMedia, "not a playlist") }
        self.text = text
        self.base = base
        try read()
    }

    /// Tags that apply to the next URI, and tags that apply until they change.
    private struct Reading {
        var sequence: Int64 = 0
        var domain: Int64 = 0
        var length: Microseconds?
        var range: (length: Int64, offset: Int64?)?
        var isGap = false
        var key: Int?
        var map: Int?
        /// The end of the previous range, and its resource.
        var lastEnd: (uri: Range<Int>, offset: Int64)?
        /// Whether there was a tag that only media playlists have.
        var isOfSegments = false
    }

    private mutating func read() throws(MediaError) {
        var reading = Reading()
        while let line = text.nextLine() {
            if text.bytes[line.lowerBound] == UInt8(ascii: "#") {
                try read(tag: line, &reading)
                continue
            }
            guard segments.count < MediaPlaylist.maxSegments else {
                throw MediaError(.limits, "its playlist has more than \(MediaPlaylist.maxSegments) segments")
            }
            try add(uri: line, &reading)
        }
        // An empty text, or a master playlist without variants: nothing indicates that more will come.
        if segments.isEmpty, !reading.isOfSegments { isFinished = true }
        try placeSegments()
    }

    /// Computes when segments begin. A missing or absurd duration becomes the target duration.
    private mutating func placeSegments() throws(MediaError) {
        let hasTarget = targetDuration > 0
        let usual = max(MediaPlaylist.maxTargets * targetDuration, MediaPlaylist.alwaysBelieved)
        let most =
            hasTarget ? max(targetDuration, min(usual, MediaPlaylist.longestSegment)) : MediaPlaylist.longestSegment
        var start: Microseconds = 0
        var longest: Microseconds = 0
        for index in segments.indices {
            let given = segments[index].duration
            guard given <= most || hasTarget else {
                throw MediaError(.notMedia, "its playlist has a segment of more than an hour and no target duration")
            }
            let duration = (0...most).contains(given) ? given : targetDuration
            segments[index].start = start
            segments[index].duration = duration
            start = min(start + duration, MediaTime.longest)
            longest = max(longest, duration)
        }
        targetDuration = max(hasTarget ? targetDuration : longest, 500_000)
    }

    /// Adds a segment. Its start is computed later; a duration of -1 is missing.
    private mutating func add(uri: Range<Int>, _ reading: inout Reading) throws(MediaError) {
        var segment = Segment(
            start: 0, duration: reading.length ?? -1, sequence: reading.sequence, domain: reading.domain,
            isGap: reading.isGap, uri: uri, offset: 0, length: -1, key: reading.key, map: reading.map)
        if let range = reading.range {
            // Without an offset the range continues the previous one, if that is of the same resource (4.3.2.2).
            let before = reading.lastEnd.flatMap { text.bytes[$0.uri] == text.bytes[uri] ? $0.offset : nil }
            segment.offset = range.offset ?? before ?? 0
            segment.length = range.length
            let (end, tooLarge) = segment.offset.addingReportingOverflow(segment.length)
            guard !tooLarge else { throw MediaError(.notMedia, "its playlist has an invalid byte range") }
            reading.lastEnd = (uri, end)
        }
        segments.append(segment)
        reading.sequence += 1
        reading.length = nil
        reading.range = nil
        reading.isGap = false
    }

    private mutating func read(tag line: Range<Int>, _ reading: inout Reading) throws(MediaError) {
        if let value = text.value(of: "#EXTINF", in: line) {
            reading.length = PlaylistText.seconds(value).map { max(0, $0) }
        } else if let value = text.value(of: "#EXT-X-BYTERANGE", in: line) {
            reading.range = MediaPlaylist.range(value)
        } else if text.value(of: "#EXT-X-DISCONTINUITY", in: line) != nil {
            reading.domain += 1
        } else if let value = text.value(of: "#EXT-X-KEY", in: line) {
            reading.key = try key(PlaylistText.attributes(value))
        } else if let value = text.value(of: "#EXT-X-MAP", in: line) {
            let attributes = PlaylistText.attributes(value)
            guard let uri = attributes["URI"] else {
                // The following segments need no header.
                reading.map = nil
                return
            }
            let range = (attributes["BYTERANGE"]?.utf8).flatMap { MediaPlaylist.range($0) }
            maps.append(Map(uri: uri, offset: range?.offset ?? 0, length: range?.length ?? -1, key: reading.key))
            reading.map = maps.count - 1
        } else if text.value(of: "#EXT-X-GAP", in: line) != nil {
            reading.isGap = true
        } else if let value = text.value(of: "#EXT-X-TARGETDURATION", in: line) {
            reading.isOfSegments = true
            let given = PlaylistText.seconds(value) ?? 0
            targetDuration = (0...MediaPlaylist.longestTarget).contains(given) ? given : 0
        } else if let value = text.value(of: "#EXT-X-MEDIA-SEQUENCE", in: line) {
            reading.isOfSegments = true
            reading.sequence = min(PlaylistText.number(value) ?? 0, 1 << 60)
        } else if let value = text.value(of: "#EXT-X-DISCONTINUITY-SEQUENCE", in: line) {
            reading.domain = min(PlaylistText.number(value) ?? 0, 1 << 60)
        } else if let value = text.value(of: "#EXT-X-PLAYLIST-TYPE", in: line) {
            reading.isOfSegments = true
            isEvent = value.elementsEqual("EVENT".utf8)
        } else if text.value(of: "#EXT-X-ENDLIST", in: line) != nil {
            isFinished = true
        } else if let value = text.value(of: "#EXT-X-START", in: line) {
            preferredStart = (PlaylistText.attributes(value)["TIME-OFFSET"]?.utf8).flatMap { PlaylistText.seconds($0) }
        } else if text.value(of: "#EXT-X-I-FRAMES-ONLY", in: line) != nil {
            throw MediaError(.notMedia, "its playlist contains only key frames")
        }
    }

    /// `n[@o]`: n bytes from offset o on. Refuses empty ranges and those that would overflow.
    private static func range(_ text: some Collection<UInt8>) -> (length: Int64, offset: Int64?)? {
        let parts = text.split(separator: UInt8(ascii: "@"), maxSplits: 1)
        guard let first = parts.first, let length = PlaylistText.number(first), length > 0 else { return nil }
        let offset = parts.count > 1 ? PlaylistText.number(parts[1]) : nil
        if let offset, offset.addingReportingOverflow(length).overflow { return nil }
        return (length, offset)
    }

    /// The index in `keys` of a key tag (4.3.2.4); nil for no encryption.
    private mutating func key(_ attributes: [String: String]) throws(MediaError) -> Int? {
        let method = attributes["METHOD"] ?? "NONE"
        if method == "NONE" { return nil }
        guard method == "AES-128", attributes["KEYFORMAT"] ?? "identity" == "identity", let uri = attributes["URI"]
        else { throw Encryption.error(scheme: method.prefix(20)) }
        keys.append(Key(uri: uri, vector: attributes["IV"].flatMap { MediaPlaylist.vector($0) }))
        return keys.count - 1
    }

    /// 16 bytes from "0x" and hexadecimal digits; missing ones are leading zeros.
    private static func vector(_ text: String) -> [UInt8]? {
        let digits = text.utf8.dropFirst(2)
        guard text.hasPrefix("0x") || text.hasPrefix("0X"), (1...32).contains(digits.count) else { return nil }
        var vector = [UInt8](repeating: 0, count: 16)
        for (index, digit) in digits.reversed().enumerated() {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            vector[15 - index / 2] |= UInt8(value) << (index % 2 == 0 ? 0 : 4)
        }
        return vector
    }

    // MARK: Resources

    /// The bytes of a segment; nil if its URL is invalid.
    func piece(of segment: Segment) -> Piece? {
        URLReference.resolve(text.bytes[segment.uri], against: base).flatMap { url in
            cipher(segment.key, sequence: segment.sequence).map {
                Piece(url: url, offset: segment.offset, length: segment.length, cipher: $0)
            }
        }
    }

    /// The header of a segment, which says how it is coded; nil for a segment without one.
    func map(of segment: Segment) throws(MediaError) -> Piece? {
        guard let index = segment.map else { return nil }
        let map = maps[index]
        guard let url = URLReference.resolve(map.uri.utf8, against: base), let cipher = cipher(map.key, sequence: 0)
        else { throw MediaError(.notMedia, "its playlist has an invalid byte range") }
        return Piece(url: url, offset: map.offset, length: map.length, cipher: cipher)
    }

    /// `.some(nil)` means no encryption; nil means that the key's URL is invalid.
    private func cipher(_ index: Int?, sequence: Int64) -> Cipher?? {
        guard let index else { return .some(nil) }
        guard let url = URLReference.resolve(keys[index].uri.utf8, against: base) else { return nil }
        // Without a vector, the big-endian sequence number of the segment is used (5.2).
        let numbered = (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: sequence >> (8 * (15 - $0))) }
        return Cipher(keyURL: url, vector: keys[index].vector ?? numbered)
    }

    /// Identifies a segment's header by its URL and range; empty without one.
    func mapName(of segment: Segment) -> String {
        segment.map.map { "\(maps[$0].uri) \(maps[$0].offset) \(maps[$0].length)" } ?? ""
    }

    /// The index in `segments` of the one that plays at `time`, counted from the first one's start; the last one beyond
    /// the end. There must be segments.
    func index(at time: Microseconds) -> Int {
        var (low, high) = (0, segments.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if segments[middle].start <= time { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
