import Model

/// Where in the feed the items are that have players: players report by item, pages go by place.
struct Places {
    private var indices: [Item.ID: Int] = [:]

    /// nil for an item that no page shows any more: what its player still tells is of no use.
    func index(of item: Item.ID) -> Int? { indices[item] }

    mutating func note(_ item: Item.ID, at index: Int) { indices[item] = index }

    /// From now on only these. An item that a feed holds twice is the page named first.
    mutating func keep(_ wanted: [(item: Item.ID, index: Int)]) {
        indices = Dictionary(wanted.map { ($0.item, $0.index) }, uniquingKeysWith: { first, _ in first })
    }
}
