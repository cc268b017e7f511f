import Model

/// The viewers' watching, as a database sums it up: it knows items by their ids, and
/// neither their creators nor their topics. A value.
struct WatchSums: Sendable, Equatable {
    struct Sum: Sendable, Equatable {
        /// In seconds of real time.
        var watched = 0.0
        var visits = 0
        /// The sum of the shares of the clip, 0 … 1, that visits played.
        var completion = 0.0

        static func += (left: inout Sum, right: Sum) {
            left.watched += right.watched
            left.visits += right.visits
            left.completion += right.completion
        }

        fileprivate func group(_ name: String) -> Statistics.Group {
            Statistics.Group(
                name: name, watched: watched, visits: visits, completion: visits > 0 ? completion / Double(visits) : 0)
        }
    }

    /// By item.
    var items: [String: Sum] = [:]
    /// In UTC, as servers of one database may be anywhere. The oldest first.
    var days: [Statistics.Day] = []
    /// How often an item was left so early that it counts as skipped, by the tenth that had been played.
    var skips = Array(repeating: 0, count: Statistics.skipTenths)

    mutating func addSkips(_ count: Int, inTenth tenth: Int) {
        if skips.indices.contains(tenth) { skips[tenth] += count }
    }

    /// The statistics of a feed. What was watched of items that are gone counts, but for no creator and no topic.
    ///
    /// - Parameter limit: the most creators and the most topics.
    func statistics(of index: FolderIndex, limit: Int) -> Statistics {
        var all = Sum()
        var byPlace: [UInt32: Sum] = [:]
        for (id, sum) in items {
            all += sum
            if let place = index.index(ofID: id) { byPlace[UInt32(place)] = sum }
        }
        func groups(_ lists: [(name: String, items: [UInt32])]) -> [Statistics.Group] {
            let groups = lists.compactMap { list -> Statistics.Group? in
                var sum = Sum()
                for item in list.items { if let its = byPlace[item] { sum += its } }
                return sum.visits > 0 ? sum.group(list.name) : nil
            }
            return Array(groups.sorted { ($1.watched, $0.name) < ($0.watched, $1.name) }.prefix(limit))
        }
        return Statistics(
            all: all.group(""), clips: items.count, days: days,
            creators: groups(index.creators.map { ($1.facts.name ?? $0, $1.items) }),
            topics: groups(index.topics.map { ($0, $1) }), skips: skips)
    }
}
