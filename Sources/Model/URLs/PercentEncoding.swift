/// Percent-encoding of URLs and their parts (RFC 3986, 2.1–2.4). Pure.
package enum PercentEncoding {
    /// A path or query with everything encoded that RFC 3986 does not allow in it, including stray percent signs.
    package static func encoded(_ text: String) -> String {
        if text.utf8.allSatisfy(isAllowed) { return text }
        return rewritten(text) { byte, isEncoded in isEncoded || !isAllowed(byte) ? .encoded : .plain }
    }

    /// The normal form of all equivalent paths or queries (6.2.2): unreserved characters are not encoded, and the
    /// digits of other encodings are capitals.
    package static func canonical(_ text: String) -> String {
        rewritten(text) { byte, isEncoded in
            isEncoded ? isUnreserved(byte) ? .plain : .encoded : isAllowed(byte) ? .plain : .encoded
        }
    }

    /// A whole URL or reference with only those bytes encoded that no URL contains: spaces, control characters, bytes
    /// beyond ASCII and stray percent signs. What is encoded already is unchanged.
    package static func repaired(_ text: String) -> String {
        // Most need nothing, and a feed may have very many.
        if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") }) { return text }
        return rewritten(text) { byte, isEncoded in
            if isEncoded { return .unchanged }
            return byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "%") ? .encoded : .plain
        }
    }

    /// A text as one segment of a path, or as a value in a query: all but
    /// unreserved characters is encoded, percent signs too.
    package static func component(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            result +=
                isUnreserved(byte) ? [byte] : [UInt8(ascii: "%"), FileURL.hex(byte >> 4), FileURL.hex(byte & 15)]
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The bytes of a file's path as the path of a URL: all but unreserved characters and slashes is encoded.
    package static func path(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if FileURL.isPlain(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), FileURL.hex(byte >> 4), FileURL.hex(byte & 15)]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A part of a URL without percent-encoding, even if it was encoded twice
    /// or three times. Invalid UTF-8 becomes U+FFFD.
    package static func fullyDecoded(_ text: some StringProtocol) -> String {
        var text = String(text)
        for _ in 0..<3 where text.utf8.contains(UInt8(ascii: "%")) {
            text = String(decoding: FileURL.percentDecoded(text), as: UTF8.self)
        }
        return text
    }

    private enum Form { case plain, encoded, unchanged }

    /// - Parameter form: how to write a byte, given the byte and whether it was encoded.
    private static func rewritten(_ text: String, form: (UInt8, Bool) -> Form) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            var byte = bytes[index]
            var length = 1
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count, let high = FileURL.digit(bytes[index + 1]),
                let low = FileURL.digit(bytes[index + 2])
            {
                byte = high << 4 | low
                length = 3
            }
            switch form(byte, length == 3) {
            case .plain: result.append(byte)
            case .encoded: result += [UInt8(ascii: "%"), FileURL.hex(byte >> 4), FileURL.hex(byte & 15)]
            case .unchanged: result += bytes[index..<index + length]
            }
            index += length
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool { FileURL.isPlain(byte) && byte != UInt8(ascii: "/") }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "?"):
            true
        default: FileURL.isPlain(byte)
        }
    }
}
