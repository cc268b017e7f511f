import Feeds
import Model
import Platform
import Synchronization
import Testing

@testable import App

/// The items near a page are made once; those far away are right all the same.
@Suite struct VisibleListTests {
    /// A list that counts how often each item is made.
    private final class CountingList: ItemList, Sendable {
        let count = 1_000
        private let made = Mutex<[Int: Int]>([:])

        subscript(index: Int) -> Item {
            made.withLock { $0[index, default: 0] += 1 }
            return Item(id: "i\(index)", url: "https://h.example/\(index).mp4", title: "Clip \(index)")
        }

        var madeTimes: [Int: Int] { made.withLock { $0 } }
    }

    private let list = CountingList()

    @Test func itemsNearAPageAreMadeOnce() {
        let visible = Feed(title: "F", items: list, source: "s").visible(HiddenItems()).items
        // A page has up to ten neighbours before it and twenty behind it; it is turned three hundred times.
        for page in 10..<310 {
            for index in (page - 10)...(page + 20) { #expect(visible[index].id == "i\(index)") }
        }
        #expect(list.madeTimes.values.allSatisfy { $0 == 1 })
        #expect(list.madeTimes.count == 330)
    }

    @Test func distantItemsDoNotCollide() {
        let visible = Feed(title: "F", items: list, source: "s").visible(HiddenItems()).items
        for index in [3, 67, 3, 259, 515, 3, 4, 3] { #expect(visible[index].id == "i\(index)") }
    }
}
