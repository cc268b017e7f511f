import Platform

/// Computed bytes: a file of any length that needs no memory, and whose readers
/// can all check that they got the right bytes.
public enum PatternBytes {
    /// Fills `buffer` with the pattern `seed`, from `offset` (not negative) on.
    public static func fill(_ buffer: UnsafeMutableRawBufferPointer, seed: UInt64, at offset: Int64) {
        var index = 0
        while index < buffer.count {
            let place = UInt64(offset) &+ UInt64(index)
            let word = self.word(place / 8, seed: seed).littleEndian
            if place % 8 == 0, index + 8 <= buffer.count {
                buffer.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
                index += 8
            } else {
                buffer[index] = UInt8(truncatingIfNeeded: word >> (place % 8 * 8))
                index += 1
            }
        }
    }

    /// `count` bytes of the pattern from `offset` on.
    public static func bytes(seed: UInt64, at offset: Int64, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            fill(UnsafeMutableRawBufferPointer(buffer), seed: seed, at: offset)
            initialized = count
        }
    }

    /// Whether `buffer` equals the pattern from `offset` on.
    public static func matches(_ buffer: UnsafeRawBufferPointer, seed: UInt64, at offset: Int64) -> Bool {
        var expected = [UInt8](repeating: 0, count: min(buffer.count, 1 << 16))
        var index = 0
        while index < buffer.count {
            let count = min(expected.count, buffer.count - index)
            let isSame = expected.withUnsafeMutableBytes { expected in
                fill(UnsafeMutableRawBufferPointer(rebasing: expected[..<count]), seed: seed, at: offset + Int64(index))
                // Neither buffer is empty, so both have an address.
                return memcmp(expected.baseAddress!, buffer.baseAddress! + index, count) == 0
            }
            if !isSame { return false }
            index += count
        }
        return true
    }

    /// Any word of the pattern, computed independently.
    static func word(_ index: UInt64, seed: UInt64) -> UInt64 {
        SeededRandom.mix(seed &+ (index &+ 1) &* SeededRandom.step)
    }
}
