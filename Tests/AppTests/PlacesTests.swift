import Testing

@testable import App

@Suite struct PlacesTests {
    @Test func reportsFindThePageOfTheirItem() {
        var places = Places()
        places.note("a", at: 3)
        #expect(places.index(of: "a") == 3)
        #expect(places.index(of: "b") == nil)
        places.note("a", at: 7)
        #expect(places.index(of: "a") == 7)
    }

    @Test func onlyWantedItemsAreKept() {
        var places = Places()
        places.note("old", at: 0)
        places.keep([(item: "a", index: 5), (item: "b", index: 6)])
        #expect(places.index(of: "old") == nil)
        #expect(places.index(of: "a") == 5 && places.index(of: "b") == 6)
    }

    @Test func anItemThatIsThereTwiceIsThePageInView() {
        var places = Places()
        places.keep([(item: "a", index: 5), (item: "a", index: 6)])
        #expect(places.index(of: "a") == 5)
    }
}
