import Model

/// Several lists one after the other, in an order of its own, cut at a length. Four bytes an item on top of the lists.
struct ArrangedList: ItemList {
    private var parts: [any ItemList]
    /// Where each part ends.
    private var ends: [Int]
    /// Which of all items stands where; empty: as they are.
    private var order: [UInt32] = []
    private var generator: SplitMix64?
    private let limit: Int?
    private(set) var count = 0

    init(_ parts: [any ItemList], shuffle seed: UInt64?, limit: Int?) {
        self.parts = parts
        self.limit = limit
        var total = 0
        ends = parts.map { part in
            total += part.count
            return total
        }
        generator = seed.map { SplitMix64(state: $0) }
        arrange(total)
    }

    /// Whether it holds as many as it may.
    var isFull: Bool { limit.map { count >= $0 } ?? false }

    /// Takes the longer list that its last part has become. What was there stays where it is; what is new is shuffled for itself.
    mutating func replaceLast(with part: any ItemList) {
        parts.removeLast()
        ends.removeLast()
        append(part)
    }

    /// Takes in a part after the others. What was there stays where it is; what is new is shuffled for itself.
    mutating func append(_ part: any ItemList) {
        let total = (ends.last ?? 0) + part.count
        parts.append(part)
        ends.append(total)
        arrange(total)
    }

    private mutating func arrange(_ total: Int) {
        count = min(total, max(0, limit ?? total))
        guard var generator else { return }
        order += (UInt32(order.count)..<max(UInt32(clamping: total), UInt32(order.count))).shuffled(using: &generator)
        self.generator = generator
    }

    subscript(index: Int) -> Item {
        precondition(index >= 0 && index < count, "item \(index) of \(count)")
        let place = order.isEmpty ? index : Int(order[index])
        // A handful of parts, mostly one.
        let part = ends.firstIndex { place < $0 }!  // `place` is less than the last end, which is the total
        return parts[part][place - (part == 0 ? 0 : ends[part - 1])]
    }
}

/// Sebastiano Vigna's SplitMix64: the same numbers from the same seed, on every system and in every version.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
