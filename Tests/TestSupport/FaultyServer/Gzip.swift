/// Just enough of gzip (RFC 1952) and deflate (RFC 1951) to send it.
enum Gzip {
    fileprivate static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    /// The first `count` bytes of an endless compressed file of zeros. With the fixed codes (3.2.6) 258 zeros take 13
    /// bits: 8 for the length, 5 for the distance 1.
    static func bomb(_ count: Int) -> [UInt8] {
        var file = head
        var (bits, filled) = (UInt32(0), 0)
        // The leftmost bit of `code` comes first.
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
        // A block with fixed codes that is not the last one, and one zero to repeat.
        put(0b010, 3)
        put(0b0011_0000, 8)
        while file.count < count, file.count < 64 || filled != 0 { put(0b1_1000_1010_0000, 13) }
        // From this byte boundary on, the codes repeat every 13 bytes.
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

    /// A checksum (RFC 1952, 8) that continues from `sum`; begin with 0.
    fileprivate static func crc(_ bytes: some Sequence<UInt8>, after sum: UInt32) -> UInt32 {
        ~bytes.reduce(~sum) { sum, byte in table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
    }
}

/// A gzip file of stored blocks (RFC 1951, 3.2.4), made while it is read:
/// valid, but no smaller than its contents. Used by one thread.
final class StoredGzip {
    private static let blockSize: Int64 = 65_535
    private static let blockHead: Int64 = 5

    private let whole: BodyReader
    private let blocks: Int64
    /// The checksum of the bytes before `summed`.
    private var sum: UInt32 = 0
    private var summed: Int64 = 0

    init(_ whole: BodyReader) {
        self.whole = whole
        blocks = max(1, (whole.length + Self.blockSize - 1) / Self.blockSize)
    }

    var length: Int64 { trailerStart + 8 }
    private var trailerStart: Int64 { Int64(Gzip.head.count) + blocks * Self.blockHead + whole.length }

    func read(at offset: Int64, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count { bytes += part(at: offset + Int64(bytes.count), upTo: count - bytes.count) }
        return bytes
    }

    /// The bytes from `offset` to the end of the part there: the head, a block's head, a block or the trailer.
    private func part(at offset: Int64, upTo count: Int) -> ArraySlice<UInt8> {
        if offset < Gzip.head.count { return Gzip.head.dropFirst(Int(offset)).prefix(count) }
        if offset >= trailerStart {
            let trailer = Self.bytes(wholeSum()) + Self.bytes(UInt32(truncatingIfNeeded: whole.length))
            return trailer.dropFirst(Int(offset - trailerStart)).prefix(count)
        }
        let (block, place) = (offset - Int64(Gzip.head.count)).quotientAndRemainder(
            dividingBy: Self.blockHead + Self.blockSize)
        let start = block * Self.blockSize
        let size = min(Self.blockSize, whole.length - start)
        if place < Self.blockHead {
            let isLast: UInt8 = block == blocks - 1 ? 1 : 0
            let length = Self.bytes(UInt32(size) | ~UInt32(size) << 16)
            return ([isLast] + length).dropFirst(Int(place)).prefix(count)
        }
        let first = place - Self.blockHead
        return take(at: start + first, count: min(count, Int(size - first)))[...]
    }

    /// Reads bytes of the contents; adds them to the checksum if they directly follow the earlier ones.
    private func take(at offset: Int64, count: Int) -> [UInt8] {
        let bytes = whole.read(at: offset, count: count)
        if offset == summed {
            sum = Gzip.crc(bytes, after: sum)
            summed += Int64(bytes.count)
        }
        return bytes
    }

    private func wholeSum() -> UInt32 {
        // Stops at the end of a file that was cut short in the meantime.
        while summed < whole.length, !take(at: summed, count: Int(min(1 << 20, whole.length - summed))).isEmpty {}
        return sum
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
