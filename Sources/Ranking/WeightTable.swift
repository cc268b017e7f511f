/// What was learned of one feature. A value.
struct Weight: Sendable, Equatable {
    /// How much of a clip more (or less) is watched because of the feature.
    var mean: Float = 0
    /// How uncertain that is.
    var variance: Float
    /// The number of clips that had been watched when it was last changed.
    var at: UInt32
    /// How many of the last clips with the feature were counted, and how many of those were finished. Each new one lets
    /// the older ones count a little less.
    var count: Float = 0
    var finished: Float = 0
}

/// Weights by key, in a table of fixed size: each key has eight places in which it may be. If all are taken, the weight
/// that was not used for longest makes room, words first. So neither hostile titles nor years of use make it grow, and
/// an update never has more to do than another. A value.
struct WeightTable: Sendable, Equatable {
    private static let ways = 8
    private static let sets = 4_096
    static let capacity = sets * ways
    /// A word counts as unused for that many times longer.
    private static let wordHaste: UInt32 = 8

    /// 0 where a place is free.
    private(set) var keys = [UInt64](repeating: 0, count: capacity)
    private var weights = [Weight](repeating: Weight(variance: 0, at: 0), count: capacity)
    private(set) var count = 0

    @inline(__always)
    private static func start(of key: UInt64) -> Int { Int(truncatingIfNeeded: key >> 1) & (sets - 1) &* ways }

    subscript(key: UInt64) -> Weight? {
        let start = Self.start(of: key)
        return keys.withUnsafeBufferPointer { keys in
            for place in start..<start + Self.ways where keys[place] == key { return weights[place] }
            return nil
        }
    }

    /// - Parameter now: the number of clips watched so far.
    mutating func set(_ key: UInt64, _ weight: Weight, now: UInt32) {
        let places = Self.start(of: key)..<Self.start(of: key) + Self.ways
        var place = places.first { keys[$0] == key }
        if place == nil {
            place = places.first { keys[$0] == 0 }
            if place != nil { count += 1 }
        }
        let chosen = place ?? places.max { unused($0, now) < unused($1, now) } ?? places.lowerBound
        keys[chosen] = key
        weights[chosen] = weight
    }

    private func unused(_ place: Int, _ now: UInt32) -> UInt32 {
        let unused = now &- min(now, weights[place].at)
        guard FeatureKey.kind(of: keys[place]) == .word else { return unused }
        return unused.multipliedReportingOverflow(by: Self.wordHaste).overflow ? .max : unused * Self.wordHaste
    }

    /// All that were set, in an order that only depends on their keys and history.
    var entries: [(key: UInt64, weight: Weight)] {
        keys.indices.filter { keys[$0] != 0 }.map { (keys[$0], weights[$0]) }
    }
}
