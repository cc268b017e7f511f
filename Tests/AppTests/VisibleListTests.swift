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

    /// Of a list of which the items at `places` are visible; nil: the first `count`.
    private func visible(at places: [UInt32]?, count: Int) -> VisibleList {
        let feed = VisibleFeed(list, pages: nil, hidden: HiddenItems())
        return VisibleList(all: list, places: places, count: count, feed: feed, generation: 0)
    }

    @Test func visibleItemsHaveTheirPlacesAmongAll() {
        let some = visible(at: [2, 5, 9], count: 3)
        #expect([0, 1, 2].map { some.id(at: $0) } == ["i2", "i5", "i9"] && some[1].id == "i5")
        #expect([0, 2].map { some.place(of: $0) } == [2, 9])
        // Behind the last one that was looked at.
        #expect([3, 99].map { some.place(of: $0) } == [10, 10])
        #expect(visible(at: [], count: 0).place(of: 3) == 0)
        #expect(visible(at: nil, count: 4).place(of: 7) == 7)
    }

    @Test func hiddenPlaceLeadsToTheVisibleItemBehindIt() {
        let some = visible(at: [2, 5, 9], count: 3)
        #expect([0, 2, 3, 5, 6, 9, 10].map { some.index(at: $0) } == [0, 0, 1, 1, 2, 2, 2])
        #expect(visible(at: [], count: 0).index(at: 5) == 0)
        let first = visible(at: nil, count: 3)
        #expect([0, 2, 3, 9].map { first.index(at: $0) } == [0, 2, 2, 2])
        #expect(visible(at: nil, count: 0).index(at: 5) == 0)
    }

    @Test func visibleItemsAreCountedFromAPlaceOn() {
        let some = visible(at: [2, 5, 9], count: 3)
        #expect([0, 2, 3, 5, 9, 10].map { some.count(from: $0) } == [3, 3, 2, 2, 1, 0])
        let first = visible(at: nil, count: 4)
        #expect([0, 1, 4, 9].map { first.count(from: $0) } == [4, 3, 0, 0])
    }
}
