import Model
import Platform

/// Several lists one after the other, in a new order and cut to a limit. Needs four bytes for each item besides the
/// lists. A value.
struct ArrangedList: ItemList {
    private var parts: [any ItemList]
    /// How often each part has its turn in a mix.
    private var weights: [Double]
    /// Where each part ends.
    private var ends: [Int]
    /// For each place the number of its item; empty if the order is unchanged.
    private var order: [UInt32] = []
    private var generator: SplitMix64?
    private let sorting: FeedOptions.Order?
    private let mix: FeedOptions.Mix?
    private let limit: Int?
    /// Until parts join: the most items. nil for all.
    private var begun: Int?
    /// How many items of the parts are in `order`, or left out of it.
    private var arranged = 0
    private(set) var count = 0

    /// A shuffle overrides a sort order, and that a mix. Blocks if it needs the modification times of files.
    ///
    /// - Parameter begun: of a mix, how many items to begin with, as further parts will join; nil if none will.
    init(
        _ parts: [any ItemList], shuffle seed: UInt64?, order sorting: FeedOptions.Order? = nil,
        mix: FeedOptions.Mix? = nil, weights: [Double]? = nil, limit: Int?, begun: Int? = nil
    ) {
        self.parts = parts
        self.weights = weights ?? parts.map { _ in 1 }
        self.sorting = sorting
        self.mix = mix
        self.limit = limit
        self.begun = begun
        var total = 0
        ends = parts.map { part in
            total += part.count
            return total
        }
        generator = seed.map { SplitMix64(state: $0) }
        arrange(total)
    }

    /// Whether it has reached its limit.
    var isFull: Bool { limit.map { count >= $0 } ?? false }

    /// Replaces its last part by a longer list that begins with the same items. Those keep their places; only the new
    /// ones are shuffled or sorted.
    mutating func replaceLast(with part: any ItemList) {
        parts.removeLast()
        ends.removeLast()
        append(part, weight: weights.removeLast())
    }

    /// Adds a part at the end. Existing items keep their places; only the new ones are shuffled or sorted.
    mutating func append(_ part: any ItemList, weight: Double = 1) {
        let total = (ends.last ?? 0) + part.count
        parts.append(part)
        weights.append(weight)
        ends.append(total)
        arrange(total)
    }

    /// Adds parts to a mix. Existing items keep their places; all others, which `begun` held back too, are mixed with
    /// those of the parts. Blocks while it asks which were seen.
    mutating func join(_ new: [any ItemList], weights: [Double]) {
        self.weights += weights
        for part in new {
            parts.append(part)
            ends.append((ends.last ?? 0) + part.count)
        }
        begun = nil
        if let mix { order = mixed(mix, after: Array(order.prefix(count))) }
        arranged = ends.last ?? 0
        count = min(order.count, max(0, limit ?? order.count))
    }

    private mutating func arrange(_ total: Int) {
        let new = UInt32(arranged)..<max(UInt32(clamping: total), UInt32(arranged))
        if var generator {
            order += new.shuffled(using: &generator)
            self.generator = generator
        } else if let sorting {
            order += sorted(new, by: sorting)
        } else if let mix {
            order += arranged == 0 ? mixed(mix, after: []) : Array(new)
        }
        arranged = Int(new.upperBound)
        let all = order.isEmpty ? total : order.count
        count = min(all, max(0, limit ?? all), begun ?? all)
    }

    /// The numbers of all items, in turn from part to part, after those that have their places already.
    private func mixed(_ mix: FeedOptions.Mix, after placed: [UInt32]) -> [UInt32] {
        func number(_ part: Int, _ index: Int) -> UInt32 { UInt32((part == 0 ? 0 : ends[part - 1]) + index) }
        let places = placed.map { number in
            let part = part(of: Int(number))
            return FeedMix.Place(source: part, index: Int(number) - (part == 0 ? 0 : ends[part - 1]))
        }
        let first =
            placed
            + FeedMix.order(
                FeedMix.facts(of: parts, seen: mix.seen), isByDate: mix.order == .newest, weights: weights,
                after: places
            ).map { number($0.source, $0.index) }
        let longest = parts.map(\.count).max() ?? 0
        guard longest > FeedMix.reach else { return first }
        let known = Set(placed)
        return first
            + (FeedMix.reach..<longest).flatMap { index in
                parts.indices.filter { index < parts[$0].count }.map { number($0, index) }
                    .filter { !known.contains($0) }
            }
    }

    /// A stable sort: equal items keep their order.
    private func sorted(_ new: Range<UInt32>, by sorting: FeedOptions.Order) -> [UInt32] {
        switch sorting {
        case .name:
            let names = new.map { number in
                let (part, index) = place(of: Int(number))
                return SortKey.name(part, index)
            }
            return new.sorted { one, other in
                let (left, right) = (names[Int(one - new.lowerBound)], names[Int(other - new.lowerBound)])
                return left == right ? one < other : isBefore(left, right)
            }
        case .newest, .oldest:
            let times = new.map { number in
                let (part, index) = place(of: Int(number))
                return SortKey.time(part, index)
            }
            return new.sorted { one, other in
                let (left, right) = (times[Int(one - new.lowerBound)], times[Int(other - new.lowerBound)])
                guard left != right else { return one < other }
                guard let left, let right else { return left != nil }
                return sorting == .newest ? left > right : left < right
            }
        }
    }

    private func isBefore(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { NaturalOrder.isBefore(left, $0) } }
    }

    /// Finds the part that contains an item, by the item's number across all parts.
    private func place(of number: Int) -> (part: any ItemList, index: Int) {
        let part = part(of: number)
        return (parts[part], number - (part == 0 ? 0 : ends[part - 1]))
    }

    // There are few parts, mostly one. `number` is less than the last end, which is the total.
    private func part(of number: Int) -> Int { ends.firstIndex { number < $0 }! }

    subscript(index: Int) -> Item {
        precondition(index >= 0 && index < count, "item \(index) of \(count)")
        let place = place(of: order.isEmpty ? index : Int(order[index]))
        return place.part[place.index]
    }

    func id(at index: Int) -> Item.ID {
        let place = place(of: order.isEmpty ? index : Int(order[index]))
        return place.part.id(at: place.index)
    }
}
