/// What is done to a file's bytes so that it is no longer what it says. Pure: the same random numbers do the same.
public enum Damage: String, CaseIterable, Sendable {
    /// Up to 64 bits are flipped.
    case flipped
    /// The end is missing.
    case cut
    /// Some hundred bytes are noise.
    case noise
    /// Some thousand bytes are zero, as where a download has a hole.
    case hole
    /// Four bytes that may be a length are 0, almost the highest number, or a little off.
    case length
    /// Two boxes of an MP4 that lie beside each other have changed places; in other files two blocks.
    case swapped
    /// A block comes twice.
    case doubled
    /// A block is missing.
    case removed

    /// A damaged copy of `bytes`; of fewer than 16 the same.
    public func apply(to bytes: [UInt8], using random: inout SeededRandom) -> [UInt8] {
        guard bytes.count >= 16 else { return bytes }
        var bytes = bytes
        let region = Damage.region(of: bytes.count, using: &random)
        switch self {
        case .flipped:
            for _ in 0..<Int.random(in: 1...64, using: &random) {
                bytes[Int.random(in: region, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        case .cut: bytes.removeLast(bytes.count - Int.random(in: region, using: &random))
        case .noise:
            for index in Damage.block(in: region, most: 512, using: &random) {
                bytes[index] = .random(in: 0...255, using: &random)
            }
        case .hole: for index in Damage.block(in: region, most: 8_192, using: &random) { bytes[index] = 0 }
        case .length:
            let at = min(Int.random(in: region, using: &random), bytes.count - 4)
            let number = bytes[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let changed = [0, 1, 0x7FFF_FFFF, 0xFFFF_FFF0, number &+ 1, number &- 1, number << 8]
            let new = changed[Int.random(in: changed.indices, using: &random)]
            for index in 0..<4 { bytes[at + index] = UInt8(truncatingIfNeeded: new >> (24 - 8 * index)) }
        case .swapped:
            let (first, second) = Damage.neighbours(in: bytes, using: &random)
            bytes.replaceSubrange(first.lowerBound..<second.upperBound, with: bytes[second] + bytes[first])
        case .doubled:
            let block = Damage.block(in: region, most: 4_096, using: &random)
            bytes.insert(contentsOf: bytes[block], at: block.upperBound)
        case .removed: bytes.removeSubrange(Damage.block(in: region, most: 4_096, using: &random))
        }
        return bytes
    }

    /// Where to do it. Headers and indices lie at the ends of a file, most pictures between them.
    private static func region(of count: Int, using random: inout SeededRandom) -> Range<Int> {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: 0..<min(count, 256)
        case 1: 0..<min(count, 4_096)
        case 2: max(0, count - 4_096)..<count
        default: 0..<count
        }
    }

    private static func block(in region: Range<Int>, most: Int, using random: inout SeededRandom) -> Range<Int> {
        let start = Int.random(in: region, using: &random)
        return start..<min(start + .random(in: 1...most, using: &random), region.upperBound)
    }

    private static func neighbours(
        in bytes: [UInt8], using random: inout SeededRandom
    ) -> (Range<Int>, Range<Int>) {
        let boxes = Boxes.neighbours(in: bytes)
        if !boxes.isEmpty { return boxes[Int.random(in: boxes.indices, using: &random)] }
        // Whole packets, if these are the packets of a transport stream.
        let unit = bytes[0] == 0x47 && bytes.count >= 752 ? 188 : 1
        let length = unit * Int.random(in: 1...max(1, min(bytes.count / 2 / unit, 4_096 / unit)), using: &random)
        let start = unit * Int.random(in: 0...(bytes.count - 2 * length) / unit, using: &random)
        return (start..<start + length, start + length..<start + 2 * length)
    }
}

/// The boxes of an MP4 (ISO 14496-12, 4.2).
enum Boxes {
    private static let containers: Set = [
        "moov", "trak", "mdia", "minf", "stbl", "moof", "traf", "edts", "mvex", "udta",
    ]

    /// All pairs of boxes that follow each other in the same box; empty if this is no MP4.
    static func neighbours(in bytes: [UInt8]) -> [(Range<Int>, Range<Int>)] {
        guard bytes.count > 12, name(at: 0, of: bytes) == "ftyp" else { return [] }
        return neighbours(in: bytes, 0..<bytes.count)
    }

    private static func neighbours(in bytes: [UInt8], _ range: Range<Int>) -> [(Range<Int>, Range<Int>)] {
        var pairs: [(Range<Int>, Range<Int>)] = []
        var last: Range<Int>?
        var start = range.lowerBound
        while start + 8 <= range.upperBound {
            let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length >= 8, start + length <= range.upperBound else { break }
            let box = start..<start + length
            if let last { pairs.append((last, box)) }
            if containers.contains(name(at: start, of: bytes)) {
                pairs += neighbours(in: bytes, start + 8..<box.upperBound)
            }
            last = box
            start = box.upperBound
        }
        return pairs
    }

    private static func name(at start: Int, of bytes: [UInt8]) -> String {
        String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)
    }
}
