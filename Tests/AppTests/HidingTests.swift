import Engagement
import Feeds
import Foundation
import Model
import Platform
import TestSupport
import Testing

@testable import App
@testable import UI

/// Hiding with keys, in the loop with a library.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct HidingTests {
    private nonisolated static let items = (0..<12).map { number in
        var item = Item(
            id: "i\(number)", url: "file:///clips/\(number).mp4", title: "Title-\(number)",
            creator: Item.Creator(id: "c\(number % 3)", name: ["Ilma", "Bo", "Cleo"][number % 3]),
            feed: "https://h.example/feed.json")
        item.tags = [number % 2 == 0 ? "food" : "street"]
        return item
    }

    private func stage() throws -> LoopStage {
        let stage = try LoopStage(Self.items, library: true)
        stage.start()
        stage.run(for: .seconds(1))
        return stage
    }

    private func shown(_ stage: LoopStage) -> [Item.ID] {
        (0..<stage.state.items.count).map { stage.state.items.id(at: $0) }
    }

    @Test func creatorGoesAtOnceAndComesBack() throws {
        let stage = try stage()
        defer { stage.close() }
        try stage.type("j")
        stage.run(for: .seconds(1))
        #expect(stage.state.currentID == "i1")
        // The second line is the creator.
        try stage.type("Xj\r")
        #expect(stage.wait { stage.state.items.count == 8 })
        #expect(stage.state.currentID == "i2")
        #expect(shown(stage) == Self.items.filter { $0.creator?.name != "Bo" }.map(\.id))
        #expect(stage.state.toasts.current?.text.text == "Hidden: clips by Bo · U to undo")
        // No decoder is open for what is hidden.
        stage.settle()
        #expect(stage.state.clips.keys.allSatisfy { shown(stage).contains($0) })
        try stage.type("U")
        #expect(stage.wait { stage.state.items.count == 12 })
        #expect(stage.state.currentID == "i1")
    }

    @Test func ruleIsStored() throws {
        let stage = try stage()
        defer { stage.close() }
        try stage.type("X\r")
        #expect(stage.wait { stage.state.items.count == 11 })
        #expect(stage.wait { stage.stored { try $0.hidden().map(\.rule.kind) } == [.clip] })
        try stage.type("U")
        #expect(stage.wait { stage.stored { try $0.hidden().isEmpty } == true })
    }

    /// A place that was left does not have hidden clips when the user comes back.
    @Test func placeThatWasLeftIsLookedAtAgain() throws {
        let stage = try stage()
        defer { stage.close() }
        let list = try #require(stage.state.items as? VisibleList)
        // What is hidden comes before the first place, in a circle.
        try stage.type("s\u{1B}[Z")
        #expect(stage.wait { stage.state.feed.places.wanted == nil && stage.state.feed.places.current != .source })
        let events = stage.loop.feed.hide(HideRule(.topic, value: "food"), true, on: stage.state, now: stage.now)
        for event in events { stage.loop.handle(event) }
        try stage.type("\t")
        #expect(stage.wait { stage.state.feed.places.current == .source && stage.state.items.count == 6 })
        #expect(list.count == 12 && shown(stage).allSatisfy { Int($0.dropFirst())! % 2 == 1 })
    }

    /// Random keys, as a user presses them, with hiding and undoing among them.
    @Test func hiddenClipIsNeverInView() throws {
        let stage = try stage()
        defer { stage.close() }
        var random = SplitMix64(state: 5)
        let keys = ["j", "k", "G", "g", "r", "X\r", "Xj\r", "Xjj\r", "U", "\t", "\u{1B}[Z", "u\u{1B}\u{1B}", "#\u{1B}"]
        for _ in 0..<400 {
            try stage.type(keys[Int.random(in: keys.indices, using: &random)])
            stage.run(for: .milliseconds(300))
            let hidden = stage.hidden.snapshot
            #expect(stage.wait { (stage.state.items as? VisibleList)?.generation == hidden.generation })
            let wrong = (0..<stage.state.items.count).map { stage.state.items[$0] }.filter(hidden.rules.hides)
            #expect(wrong.isEmpty)
            #expect(stage.state.content.map { !hidden.rules.hides($0.item) } ?? true)
        }
    }
}
