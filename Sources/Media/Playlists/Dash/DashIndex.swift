/// The segment index of a file, the `sidx` box (ISO 14496-12, 8.16.3). Pure; the bytes are not trusted.
struct DashIndex {
    struct Entry: Equatable {
        var offset: Int64
        var length: Int64
        /// In the index's own timescale.
        var time: Int64
        var duration: Int64
    }

    /// An index has at most 65,535 entries of twelve bytes.
    static let maxBytes = 1 << 20

    private(set) var timescale: Int64 = 1
    private(set) var entries: [Entry] = []
    /// The offset of the box in the file.
    private(set) var place: Int64

    /// The offset of the end of the last segment in the file.
    var end: Int64? { entries.last.map { $0.offset + $0.length } }

    /// Finds the index among the boxes in `bytes`, which begin at `offset` in
    /// the file; nil if there is no complete index.
    init?(_ bytes: [UInt8], at offset: Int64) {
        // So that sums of offsets cannot overflow.
        guard (0..<1 << 60).contains(offset) else { return nil }
        var rest = bytes[...]
        while true {
            var box = rest
            guard var size = DashIndex.readNumber(4, &box), let kind = DashIndex.readNumber(4, &box) else { return nil }
            if size == 1 {
                guard let large = DashIndex.readNumber(8, &box) else { return nil }
                size = large
            }
            guard size >= 8, size <= rest.count, Int(size) >= box.startIndex - rest.startIndex else { return nil }
            if kind == 0x7369_6478 {
                place = offset + Int64(rest.startIndex)
                let end = rest.startIndex + Int(size)
                guard read(bytes[box.startIndex..<end], end: offset + Int64(end)) else { return nil }
                return
            }
            rest = rest.dropFirst(Int(size))
        }
    }

    /// A big-endian number of `count` bytes; nil if there are fewer bytes, or if it is too large.
    private static func readNumber(_ count: Int, _ bytes: inout ArraySlice<UInt8>) -> Int64? {
        guard bytes.count >= count else { return nil }
        let number = bytes.prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        bytes = bytes.dropFirst(count)
        return Int64(exactly: number)
    }

    /// Offsets count from `end`, the end of the box in the file.
    private mutating func read(_ box: ArraySlice<UInt8>, end: Int64) -> Bool {
        var rest = box
        guard let version = DashIndex.readNumber(4, &rest).map({ $0 >> 24 }), DashIndex.readNumber(4, &rest) != nil,
            let timescale = DashIndex.readNumber(4, &rest), timescale > 0,
            var time = DashIndex.readNumber(version == 0 ? 4 : 8, &rest),
            let first = DashIndex.readNumber(version == 0 ? 4 : 8, &rest), let count = DashIndex.readNumber(4, &rest),
            first < 1 << 60, time < 1 << 60
        else { return false }
        self.timescale = timescale
        var offset = end + first
        // The higher half of `count` is reserved. The sums of 65,535 32-bit numbers stay far below 64 bits.
        for _ in 0..<(count & 0xFFFF) {
            guard let length = DashIndex.readNumber(4, &rest), let duration = DashIndex.readNumber(4, &rest),
                DashIndex.readNumber(4, &rest) != nil
            else { return false }
            // The highest bit marks a reference to a further index, which precedes its media: both are read together.
            let size = length & 0x7FFF_FFFF
            guard size > 0 else { continue }
            entries.append(Entry(offset: offset, length: size, time: time, duration: duration))
            offset += size
            time += duration
        }
        return !entries.isEmpty
    }
}
