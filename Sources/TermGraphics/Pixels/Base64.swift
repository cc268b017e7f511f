extension ByteBuffer {
    /// Appends a text as base64.
    public mutating func appendBase64(_ text: String) {
        var text = text
        text.withUTF8 { Base64.append($0, to: &self) }
    }
}

/// Bytes as the text in which terminals take them (RFC 4648 §4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Appends `bytes`, padded to a multiple of four characters.
    static func append(_ bytes: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) {
        guard let source = bytes.baseAddress else { return }
        alphabet.withUnsafeBufferPointer { alphabet in
            var out = buffer.reserve(length(of: bytes.count))
            @inline(__always)
            func put(_ group: UInt32) {
                out[0] = alphabet[Int(group >> 18)]
                out[1] = alphabet[Int(group >> 12 & 63)]
                out[2] = alphabet[Int(group >> 6 & 63)]
                out[3] = alphabet[Int(group & 63)]
                out += 4
            }
            var place = 0
            while place + 3 <= bytes.count {
                put(UInt32(source[place]) << 16 | UInt32(source[place + 1]) << 8 | UInt32(source[place + 2]))
                place += 3
            }
            let left = bytes.count - place
            if left > 0 {
                put(UInt32(source[place]) << 16 | (left == 2 ? UInt32(source[place + 1]) << 8 : 0))
                for missing in 1...3 - left { out[-missing] = UInt8(ascii: "=") }
            }
            buffer.commit(upTo: out)
        }
    }
}
