import Model

/// The order of a feed that is mixed of several sources: what was not seen comes first, each source has its turn, and
/// what two sources have comes once. Pure.
enum FeedMix {
    /// The properties of an item that decide its place. A value.
    struct Facts: Equatable, Sendable {
        /// Its identities: hashes of its address, of an id that is likely to be unique everywhere, and of its web page.
        var names: [UInt64]
        var isSeen: Bool
        /// In seconds since 1970.
        var published: Double?
    }

    /// An item by its source and its place there.
    struct Place: Hashable, Sendable {
        var source: Int
        var index: Int
    }

    /// The number of items of each source that are mixed. The rest follows unsorted, one source after the other.
    static let reach = 500
    /// A shorter id may be that of another item elsewhere: "1".
    private static let leastID = 8

    /// The places of all items but repetitions.
    /// - Parameters:
    ///   - weights: how often each source has its turn, over 0; nil for all alike.
    ///   - placed: the items that come first anyway. They are not among the result.
    static func order(_ sources: [[Facts]], weights: [Double]? = nil, after placed: [Place] = []) -> [Place] {
        let known = Set(placed)
        let seen = Set(sources.joined().filter(\.isSeen).flatMap(\.names))
        var order: [Place] = []
        // The source that has a name first. Within a source a repetition is intended.
        var owners: [UInt64: Int] = [:]
        for place in placed where place.index < sources[place.source].count {
            for name in sources[place.source][place.index].names { owners[name] = place.source }
        }
        for isSeen in [false, true] {
            var queues = sources.indices.map { source in
                let items = sources[source]
                let wanted = items.indices.filter { index in
                    !known.contains(Place(source: source, index: index))
                        && (items[index].isSeen || items[index].names.contains(where: seen.contains)) == isSeen
                }
                return Queue(
                    source: source, indices: newestFirst(wanted, of: items)[...], weight: weights?[source] ?? 1)
            }
            // The source with the newest item comes first.
            let newest = queues.map { queue in queue.indices.first.flatMap { sources[queue.source][$0].published } }
            queues.sort { one, other in
                let (left, right) = (newest[one.source] ?? -.infinity, newest[other.source] ?? -.infinity)
                return left == right ? one.source < other.source : left > right
            }
            // In each round the heaviest of those that are left has its turn,
            // lighter ones in as many as they weigh less.
            while let heaviest = queues.map(\.weight).max() {
                for place in queues.indices where queues[place].hasTurn(besides: heaviest) {
                    let source = queues[place].source
                    while let index = queues[place].indices.popFirst() {
                        let names = sources[source][index].names
                        guard names.allSatisfy({ owners[$0, default: source] == source }) else { continue }
                        for name in names { owners[name] = source }
                        order.append(Place(source: source, index: index))
                        break
                    }
                }
                queues.removeAll(where: \.indices.isEmpty)
            }
        }
        return order
    }

    /// The facts of the first items of each list. Reads the spools and blocks.
    /// - Parameter seen: returns which items were seen before. Called once, with all of them.
    static func facts(of lists: [any ItemList], seen: ([Item]) -> [Bool]) -> [[Facts]] {
        let items = lists.map { list in (0..<min(list.count, reach)).map { list[$0] } }
        var rest = seen(Array(items.joined()))[...]
        return items.map { items in
            defer { rest = rest.dropFirst(items.count) }
            return zip(items, rest).map(facts)
        }
    }

    private static func facts(of item: Item, isSeen: Bool) -> Facts {
        let id = item.id.utf8.count >= leastID ? item.id : nil
        return Facts(
            names: [item.url, id, item.link].compactMap { $0.map(ItemID.number) }, isSeen: isSeen,
            published: item.published?.timeIntervalSince1970)
    }

    private struct Queue {
        var source: Int
        var indices: ArraySlice<Int>
        var weight: Double
        /// The part of a turn that it has waited for. Half of one in the beginning: so what is light comes neither
        /// first nor last.
        private var waited = 0.5

        init(source: Int, indices: ArraySlice<Int>, weight: Double) {
            (self.source, self.indices, self.weight) = (source, indices, weight)
        }

        mutating func hasTurn(besides heaviest: Double) -> Bool {
            waited += weight / heaviest
            guard waited >= 1 else { return false }
            waited -= 1
            return true
        }
    }

    /// By date, where all have one: else the source knows best.
    private static func newestFirst(_ indices: [Int], of items: [Facts]) -> [Int] {
        guard indices.allSatisfy({ items[$0].published != nil }) else { return indices }
        return indices.sorted { one, other in
            let (left, right) = (items[one].published ?? 0, items[other].published ?? 0)
            return left == right ? one < other : left > right
        }
    }
}
