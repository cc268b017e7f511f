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
