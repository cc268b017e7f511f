import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Dates in the many ways in which feeds write them: RFC 822 and 2822, W3CDTF, ISO 8601, asctime, with slashes and
/// dots, in the languages of `DateNames`; with and without time and zone. Ambiguous dates are not dates. Pure.
enum FeedDate {
    /// The most bytes of a date.
    static let limit = 100

    /// nil for what is no date, and for years that no clip is of. Without a zone it is UTC.
    static func date(from text: String) -> Date? {
        guard text.utf8.count <= limit else { return nil }
        var folded: [UInt8] = []
        LetterFold.append(text, limit: limit, to: &folded)
        if folded.contains(where: { $0 >= 0x80 }) {
            folded = Array(EastAsianDate.plain(String(decoding: folded, as: UTF8.self)).utf8)
        }
        var reader = DateReader()
        for word in words(folded) {
            guard reader.read(word) else { return nil }
        }
        return reader.seconds.map { Date(timeIntervalSince1970: $0) }
    }

    /// The words, which blanks, commas and brackets part. The `T` before a time parts them, too.
    private static func words(_ bytes: [UInt8]) -> [[UInt8]] {
        var words: [[UInt8]] = [[]]
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0...0x20, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "("), UInt8(ascii: ")"):
                words.append([])
            case UInt8(ascii: "t")
            where index > 0 && isDigit(bytes[index - 1]) && index + 1 < bytes.count && isDigit(bytes[index + 1]):
                // "T" is a separate word, so that bare digits behind it are a time: "20031231T101455".
                words += [[byte], []]
            default: words[words.count - 1].append(byte)
            }
        }
        return joined(words.filter { !$0.isEmpty })
    }

    /// With the parts of one date or word together: "6. 2. 2024", "2024. 3. 12.", "p. m.".
    private static func joined(_ words: [[UInt8]]) -> [[UInt8]] {
        let dot = UInt8(ascii: ".")
        var joined: [[UInt8]] = []
        for word in words {
            let before = joined.last ?? []
            let isNumber = isDigit(word[0]) && word.allSatisfy { isDigit($0) || $0 == dot }
            let followsNumber =
                before.last == dot && isDigit(before[0]) && before.allSatisfy { isDigit($0) || $0 == dot }
            let isHalf =
                word.first == UInt8(ascii: "m") && word.count <= 2 && (before == [0x61, dot] || before == [0x70, dot])
            if isNumber && followsNumber || isHalf {
                joined[joined.count - 1] += word
            } else {
                joined.append(word)
            }
        }
        return joined.map { word in
            // "6." is the sixth, and "Okt." is short for October.
            let bare = word.allSatisfy(isDigit) ? word : word.last == dot ? Array(word.dropLast()) : word
            return isDigit(word[0]) ? bare : bare.contains(where: isDigit) ? bare : bare.filter { $0 != dot }
        }.filter { !$0.isEmpty }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
