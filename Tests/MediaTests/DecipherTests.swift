import Testing

@testable import Media

/// AES-128 in blocks that depend on each other, filled up as PKCS #7 says (RFC 8216, 4.3.2.4).
@Suite struct DecipherTests {
    /// "twenty bytes of text" as `openssl enc -aes-128-cbc` makes it of the key and the vector below.
    private static let sealed: [UInt8] = [
        0x9C, 0xFD, 0x3A, 0xE3, 0xE0, 0x8E, 0xE4, 0xD3, 0x09, 0x5B, 0x8F, 0x01, 0x73, 0xF7, 0xF8, 0x3B, 0xB8, 0x65,
        0x07, 0x27, 0x84, 0xF7, 0xB6, 0xF1, 0x24, 0x87, 0xB7, 0x51, 0x2B, 0x12, 0xC9, 0x48,
    ]

    private func decipher() throws -> Decipher {
        try Decipher(key: Array(0...15), vector: Array((0...15).reversed()))
    }

    @Test func paddingIsRemoved() throws {
        let text = try decipher().all(of: Self.sealed)
        #expect(String(decoding: text, as: UTF8.self) == "twenty bytes of text")
    }

    @Test(arguments: [1, 7, 16, 31]) func bytesMayComeInPiecesOfAnySize(size: Int) throws {
        let decipher = try decipher()
        var text: [UInt8] = []
        func read() {
            var buffer = [UInt8](repeating: 0, count: 5)
            while !decipher.isEmpty {
                let count = buffer.withUnsafeMutableBufferPointer { decipher.read(into: $0) }
                text += buffer[..<count]
            }
        }
        for start in stride(from: 0, to: Self.sealed.count, by: size) {
            decipher.push(Self.sealed[start..<min(start + size, Self.sealed.count)])
            read()
        }
        decipher.finish()
        read()
        #expect(String(decoding: text, as: UTF8.self) == "twenty bytes of text")
    }
}
