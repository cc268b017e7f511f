import Model
import Synchronization

/// The items of a feed that are not hidden. A value.
struct VisibleList: ItemList {
    /// All of the feed's, hidden ones too.
    let all: any ItemList
    /// nil: all.
    private let places: [UInt32]?
    let count: Int
    let feed: VisibleFeed
    /// Of the rules that it was made by.
    let generation: Int
    private let recent = RecentItems()

    /// - Parameters:
    ///   - places: those of the visible items among all; nil: the first `count` of all.
    ///   - generation: of the rules that decide what is visible.
    init(all: any ItemList, places: [UInt32]?, count: Int, feed: VisibleFeed, generation: Int) {
        (self.all, self.places, self.count) = (all, places, count)
        (self.feed, self.generation) = (feed, generation)
    }

    subscript(index: Int) -> Item { recent.item(at: index) { all[place(of: index)] } }

    func id(at index: Int) -> Item.ID { all.id(at: place(of: index)) }

    /// Where an item is among all; behind the last item, the number of all that were looked at.
    func place(of index: Int) -> Int {
        guard let places else { return index }
        return places.indices.contains(index) ? Int(places[index]) : (places.last.map { Int($0) + 1 } ?? 0)
    }

    /// How many of the items from a place of all on are visible.
    func count(from place: Int) -> Int {
        guard let places else { return max(count - place, 0) }
        return places.reversed().prefix { Int($0) >= place }.count
    }

    /// The first visible item at that place of all, or behind it; the last one if there is no such.
    func index(at place: Int) -> Int {
        guard let places else { return max(min(place, count - 1), 0) }
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(places[middle]) < place { low = middle + 1 } else { high = middle }
        }
        return max(min(low, places.count - 1), 0)
    }
}

/// The items of a list that were made last: those near the page in view are needed many times at every turn, and lists
/// of files and spools make them from bytes. For a list that never changes. Any thread.
private final class RecentItems: Sendable {
    /// More than are near a page, so that neighbours never take each other's place.
    static let capacity = 64

    /// By the index, modulo the capacity; empty until the first use.
    private let kept = Mutex<[(index: Int, item: Item)?]>([])

    /// - Parameter make: makes the item at `index`; called without the lock.
    func item(at index: Int, _ make: () -> Item) -> Item {
        let slot = index % Self.capacity
        let known = kept.withLock { $0.isEmpty ? nil : $0[slot] }
        if let known, known.index == index { return known.item }
        let item = make()
        kept.withLock { kept in
            if kept.isEmpty { kept = Array(repeating: nil, count: Self.capacity) }
            kept[slot] = (index, item)
        }
        return item
    }
}
