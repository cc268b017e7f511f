import Bytes
import Model
import Platform
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

    @Test func aHeavierSourceHasItsTurnMoreOften() {
        let sources = [(0..<9).map { facts($0) }, (100..<109).map { facts($0) }]
        let mixed = FeedMix.order(sources, weights: [3, 1]).map { sources[$0.source][$0.index].names[0] }
        #expect(mixed.prefix(8) == [0, 1, 100, 2, 3, 4, 101, 5])
        #expect(mixed.count == 18)
    }

    /// Whatever the weights are: in any beginning each source has its share,
    /// nothing comes twice, and none waits for ever.
    @Test(arguments: 1...20) func weightsAreProportions(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let count = Int.random(in: 2...12, using: &random)
        let weights = (0..<count).map { _ in Double(Int.random(in: 1...100, using: &random)) / 10 }
        let total = weights.reduce(0, +)
        let sources = (0..<count).map { source in (0..<1_000).map { facts(UInt64(source * 1_000 + $0)) } }
        let order = FeedMix.order(sources, weights: weights)
        #expect(order.count == count * 1_000 && Set(order).count == order.count)
        // Each may be half an item before or behind its turn.
        let tolerance = 1 + Double(count) / 2
        for length in [100, 1_000] {
            for source in sources.indices {
                let had = Double(order.prefix(length).count { $0.source == source })
                let share = Double(length) * weights[source] / total
                #expect(abs(had - share) <= tolerance, "\(weights) \(source): \(had) of \(length), not \(share)")
            }
        }
        // Within one of the heaviest's turns over its own weight each has been there.
        let reach = Int((total / (weights.min() ?? 1)).rounded(.up)) + count
        #expect(Set(order.prefix(reach).map(\.source)).count == count)
        // Each source is in its own order.
        for source in sources.indices { #expect(order.filter { $0.source == source }.map(\.index) == Array(0..<1_000)) }
    }

    @Test func lightSourceDoesNotWaitForExhaustedOnes() {
        let sources = [[facts(1)], (10..<20).map { facts($0) }]
        let order = FeedMix.order(sources, weights: [10, 0.1])
        #expect(order.map(\.source) == [0] + Array(repeating: 1, count: 10))
    }

    @Test func theNewestComesFirstWhereAllHaveDates() {
        let dated = [facts(1, at: 10), facts(2, at: 30), facts(3, at: 20)]
        #expect(order([dated, [facts(9, at: 25)]]) == [2, 9, 3, 1])
        // An order without dates is the source's own.
        #expect(order([[facts(1, at: 10), facts(2), facts(3, at: 20)], [facts(9, at: 5)]]) == [1, 9, 2, 3])
    }

    @Test func seenItemsComeLast() {
        let one = [facts(1, seen: true), facts(2), facts(3, seen: true)]
        #expect(order([one, [facts(7), facts(8, seen: true)]]) == [2, 7, 1, 8, 3])
        // It was seen in another source.
        #expect(order([[facts(1, seen: true)], [facts(1), facts(2)]]) == [2, 1])
    }

    @Test func duplicatesOfTwoSourcesAppearOnce() {
        #expect(order([[facts(1), facts(2), facts(3)], [facts(2), facts(1), facts(4)]]) == [1, 2, 3, 4])
        let shared = FeedMix.Facts(names: [20, 1], isSeen: false, published: nil)
        #expect(order([[facts(1)], [shared, facts(5)]]) == [1, 5])
        // Within one source it is intended.
        #expect(order([[facts(1), facts(1)], [facts(2)]]) == [1, 2, 1])
    }

    @Test func placedItemsAreNotOrderedAgain() {
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

    @Test func weightsAndNamesAreTheSources() throws {
        func page(_ name: String) -> String {
            let items = (0..<40).map { "\"https://h/\(name)\($0).mp4\"" }.joined(separator: ",")
            return #"{"title": "its own", "items": [\#(items)], "next": "https://\#(name)/2.json"}"#
        }
        let provider = ScriptedProvider(["https://a/1.json": page("a"), "https://b/1.json": page("b")])
        var options = FeedOptions()
        options.mix = FeedOptions.Mix { items in items.map { _ in false } }
        let feed = try loadFeed(
            sources: [
                FeedSource("https://a/1.json", name: "A's", weight: 3), FeedSource("https://b/1.json"),
                FeedSource("https://c/1.json", name: "Gone"),
            ], provider: provider, options: options)
        #expect(names(feed.items).prefix(12).count { $0.hasPrefix("a") } == 9)
        #expect(feed.title == "A's, its own")
        #expect(feed.warnings.count == 1 && feed.warnings[0].hasPrefix("Gone: cannot open"), "\(feed.warnings)")
        // So are its further pages.
        let failure = #expect(throws: FeedsError.self) { _ = try feed.pages?.load() }
        #expect(failure.map { "\($0)".hasPrefix("A's: cannot open") } == true, "\(String(describing: failure))")
    }

    @Test func subscriptionListSetsNamesAndWeight() throws {
        let opml =
            "<opml><body><outline text='One' xmlUrl='https://h/1.json'/><outline title=' Two\u{7} ' xmlUrl='https://h/2.json'/></body></opml>"
        let provider = ScriptedProvider([
            "https://h/list.opml": opml,
            "https://h/1.json": #"["https://h/x.mp4", "https://h/y.mp4", "https://h/z.mp4"]"#,
            "https://h/3.json": #"["https://h/k.mp4"]"#,
        ])
        var options = FeedOptions()
        options.mix = FeedOptions.Mix { items in items.map { _ in false } }
        let feed = try loadFeed(
            sources: [FeedSource("https://h/3.json"), FeedSource("https://h/list.opml", weight: 3)], provider: provider,
            options: options)
        #expect(names(feed.items) == ["x", "k", "y", "z"])
        #expect(feed.title?.hasSuffix("One") == true, "\(feed.title ?? "")")
        #expect(feed.warnings.count == 1 && feed.warnings[0].hasPrefix("Two: "), "\(feed.warnings)")
    }

    /// The mix examines only the first items of a hundred thousand.
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
