import Bytes
import Model
import Testing

@testable import Feeds

/// Feeds that are mixed of several sources.
@Suite struct MixTests {
    private func facts(_ name: UInt64, seen: Bool = false, at time: Double? = nil) -> FeedMix.Facts {
        FeedMix.Facts(names: [name], isSeen: seen, published: time)
    }

    private func order(_ sources: [[FeedMix.Facts]]) -> [UInt64] {
        FeedMix.order(sources).map { sources[$0.source][$0.index].names[0] }
    }

    @Test func eachSourceHasItsTurn() {
        let prolific = (100..<200).map { facts($0) }
        #expect(order([prolific, [facts(1), facts(2)], [facts(5)]]).prefix(7) == [100, 1, 5, 101, 2, 102, 103])
        #expect(order([prolific, [facts(1)]]).count == 101)
        #expect(order([]).isEmpty && order([[], []]).isEmpty)
    }

    @Test func theNewestComesFirstWhereAllHaveDates() {
        let dated = [facts(1, at: 10), facts(2, at: 30), facts(3, at: 20)]
        #expect(order([dated, [facts(9, at: 25)]]) == [2, 9, 3, 1])
        // An order without dates is the source's own.
        #expect(order([[facts(1, at: 10), facts(2), facts(3, at: 20)], [facts(9, at: 5)]]) == [1, 9, 2, 3])
    }

    @Test func whatWasSeenComesLast() {
        let one = [facts(1, seen: true), facts(2), facts(3, seen: true)]
        #expect(order([one, [facts(7), facts(8, seen: true)]]) == [2, 7, 1, 8, 3])
        // It was seen in another source.
        #expect(order([[facts(1, seen: true)], [facts(1), facts(2)]]) == [2, 1])
    }

    @Test func whatTwoSourcesHaveComesOnce() {
        #expect(order([[facts(1), facts(2), facts(3)], [facts(2), facts(1), facts(4)]]) == [1, 2, 3, 4])
        let shared = FeedMix.Facts(names: [20, 1], isSeen: false, published: nil)
        #expect(order([[facts(1)], [shared, facts(5)]]) == [1, 5])
        // Within one source it is intended.
        #expect(order([[facts(1), facts(1)], [facts(2)]]) == [1, 2, 1])
    }

    @Test func whatHasItsPlaceIsLeftOut() {
        let sources = [[facts(1), facts(2)], [facts(2), facts(3)], [facts(4)]]
        let rest = FeedMix.order(sources, after: [.init(source: 0, index: 1), .init(source: 2, index: 0)])
        #expect(rest.map { sources[$0.source][$0.index].names[0] } == [1, 3])
    }

    private static let pages = [
        "https://a/1.json": #"{"items": ["https://h/a1.mp4", "https://h/same.mp4"], "next": "https://a/2.json"}"#,
        "https://a/2.json": #"{"items": ["https://h/a2.mp4"], "next": "https://a/3.json"}"#,
        "https://a/3.json": #"{"items": ["https://h/a3.mp4"]}"#,
        "https://b/1.json": #"{"items": ["https://h/b1.mp4", "https://h/same.mp4"], "next": "https://b/2.json"}"#,
        "https://b/2.json": #"{"items": ["https://h/b2.mp4"]}"#,
    ]

    private func names(_ items: any ItemList) -> [String] {
        (0..<items.count).map { String(items[$0].url.dropFirst("https://h/".count).dropLast(4)) }
    }

    @Test func sourcesAndTheirPagesAreReadInTurn() throws {
        let provider = ScriptedProvider(Self.pages)
        var options = FeedOptions()
        options.mix = FeedOptions.Mix { items in items.map { $0.url.hasSuffix("a1.mp4") } }
        let feed = try loadFeed(
            sources: ["https://a/1.json", "https://b/1.json"], provider: provider, options: options)
        #expect(names(feed.items) == ["same", "b1", "a1"])
        var all = feed.items
        while let page = try feed.pages?.load() { all = page.items }
        #expect(names(all) == ["same", "b1", "a1", "a2", "b2", "a3"])
        options.limit = 2
        let limited = try loadFeed(
            sources: ["https://a/1.json", "https://b/1.json"], provider: provider, options: options)
        #expect(names(limited.items) == ["same", "b1"] && limited.pages == nil)
    }

    /// Nobody looks at each of a hundred thousand clips for that.
    @Test func theRestOfLongListsFollowsInTurn() {
        let lists = (0..<2).map { list in
            (0..<(FeedMix.reach + 2)).map { Item(id: "\(list)-\($0)", url: "file:///\(list)/\($0)") }
        }
        var asked: [Int] = []
        let facts = FeedMix.facts(of: lists) { items in
            asked.append(items.count)
            return items.map { $0.id == "1-0" }
        }
        // All at once, as the answer takes a look into a file.
        #expect(asked == [2 * FeedMix.reach] && facts.map(\.count) == [FeedMix.reach, FeedMix.reach])
        #expect(facts[1][0].isSeen && facts.joined().count { $0.isSeen } == 1)
        let mixed = ArrangedList(lists, shuffle: nil, mix: FeedOptions.Mix { $0.map { _ in false } }, limit: nil)
        #expect(mixed.count == 2 * (FeedMix.reach + 2))
        #expect(Set((0..<mixed.count).map { mixed[$0].url }).count == mixed.count)
        #expect(mixed[mixed.count - 1].id == "1-\(FeedMix.reach + 1)")
    }
}
