import Feeds
import Foundation
import Model
import Platform
import Synchronization
import TestSupport
import Testing

@testable import App
@testable import Engagement

/// Feeds without what the user hides.
@Suite struct VisibleFeedTests {
    private static let creators = 23
    private static let topics = 11

    /// Who a clip is by is known from its id alone.
    private static func creator(of id: Item.ID) -> Int { (Int(id.dropFirst()) ?? 0) * 7 % creators }
    private static func topic(of id: Item.ID) -> Int { (Int(id.dropFirst()) ?? 0) * 5 % topics }

    private static func item(_ number: Int) -> Item {
        let id = "i\(number)"
        var item = Item(
            id: id, url: "https://h.example/\(number).mp4", title: "Clip \(number)",
            creator: Item.Creator(id: "c\(creator(of: id))", name: "Creator \(creator(of: id))"),
            feed: "https://h.example/feed.json")
        item.tags = ["Topic \(topic(of: id))"]
        return item
    }

    /// A feed of pages of a size, which ends after some.
    private final class Pages: FurtherPages {
        private let state: Mutex<(count: Int, next: Int)>
        private let size: Int
        private let most: Int

        init(from count: Int, size: Int, most: Int) {
            (self.size, self.most) = (size, most)
            state = Mutex((count, 0))
        }

        var isArriving: Bool { false }
        func load() throws(FeedsError) -> FeedPages.Page? {
            state.withLock { state in
                guard state.count < most else { return nil }
                state.count += size
                let items = (0..<state.count).map(VisibleFeedTests.item)
                return FeedPages.Page(
                    url: "page", items: items, added: size, next: state.count < most ? "page" : nil,
                    warnings: ["\(state.count) items"])
            }
        }
        func keep(_ item: Item) -> any ItemList {
            [item] + (0..<state.withLock(\.count)).map(VisibleFeedTests.item)
        }
        func cancel() {}
    }

    private func ids(_ list: any ItemList) -> [Item.ID] { (0..<list.count).map { list.id(at: $0) } }

    private func feed(_ count: Int, pages: (any FurtherPages)? = nil) -> Feed {
        Feed(title: "F", items: (0..<count).map(Self.item), pages: pages, source: "s")
    }

    @Test func keptItemStandsBeforeAllOthers() {
        let hidden = HiddenItems()
        hidden.set(HideRule(.topic, value: "Topic 0"), hides: true)
        let feed = feed(20, pages: Pages(from: 20, size: 5, most: 40)).visible(hidden)
        let before = ids(feed.items)
        #expect(before.count < 20 && before.last == "i19")
        #expect(feed.pages.map { ids($0.keep(Self.item(98))) } == ["i98"] + before)
    }

    /// 10,000 random operations: hiding, showing again, further pages, reading the feed again, looking at any page.
    @Test func hiddenCreatorNeverReappears() throws {
        var random = SplitMix64(state: 31)
        let hidden = HiddenItems()
        var (creators, topics): (Set<Int>, Set<Int>) = ([], [])
        func isHidden(_ id: Item.ID) -> Bool {
            creators.contains(Self.creator(of: id)) || topics.contains(Self.topic(of: id))
        }
        func read() -> Feed { feed(60, pages: Pages(from: 60, size: 20, most: 400)).visible(hidden) }
        var shown = read()
        var seen = 0
        for operation in 0..<10_000 {
            let number = Int.random(in: 0..<400, using: &random)
            let item = Self.item(number)
            let list = try #require(shown.items as? VisibleList)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...1:
                let hides = Int.random(in: 0..<3, using: &random) == 0
                let creator = Self.creator(of: item.id)
                hidden.set(try #require(HideRule(creatorOf: item)), hides: hides)
                if hides { creators.insert(creator) } else { creators.remove(creator) }
            case 2:
                let hides = Int.random(in: 0..<4, using: &random) == 0
                hidden.set(HideRule(.topic, value: "#topic \(Self.topic(of: item.id))!"), hides: hides)
                if hides { topics.insert(Self.topic(of: item.id)) } else { topics.remove(Self.topic(of: item.id)) }
            case 3: shown = read()
            case 4...6:
                guard let page = try shown.pages?.load() else { break }
                // As the loop does: a page that was read by earlier rules is dropped.
                guard (page.items as? VisibleList)?.generation == hidden.generation else { break }
                #expect(page.items.count >= list.count || list.generation != hidden.generation)
                shown.items = page.items
                if page.next == nil { shown.pages = nil }
            default: break
            }
            if list.generation != hidden.generation {
                let index = list.count > 0 ? number % list.count : 0
                let place = list.place(of: index)
                let new = list.feed.restart(at: place)
                shown.items = new
                shown.pages = list.feed.hasMore ? list.feed : nil
                // The page in view stays if it is not hidden; else one behind it comes.
                if list.count > 0, new.count > 0, !isHidden(list.id(at: index)) {
                    #expect(new.id(at: new.index(at: place)) == list.id(at: index))
                }
            }
            let now = ids(shown.items)
            seen += now.count
            guard let wrong = now.first(where: isHidden) else { continue }
            Issue.record("operation \(operation): \(wrong) is hidden")
            return
        }
        // All that is not hidden is there, in order, once all pages were read.
        while let page = try shown.pages?.load() {
            shown.items = page.items
            if page.next == nil { break }
        }
        #expect(ids(shown.items) == (0..<400).map { "i\($0)" }.filter { !isHidden($0) })
        #expect(seen > 100_000 && !creators.isEmpty)
    }

    @Test func longListIsLookedAtInPieces() throws {
        let hidden = HiddenItems(configured: [HideRule(.creator, value: "creator 3")])
        let count = VisibleFeed.first + VisibleFeed.further + 500
        let feed = feed(count).visible(hidden)
        let all = (0..<count).map { "i\($0)" }.filter { Self.creator(of: $0) != 3 }
        #expect(ids(feed.items) == all.filter { Int($0.dropFirst())! < VisibleFeed.first })
        let pages = try #require(feed.pages)
        #expect(pages.isArriving)
        let second = try #require(try pages.load())
        #expect(second.next != nil && second.items.count == feed.items.count + second.added)
        let last = try #require(try pages.load())
        #expect(last.next == nil && ids(last.items) == all && !pages.isArriving)
        #expect(try pages.load() == nil)
    }

    @Test func withoutRulesNothingIsLookedAt() {
        let feed = feed(VisibleFeed.first * 3).visible(HiddenItems())
        #expect(feed.items.count == VisibleFeed.first * 3 && feed.pages == nil)
    }

    /// An endless feed of a hidden creator ends; it is not read for ever.
    @Test func feedOfHiddenClipsEnds() throws {
        let hidden = HiddenItems(configured: [HideRule(.source, value: "https://h.example/feed.json")])
        let feed = feed(20, pages: Pages(from: 20, size: 1, most: .max)).visible(hidden)
        #expect(feed.items.count == 0)
        #expect(try feed.pages?.load() == nil)
    }

    /// Two further pages have hidden clips only.
    @Test func warningsOfPagesWithoutAVisibleClipAreReported() throws {
        let hidden = HiddenItems(configured: [HideRule(.words, value: "clip 20"), HideRule(.words, value: "clip 21")])
        let feed = feed(20, pages: Pages(from: 20, size: 1, most: 30)).visible(hidden)
        let page = try #require(try feed.pages?.load())
        #expect(page.items.count == 21 && page.items.id(at: 20) == "i22")
        #expect(page.warnings == ["21 items", "22 items", "23 items"])
    }

    @Test func rulesOfTheLibraryAreRead() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/flick.db"
        let (kept, own) = (HideRule(.topic, value: "cats"), HideRule(.words, value: "live now"))
        let hidden = HiddenItems(configured: [HideRule(.topic, value: "dogs")], libraryPath: path)
        #expect(!hidden.read() && hidden.generation == 0)
        try Store(path: path).apply([.hidden(kept, source: "s", true, at: 1)])
        hidden.set(own, hides: true)
        #expect(hidden.read() && hidden.own == [own, kept])
        #expect(!hidden.read())
        // What was decided in this session counts more than what is not written yet.
        hidden.set(kept, hides: false)
        #expect(!hidden.read() && hidden.own == [own])
        var item = Self.item(1)
        item.tags = ["Dogs"]
        #expect(hidden.snapshot.rules.hides(item))
    }

    // MARK: Further pages

    private func page(_ count: Int, next: String?) -> FeedPages.Page {
        FeedPages.Page(
            url: "second", items: (0..<count).map(Self.item), added: 4, next: next, warnings: ["odd"], withoutMedia: 5)
    }

    @Test func furtherPageCountsVisibleItemsOnly() throws {
        let hidden = HiddenItems(configured: [HideRule(.words, value: "clip 3")])
        let pages = ScriptedPages([.success(page(6, next: "third"))])
        let feed = VisibleFeed((0..<2).map(Self.item), pages: pages, hidden: hidden)
        #expect(feed.restart().count == 2 && !feed.isArriving)
        let found = try #require(try feed.load())
        #expect(ids(found.items) == ["i0", "i1", "i2", "i4", "i5"] && found.added == 3)
        #expect(found.url == "second" && found.next == "third" && found.warnings == ["odd"] && found.withoutMedia == 5)
        #expect(feed.hasFurther && feed.hasMore)
        #expect(try feed.load() == nil && !feed.hasFurther && !feed.hasMore)
        #expect(pages.cancels == 0)
        feed.cancel()
        #expect(pages.cancels == 1)
    }

    @Test func lastPageEndsTheFeedEvenIfItIsHidden() throws {
        let hidden = HiddenItems(configured: [HideRule(.words, value: "clip")])
        let pages = ScriptedPages([.success(page(6, next: nil)), .success(page(7, next: nil))], isArriving: true)
        let feed = VisibleFeed((0..<2).map(Self.item), pages: pages, hidden: hidden)
        _ = feed.restart()
        #expect(feed.isArriving)
        let found = try #require(try feed.load())
        #expect(found.items.count == 0 && found.added == 0 && found.next == nil)
        #expect(pages.loads == 1 && !feed.hasFurther)
    }

    @Test func pageThatFailsCanBeLoadedAgain() throws {
        let pages = ScriptedPages([.failure(.noSources), .success(page(6, next: nil))])
        let feed = VisibleFeed((0..<2).map(Self.item), pages: pages, hidden: HiddenItems())
        #expect(throws: FeedsError.noSources) { try feed.load() }
        #expect(feed.hasMore)
        #expect(try feed.load()?.added == 4)
    }

    @Test func itemsBehindThePageInViewAreExaminedFirst() {
        let hidden = HiddenItems()
        let feed = VisibleFeed((0..<6_000).map(Self.item), pages: nil, hidden: hidden)
        #expect(feed.restart().count == 6_000)
        for clip in ["clip 2999", "clip 4000"] { hidden.set(HideRule(.words, value: clip), hides: true) }
        let list = feed.restart(at: 1_000)
        #expect(list.count == 2_999 && list.generation == 2 && feed.isArriving)
        #expect(list.id(at: 2_998) == "i2998")
        // The whole of another list is examined at once.
        let other = feed.restart(with: (0..<4_500).map(Self.item))
        #expect(other.count == 4_498 && !feed.isArriving && !feed.hasMore)
    }
}
