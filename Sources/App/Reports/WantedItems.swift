import Model

/// The ids of recently wanted URLs: fetches are reported by URL, but the trace names items. A value.
struct WantedItems {
    /// More than the items that have a player or are being prefetched.
    static let limit = 64

    /// The most recent is last.
    private var items: [(url: String, id: Item.ID)] = []

    /// nil if the URL is not an item's, or was wanted long ago.
    func id(ofURL url: String) -> Item.ID? { items.last { $0.url == url }?.id }

    mutating func note(_ item: Item) {
        items.removeAll { $0.url == item.url }
        items.append((item.url, item.id))
        if items.count > WantedItems.limit { items.removeFirst() }
    }
}
