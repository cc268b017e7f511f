import Model

/// The items of the URLs that were wanted lately. Fetches are reported by URL, but the trace names items.
struct WantedItems {
    /// More than have a player or are being fetched ahead.
    static let limit = 64

    /// The latest is the last.
    private var items: [(url: String, id: Item.ID)] = []

    /// nil for what is no item's, or of one that was wanted long ago.
    func id(ofURL url: String) -> Item.ID? { items.last { $0.url == url }?.id }

    mutating func note(_ item: Item) {
        items.removeAll { $0.url == item.url }
        items.append((item.url, item.id))
        if items.count > WantedItems.limit { items.removeFirst() }
    }
}
