import Model

/// Several lists one after the other, in an order of its own, cut at a length. Four bytes an item on top of the lists.
struct ArrangedList: ItemList {
    private let parts: [any ItemList]
    /// Where each part ends.
    private let ends: [Int]
    /// Which of all items stands where; nil: as they are.
    private var order: [UInt32]?
    let count: Int

    init(_ parts: [any ItemList], shuffle seed: UInt64?, limit: Int?) {
        self.parts = parts
        var total = 0
        ends = parts.map { part in
            total += part.count
            return total
        }
        if let seed {
            var generator = SplitMix64(state: seed)
            order = Array(0..<UInt32(clamping: total)).shuffled(using: &generator)
        }
        count = min(total, max(0, limit ?? total))
    }

    subscript(index: Int) -> Item {
        precondition(index >= 0 && index < count, "item \(index) of \(count)")
        let place = order.map { Int($0[index]) } ?? index
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
