/// Valid UTF-8 of what claims to be Unicode. Each function adds to `text` and returns how many bytes it has read: fewer
/// than there are if the last character is not complete and `isLast` is false. Pure.
package enum UnicodeText {
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// Bytes that are no UTF-8 are windows-1252.
    package static func addUTF8(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, to text: inout [UInt8]) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        /// Where bytes begin that are valid and not added yet.
        var start = 0
        var index = 0
        while index < bytes.count {
            // Mostly there is ASCII, which is seen eight bytes at a time.
            while index + 8 <= bytes.count,
                raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                index += 8
            }
            guard index < bytes.count else { break }
            switch length(bytes, at: index) {
            case .valid(let length): index += length
            case .incomplete where !isLast:
                text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                return index
            default:
                text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                text.append(
                    contentsOf: UTF8.encode(Windows1252.scalar(bytes[index])) ?? UTF8.encodedReplacementCharacter)
                index += 1
                start = index
            }
        }
        text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
        return index
    }

    private enum Length { case valid(Int), invalid, incomplete }

    /// The length of the character at `index` (RFC 3629, 4).
    private static func length(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Length {
        let (count, second): (Int, ClosedRange<UInt8>)
        switch bytes[index] {
        case 0..<0x80: return .valid(1)
        case 0xC2...0xDF: (count, second) = (2, 0x80...0xBF)
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (count, second) = (3, 0x80...0xBF)
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (count, second) = (4, 0x80...0xBF)
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: return .invalid
        }
        for offset in 1..<count {
            guard index + offset < bytes.count else { return .incomplete }
            let byte = bytes[index + offset]
            guard offset == 1 ? second.contains(byte) : byte & 0xC0 == 0x80 else { return .invalid }
        }
        return .valid(count)
    }

    package static func addUTF16(
        _ bytes: UnsafeBufferPointer<UInt8>, isBig: Bool, isLast: Bool, to text: inout [UInt8]
    ) -> Int {
        func unit(_ index: Int) -> UInt32 {
            let (first, second) = (UInt32(bytes[index]), UInt32(bytes[index + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        var index = 0
        while index + 2 <= bytes.count {
            let high = unit(index)
            if (0xD800..<0xDC00).contains(high) {
                guard index + 4 <= bytes.count else {
                    if isLast { break }
                    return index
                }
                let low = unit(index + 2)
                if (0xDC00..<0xE000).contains(low) {
                    add(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), to: &text)
                    index += 4
                    continue
                }
            }
            add(high, to: &text)
            index += 2
        }
        return isLast ? end(bytes, index, &text) : index
    }

    package static func addUTF32(
        _ bytes: UnsafeBufferPointer<UInt8>, isBig: Bool, isLast: Bool, to text: inout [UInt8]
    ) -> Int {
        var index = 0
        while index + 4 <= bytes.count {
            let value = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[index + (isBig ? $1 : 3 - $1)]) }
            add(value, to: &text)
            index += 4
        }
        return isLast ? end(bytes, index, &text) : index
    }

    /// Handles an incomplete character at the end.
    private static func end(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ text: inout [UInt8]) -> Int {
        if index < bytes.count { text += replacement }
        return bytes.count
    }

    /// Adds a character; U+FFFD if the number is not a valid scalar.
    package static func add(_ value: UInt32, to text: inout [UInt8]) {
        guard value >= 0x80 else { return text.append(UInt8(value)) }
        guard let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar) else { return text += replacement }
        text.append(contentsOf: bytes)
    }
}

/// The encoding of texts that are not UTF-8, and of those that call themselves ISO 8859-1 (WHATWG Encoding, 9.1). Pure.
package enum Windows1252 {
    /// The character of a byte. The five bytes without one are control characters of the same number.
    package static func scalar(_ byte: UInt8) -> Unicode.Scalar {
        switch byte {
        case 0x80...0x9F: special[Int(byte) - 0x80]
        default: Unicode.Scalar(byte)
        }
    }

    /// A text whose bytes all stand for themselves.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(scalar(byte)) }
        return String(text)
    }

    private static let special: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}",
        "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]
}
