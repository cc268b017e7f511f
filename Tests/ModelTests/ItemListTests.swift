import Model
import Synchronization
import Testing

@Suite struct ItemListTests {
    /// Counts the ids that are read.
    private final class Folder: ItemList, Sendable {
        let count: Int
        let asked = Atomic(0)
        init(count: Int) { self.count = count }

        subscript(index: Int) -> Item { Item(id: "\(index)", url: "file:///\(index)") }

        func id(at index: Int) -> Item.ID {
            asked.add(1, ordering: .relaxed)
            return "\(index)"
        }
    }

    @Test(arguments: [(0, 0), (3, 0), (0, 3), (9, 5), (4, 9), (5, 40)]) func itemsAreFoundNearTheirPlace(
        index: Int, place: Int
    ) {
        let folder = Folder(count: 10)
        #expect(folder.index(of: "\(index)", near: place) == index)
    }

    @Test func aMissingItemIsNotSoughtInAllOfAFolder() {
        let folder = Folder(count: 1_000_000)
        #expect(folder.index(of: "gone", near: 500_000, reach: 100) == nil)
        #expect(folder.asked.load(ordering: .relaxed) == 201)
        #expect(folder.index(of: "500100", near: 500_000, reach: 100) == 500_100)
        #expect(folder.index(of: "500101", near: 500_000, reach: 100) == nil)
    }
}
