import Model
import Testing

@testable import App
@testable import Engagement

/// Where a feed that changed meanwhile continues.
@Suite struct ReturnPointTests {
    private static let items = (0..<9).map { Item(id: "\($0)", url: "file:///\($0).mp4") }

    /// Items may have been added or removed before the one that was watched last.
    @Test(arguments: [0, 4, 5, 6, 8, 99, nil] as [Int?])
    func findsTheItemOnBothSidesOfItsOldPage(page: Int?) {
        let last = LastSeen(key: ItemKey(Self.items[5]), page: page)
        #expect(ReturnPoint.find(last, in: Self.items) == 5)
    }

    @Test func findsNothingWhereTheItemIsGone() {
        let last = LastSeen(key: ItemKey(Item(id: "gone", url: "file:///gone.mp4")), page: 5)
        #expect(ReturnPoint.find(last, in: Self.items) == nil)
    }
}
