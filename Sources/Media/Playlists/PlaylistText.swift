import Model
import Wire

/// Splits a playlist's text into lines (RFC 8216, 4.1). Pure; the text is not trusted. Lines are ranges of `bytes`,
/// because there can be hundreds of thousands.
struct PlaylistText {
    static let mark = "#EXTM3U"
    /// More than any playlist has.
    static let maxBytes = 8 << 20
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    let bytes: [UInt8]
    private var place: Int

    /// Whether a text that begins with these bytes is a playlist.
    static func isPlaylist(_ beginning: ArraySlice<UInt8>) -> Bool {
        beginning.starts(with: mark.utf8) || beginning.starts(with: byteOrderMark + mark.utf8)
    }

    /// nil if the bytes are not a playlist.
    init?(_ bytes: [UInt8]) {
        guard PlaylistText.isPlaylist(bytes[...]), bytes.count <= PlaylistText.maxBytes else { return nil }
        self.bytes = bytes
        place = bytes.starts(with: PlaylistText.byteOrderMark) ? 3 : 0
    }

    /// The next line that is not empty, without surrounding white space.
    mutating func nextLine() -> Range<Int>? {
        while place < bytes.count {
            let start = place
            let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            place = end + 1
            var line = start..<end
            while let last = line.last, isBlank(bytes[last]) { line = line.lowerBound..<last }
            while let first = line.first, isBlank(bytes[first]) { line = first + 1..<line.upperBound }
            if !line.isEmpty { return line }
        }
        return nil
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// The text after the colon of a tag; nil if the line is not that tag.
    func value(of tag: StaticString, in line: Range<Int>) -> ArraySlice<UInt8>? {
        let name = UnsafeBufferPointer(start: tag.utf8Start, count: tag.utf8CodeUnitCount)
        guard bytes[line].starts(with: name) else { return nil }
        let rest = bytes[line].dropFirst(name.count)
        if rest.isEmpty { return rest }
        return rest.first == UInt8(ascii: ":") ? rest.dropFirst() : nil
    }

    // MARK: Values

    /// A whole number (RFC 8216, 4.2: decimal-integer); nil if it is invalid or too large.
    static func number(_ text: some Collection<UInt8>) -> Int64? {
        guard !text.isEmpty else { return nil }
        var number: Int64 = 0
        for byte in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (tenfold, tooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, stillTooLarge) = tenfold.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            if tooLarge || stillTooLarge { return nil }
            number = sum
        }
        return number
    }

    /// A decimal number of seconds in microseconds, at most a day in both directions. Ignores what follows the number.
    static func seconds(_ text: some Collection<UInt8>) -> Microseconds? {
        let isNegative = text.first == UInt8(ascii: "-")
        var time: Microseconds = 0
        var unit: Microseconds = 0
        var digits = 0
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            if byte == UInt8(ascii: "."), unit == 0 {
                unit = 1_000_000
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            digits += 1
            let digit = Microseconds(byte - UInt8(ascii: "0"))
            if unit == 0 {
                time = min(time * 10 + digit * 1_000_000, 86_400_000_000)
            } else {
                unit /= 10
                time += digit * unit
                // Ignores digits beyond microseconds.
                if unit == 1 { break }
            }
        }
        guard digits > 0 else { return nil }
        return isNegative ? -time : time
    }

    /// The attributes of a tag (RFC 8216, 4.2): NAME=value. A quoted value can contain commas.
    static func attributes(_ text: ArraySlice<UInt8>) -> [String: String] {
        var found: [String: String] = [:]
        var rest = text
        while !rest.isEmpty, found.count < 64 {
            let name = rest.prefix { $0 != UInt8(ascii: "=") }
            rest = rest.dropFirst(name.count + 1)
            let value: ArraySlice<UInt8>
            if rest.first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                value = rest.prefix { $0 != UInt8(ascii: "\"") }
                rest = rest.dropFirst(value.count + 1)
                rest = rest.drop { $0 != UInt8(ascii: ",") }.dropFirst()
            } else {
                value = rest.prefix { $0 != UInt8(ascii: ",") }
                rest = rest.dropFirst(value.count + 1)
            }
            let key = name.filter { $0 != 0x20 }
            if !key.isEmpty { found[String(decoding: key, as: UTF8.self)] = String(decoding: value, as: UTF8.self) }
        }
        return found
    }
}

/// Resolves references in playlists (RFC 3986, section 5). Pure; both texts are not trusted.
///
/// Any scheme is accepted: flick decides what may be opened.
enum URLReference {
    /// The absolute URL of `reference` in a text from `base`, without its fragment, which is never sent; nil if it is
    /// invalid, or too long for a message to flick.
    static func resolve(_ reference: some Collection<UInt8>, against base: String) -> String? {
        guard !reference.isEmpty, reference.count <= WireLimit.text, base.utf8.count <= WireLimit.text,
            let base = URLParts(base, shortestScheme: 1),
            var url = URLParts(escaped(reference), shortestScheme: 1)?.resolved(against: base)
        else { return nil }
        url.fragment = nil
        let text = url.text
        return text.utf8.count <= WireLimit.text ? text : nil
    }

    /// Percent-encodes bytes that no URL may contain: playlists are written by hand.
    private static func escaped(_ text: some Collection<UInt8>) -> String {
        var clean: [UInt8] = []
        for byte in text {
            if byte > 0x20, byte < 0x7F, !"\"<>\\^`{|}".utf8.contains(byte) {
                clean.append(byte)
            } else {
                clean += [UInt8(ascii: "%"), FileURL.hex(byte >> 4), FileURL.hex(byte & 15)]
            }
        }
        return String(decoding: clean, as: UTF8.self)
    }
}
