import Engagement
import Model
import TestSupport
import Testing

@testable import App

/// What the loop remembers of the clips in view.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct LibrarySessionTests {
    private let items = LoopStage.items

    /// Its clips are long enough to resume where they were left.
    private func stage() throws -> LoopStage {
        var decoder = ScriptedDecoder()
        decoder.duration = 600_000_000
        let stage = try LoopStage(decoder: decoder, library: true)
        stage.start()
        return stage
    }

    /// What of an item is stored, once all is written.
    private func place(of item: Item, in stage: LoopStage) -> Duration? {
        stage.loop.feed.loader.flushLibrary()
        let key = ItemKey(item)
        return stage.stored { try $0.memories(of: [key])[key]?.place } ?? nil
    }

    @Test func placeOfALongClipIsStoredEveryTenSeconds() throws {
        let stage = try stage()
        defer { stage.close() }
        stage.run(for: .seconds(9))
        #expect(place(of: items[0], in: stage) == nil)
        stage.run(for: .seconds(2))
        let first = try #require(place(of: items[0], in: stage))
        #expect(first > .seconds(9) && first < .seconds(11))
        stage.run(for: .seconds(8))
        #expect(place(of: items[0], in: stage) == first)
        // Not while it is paused.
        try stage.type(" ")
        stage.run(for: .seconds(20))
        #expect(place(of: items[0], in: stage) == first)
        try stage.type(" ")
        stage.run(for: .seconds(2))
        let second = try #require(place(of: items[0], in: stage))
        #expect(second > .seconds(18) && second < .seconds(22))
    }

    @Test func placeOfTheClipThatIsLeftIsStored() throws {
        let stage = try stage()
        defer { stage.close() }
        stage.run(for: .seconds(4))
        try stage.type("j")
        stage.run(for: .seconds(2))
        let left = try #require(place(of: items[0], in: stage))
        #expect(left > .seconds(3) && left < .seconds(5))
        #expect(place(of: items[1], in: stage) == nil)
    }

    @Test func historyHasThePageAndTheFeedOfTheClipInView() throws {
        let stage = try stage()
        defer { stage.close() }
        stage.run(for: .seconds(2))
        try stage.type("jj")
        stage.run(for: .seconds(3))
        stage.loop.feed.loader.flushLibrary()
        let seen = try #require(stage.stored { try $0.lastSeen(in: "file:///clips", limit: 1) })
        #expect(seen.map(\.key) == [ItemKey(items[2])] && seen.map(\.page) == [2])
    }
}
