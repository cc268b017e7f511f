import Engagement
import Model
import TestSupport
import Testing

@testable import App

/// The rules for what is hidden: configured, made on the page and stored.
@Suite struct HiddenItemsTests {
    private let cats = HideRule(.topic, value: "cats")
    private let dogs = HideRule(.topic, value: "dogs")

    private func item(_ id: String, topic: String? = nil) -> Item {
        Item(
            id: id, url: "https://h.example/\(id).mp4", tags: topic.map { [$0] } ?? [],
            feed: "https://h.example/feed.json")
    }

    @Test func ownRulesAreListedNewestFirst() {
        let hidden = HiddenItems(configured: [HideRule(.topic, value: "birds")])
        hidden.set(cats, hides: true)
        hidden.set(dogs, hides: true)
        #expect(hidden.own == [dogs, cats] && hidden.generation == 2)
        hidden.set(cats, hides: true)
        #expect(hidden.own == [cats, dogs])
        hidden.set(dogs, hides: false)
        #expect(hidden.own == [cats] && hidden.generation == 4 && hidden.snapshot.generation == 4)
        let rules = hidden.snapshot.rules
        #expect(["birds", "cats", "dogs"].map { rules.hides(item("a", topic: $0)) } == [true, true, false])
    }

    @Test func deletedItemIsHiddenUntilItIsShown() {
        let hidden = HiddenItems()
        func isHidden() -> [Bool] { ["a", "b"].map { hidden.snapshot.rules.hides(item($0)) } }
        hidden.delete(item("b"), true)
        #expect(isHidden() == [false, true] && hidden.own.isEmpty && hidden.generation == 1)
        hidden.showDeleted("b", true)
        #expect(isHidden() == [false, false])
        hidden.showDeleted("b", false)
        #expect(isHidden() == [false, true])
        hidden.delete(item("a"), true)
        hidden.delete(item("b"), false)
        #expect(isHidden() == [true, false])
        hidden.delete(item("b"), true)
        #expect(isHidden() == [true, true])
    }

    @Test func ruleThatAnotherFlickRemovedIsGone() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/flick.db"
        let hidden = HiddenItems(libraryPath: path)
        // The library does not have this one yet.
        hidden.set(dogs, hides: true)
        try Store(path: path).apply([.hidden(cats, source: "s", true, at: 1)])
        #expect(hidden.read() && hidden.own == [dogs, cats] && hidden.generation == 2)
        try Store(path: path).apply([.hidden(cats, source: "s", false, at: 2)])
        #expect(hidden.read() && hidden.own == [dogs] && hidden.generation == 3)
        #expect(!hidden.read() && hidden.generation == 3)
        #expect(!hidden.snapshot.rules.hides(item("a", topic: "cats")))
    }
}
