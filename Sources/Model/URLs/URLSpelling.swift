/// Percent-encoding of paths and queries (RFC 3986, 2.1–2.4). Pure.
package enum URLSpelling {
    /// Everything that RFC 3986 does not allow in a path or query is spelt, also a percent sign that spells nothing; the rest stays as it is.
    package static func spelt(_ text: String) -> String {
        rewritten(text) { byte, isSpelt in isSpelt || !isAllowed(byte) }
    }

    /// The one spelling of all that mean the same (6.2.2): what needs no percent sign has none, the others have capital digits.
    package static func canonical(_ text: String) -> String {
        rewritten(text) { byte, isSpelt in isSpelt ? !isUnreserved(byte) : !isAllowed(byte) }
    }

    /// - Parameter needsSpelling: of a byte, and whether it was spelt.
    private static func rewritten(_ text: String, needsSpelling: (UInt8, Bool) -> Bool) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            var byte = bytes[index]
            var isSpelt = false
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count, let high = FileURL.digit(bytes[index + 1]),
                let low = FileURL.digit(bytes[index + 2])
            {
                byte = high << 4 | low
                isSpelt = true
            }
            if needsSpelling(byte, isSpelt) {
                result += [UInt8(ascii: "%"), FileURL.hex(byte >> 4), FileURL.hex(byte & 15)]
            } else {
                result.append(byte)
            }
            index += isSpelt ? 3 : 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool { FileURL.isPlain(byte) && byte != UInt8(ascii: "/") }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        FileURL.isPlain(byte) || "!$&'()*+,;=:@?".utf8.contains(byte)
    }
}
