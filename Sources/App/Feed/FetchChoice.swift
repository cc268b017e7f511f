import Model

/// Which items of a feed are fetched: those that were not seen, in the feed's order, then the others. A value.
struct FetchChoice {
    /// The most items to look at: a feed can be endless, and all of it seen.
    static let considered = 1_000

    let limit: Int
    private(set) var unseen: [Item] = []
    private(set) var seen: [Item] = []

    init(limit: Int) { self.limit = limit }

    /// Whether further items make no difference.
    var isComplete: Bool { unseen.count == limit || unseen.count + seen.count >= max(limit, Self.considered) }

    mutating func add(_ item: Item, wasSeen: Bool) { if wasSeen { seen.append(item) } else { unseen.append(item) } }

    var items: [Item] { unseen + seenOnes }

    /// What was chosen; nil where it needs no words.
    var summary: String? {
        seenOnes.isEmpty
            ? nil : "\(unseen.isEmpty ? "nothing" : "\(unseen.count)") new; \(seenOnes.count) watched before"
    }

    private var seenOnes: ArraySlice<Item> { seen.prefix(limit - unseen.count) }
}
