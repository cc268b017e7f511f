/// Text as it is compared in a search: without case, diacritics and points; wide and narrow forms alike. Pure.
public enum LetterFold {
    /// Letters that stand for two.
    private static let ligatures: [UInt32: [UInt8]] = [
        0xDF: Array("ss".utf8), 0x1E9E: Array("ss".utf8), 0xE6: Array("ae".utf8), 0xC6: Array("ae".utf8),
        0x153: Array("oe".utf8), 0x152: Array("oe".utf8), 0xFB01: Array("fi".utf8), 0xFB02: Array("fl".utf8),
    ]

    private static let plain: [UInt32: UInt32] = {
        var plain: [UInt32: UInt32] = [:]
        for group in groups.description.unicodeScalars.split(separator: " ") {
            guard let first = group.first else { continue }
            for letter in group.dropFirst() { plain[letter.value] = first.value }
        }
        return plain
    }()

    /// Appends a text, folded, as UTF-8.
    ///
    /// - Parameter limit: scalars of `text` that count.
    public static func append(_ text: String, limit: Int, to bytes: inout [UInt8]) {
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar.value {
            case 0x41...0x5A: bytes.append(UInt8(scalar.value) | 0x20)
            case ..<0x80: bytes.append(UInt8(scalar.value))
            default: append(scalar, to: &bytes)
            }
        }
    }

    private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        if let letters = ligatures[scalar.value] {
            bytes += letters
        } else if let letter = plain[scalar.value].flatMap(Unicode.Scalar.init) {
            bytes += UTF8.encode(letter).map(Array.init) ?? []
        } else if !marks.contains(where: { $0.contains(scalar.value) }) {
            bytes += UTF8.encode(scalar).map(Array.init) ?? []
        }
    }

    /// The words of a text, folded.
    public static func words(_ text: String) -> [[UInt8]] {
        text.split(whereSeparator: \.isWhitespace).map { word in
            var bytes: [UInt8] = []
            append(String(word), limit: 200, to: &bytes)
            return bytes
        }.filter { !$0.isEmpty }
    }
}
