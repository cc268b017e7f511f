/// XXH64 with seed 0 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md). Finds half-written and damaged bytes at the
/// speed of memory. It does not protect against manipulated bytes; `Sealing` does.
enum Checksum {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let size = bytes.count
        var offset = 0
        var hash: UInt64
        if size >= 32 {
            // Four independent sums, each of every fourth word.
            var (a, b) = (prime1 &+ prime2, prime2)
            var (c, d) = (UInt64(0), 0 &- prime1)
            while offset &+ 32 <= size {
                a = mixed(a, word(bytes, offset))
                b = mixed(b, word(bytes, offset &+ 8))
                c = mixed(c, word(bytes, offset &+ 16))
                d = mixed(d, word(bytes, offset &+ 24))
                offset &+= 32
            }
            hash = rotated(a, 1) &+ rotated(b, 7) &+ rotated(c, 12) &+ rotated(d, 18)
            for sum in [a, b, c, d] { hash = (hash ^ mixed(0, sum)) &* prime1 &+ prime4 }
        } else {
            hash = prime5
        }
        hash &+= UInt64(size)
        while offset + 8 <= size {
            hash = rotated(hash ^ mixed(0, word(bytes, offset)), 27) &* prime1 &+ prime4
            offset += 8
        }
        if offset + 4 <= size {
            let half = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            hash = rotated(hash ^ half &* prime1, 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < size {
            hash = rotated(hash ^ UInt64(bytes[offset]) &* prime5, 11) &* prime1
            offset += 1
        }
        hash = (hash ^ hash >> 33) &* prime2
        hash = (hash ^ hash >> 29) &* prime3
        return hash ^ hash >> 32
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func mixed(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        rotated(sum &+ word &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word &<< bits | word &>> (64 &- bits) }
}
