internal import CCharset
import Model

/// Texts that do not say which encoding they have: subtitles, playlists, files beside clips. Any thread.
package enum TextEncoding {
    /// How much of a longer text is examined, in bytes.
    package static let sampleSize = 1 << 16
    /// With fewer non-ASCII bytes, encodings cannot be distinguished.
    private static let least = 6
    /// Rare European encodings need more.
    private static let minForRare = 24

    /// The name that iconv has for the encoding of a text; nil for UTF-8, for UTF-16 with a byte order mark, and where
    /// it is not known: then it is windows-1252. The first call loads uchardet, which takes a millisecond.
    package static func detect(_ text: some Collection<UInt8>) -> String? {
        let sample = Array(text.prefix(sampleSize))
        guard !isUnicode(sample) else { return nil }
        let high = sample.count { $0 >= 0x80 }
        guard high >= least else { return nil }
        var name = [CChar](repeating: 0, count: 64)
        let result = sample.withUnsafeBytes { bytes in
            flick_charset_detect(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, &name, name.count)
        }
        guard result == 0 else { return nil }
        let found = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return encoding(found, of: sample, isLong: high >= minForRare)
    }

    /// A text in UTF-8. What is Unicode stays as it is, with its mark.
    ///
    /// - Parameter charset: the encoding of texts that are not Unicode; nil: it is detected.
    package static func utf8(_ text: [UInt8], charset: String? = nil) -> [UInt8] {
        guard !isUnicode(text), let name = charset ?? detect(text), let converter = CharsetConverter(name) else {
            return text
        }
        var converted: [UInt8] = []
        converter.add(text, isLast: true, to: &converted)
        return converted
    }

    /// Whether a text is UTF-8, or says that it is UTF-16. The last character of a sample may be cut off.
    private static func isUnicode(_ text: [UInt8]) -> Bool {
        if text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) { return true }
        if text.allSatisfy({ $0 < 0x80 }) || String(validating: text, as: UTF8.self) != nil { return true }
        let last = text.suffix(3).lastIndex { $0 >= 0xC0 } ?? text.endIndex
        return last < text.endIndex && text.count >= sampleSize
            && String(validating: text[..<last], as: UTF8.self) != nil
    }

    /// The superset of an encoding that texts use in practice (WHATWG, Encoding Standard, 4.2).
    private static func encoding(_ found: String, of sample: [UInt8], isLong: Bool) -> String? {
        // Windows code pages have letters and marks where ISO ones have control characters.
        let isOfWindows = sample.contains { (0x80..<0xA0).contains($0) }
        switch found.uppercased() {
        case "GB18030", "GBK", "GB2312", "HZ-GB-2312": return "GB18030"
        case "BIG5": return "BIG5-HKSCS"
        case "SHIFT_JIS": return "CP932"
        case "UHC", "EUC-KR", "JOHAB": return "CP949"
        case "TIS-620", "ISO-8859-11": return "CP874"
        case "ISO-8859-9": return "CP1254"
        case "ISO-8859-2" where isOfWindows: return "CP1250"
        case "ISO-8859-7" where isOfWindows: return "CP1253"
        case "ISO-8859-8", "ISO-8859-8-I": return "CP1255"
        case let name where commonplace.contains(name): return CharsetConverter.knows(name) ? name : nil
        case "", "ASCII", "UTF-8", "ISO-8859-1", "ISO-8859-15", "WINDOWS-1252": return nil
        case let name: return isLong && CharsetConverter.knows(name) ? name : nil
        }
    }

    /// Common encodings, which few bytes are enough to detect.
    private static let commonplace: Set = [
        "WINDOWS-1250", "WINDOWS-1251", "WINDOWS-1253", "WINDOWS-1255", "WINDOWS-1256", "WINDOWS-1257", "WINDOWS-1258",
        "ISO-8859-2", "ISO-8859-5", "ISO-8859-6", "ISO-8859-7", "KOI8-R", "IBM866", "EUC-JP", "EUC-TW", "ISO-2022-JP",
        "ISO-2022-KR", "ISO-2022-CN",
    ]
}
