/// Just enough of gzip (RFC 1952) and deflate (RFC 1951) to send it.
enum Gzip {
    private static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    /// A whole file in stored blocks (3.2.4): real gzip, no smaller than `bytes`.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var file = head
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            let count = UInt16(end - start)
            file.append(end == bytes.count ? 1 : 0)
            file += [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
            file += [UInt8(truncatingIfNeeded: ~count), UInt8(~count >> 8)]
            file += bytes[start..<end]
            start = end
        } while start < bytes.count
        for value in [crc(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
            file += (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        return file
    }

    /// `count` bytes of a file of zeros that never ends. With the fixed codes (3.2.6) 258 zeros take 13 bits: 8 for the length, 5 for the distance 1.
    static func bomb(_ count: Int) -> [UInt8] {
        var file = head
        var (bits, filled) = (UInt32(0), 0)
        // The leftmost bit of `code` first.
        func put(_ code: UInt32, _ length: Int) {
            for shift in (0..<length).reversed() {
                bits |= (code >> shift & 1) << filled
                filled += 1
                if filled == 8 {
                    file.append(UInt8(bits))
                    (bits, filled) = (0, 0)
                }
            }
        }
        // A block of fixed codes that is not the last, and one zero to repeat.
        put(0b010, 3)
        put(0b0011_0000, 8)
        while file.count < count, file.count < 64 || filled != 0 { put(0b1_1000_1010_0000, 13) }
        // From here on, at a whole byte, the codes come round every 13 bytes.
        let round = (0..<8).reduce(into: [UInt8]()) { round, _ in
            let before = file.count
            put(0b1_1000_1010_0000, 13)
            round += file[before...]
        }
        while file.count + round.count <= count { file += round }
        return file
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
    }
}
