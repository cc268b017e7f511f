import Feeds
import Foundation
import Model
import Ranking
import Synchronization
import TestSupport
import Testing

@testable import App
@testable import Engagement

/// For You and Following, with a library of SQLite.
@Suite struct ForYouTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }
    private var library: LibraryReader { LibraryReader(path: path, privateHosts: .always) }

    /// Clips by two creators in turn.
    private static let items = (0..<60).map { number in
        let name = number % 2 == 0 ? "Ilma" : "Bo"
        return Item(
            id: "i\(number)", url: "https://h.example/\(number).mp4", title: "Clip \(number)",
            creator: Item.Creator(id: name, name: name), feed: "https://h.example/feed.json")
    }

    private func store() throws -> Store { try Store(path: path) }

    private func visit(_ item: Item, completion: Double, at: Double = 1_780_000_000) -> [Change] {
        let entry = LibraryItem(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: ""), feed: item.feed, source: "s")
        let detail = #"{"watch_time":\#(completion * 20),"completion":\#(completion),"replay_count":0}"#
        let event = LoggedEvent(id: "\(item.id) \(at)", session: "s", at: at, what: "summary", detail: detail)
        return [.seen(entry, at: at), .event(entry, event)]
    }

    private func feed(_ items: [Item] = items) -> Feed { Feed(title: "Home", items: items, source: "s") }

    private func forYou(
        _ feed: Feed, exploration: Double = 0, _ reasons: @escaping @Sendable ([Item.ID: String]) -> Void = { _ in }
    ) -> ChosenPages {
        ChosenPages("for-you:", of: feed, by: ForYouChoice(library, exploration: exploration, explain: reasons))
    }

    private func ids(_ list: (any ItemList)?) -> [Item.ID] {
        (0..<(list?.count ?? 0)).map { list?.id(at: $0) ?? "" }
    }

    @Test func beforeAnythingWasWatchedTheOrderIsHomes() throws {
        let pages = forYou(feed(), exploration: 0.5)
        #expect(try ids(pages.load()?.items) == Self.items.prefix(8).map(\.id))
        #expect(try ids(pages.load()?.items) == Self.items.prefix(16).map(\.id))
    }

    @Test func watchedCreatorsComeFirst() throws {
        let store = try store()
        for item in Self.items.prefix(20) {
            try store.apply(visit(item, completion: item.creator?.name == "Ilma" ? 1 : 0.05))
        }
        let reasons = Mutex<[Item.ID: String]>([:])
        let pages = forYou(feed()) { new in reasons.withLock { $0.merge(new) { $1 } } }
        let first = try #require(try pages.load())
        // No creator twice within five, if there are others.
        #expect(ids(first.items).first == "i20")
        #expect(reasons.withLock { $0["i20"] } == "You finish most clips by Ilma")
        // Those that were seen come last.
        var all: [Item.ID] = []
        while let page = try pages.load() { all = ids(page.items) }
        #expect(Set(all) == Set(Self.items.map(\.id)) && all.count == Self.items.count)
        #expect(Set(all.suffix(20)) == Set(Self.items.prefix(20).map(\.id)))
    }

    /// Eight clips are chosen at once; what is watched meanwhile decides about the next.
    @Test func creatorHasTwoOfTwentyClipsOverSeveralChoices() throws {
        let creators = 14
        let items = (0..<20 * creators).map { number in
            let name = "Creator \(number % creators)"
            return Item(
                id: "\(number)", url: "https://h.example/\(number).mp4",
                creator: Item.Creator(id: name, name: name), feed: "https://h.example/feed.json")
        }
        let store = try store()
        for (number, item) in items.prefix(3 * creators).enumerated() {
            try store.apply(visit(item, completion: number % creators == 0 ? 1 : 0.05))
        }
        let pages = forYou(feed(items))
        for _ in 0..<5 { _ = try pages.load() }
        let chosen = try ids(#require(try pages.load()).items).map { (Int($0) ?? 0) % creators }
        #expect(chosen.count == 48 && chosen[0] == 0)
        for start in 0...chosen.count - 20 {
            let window = chosen[start..<start + 20]
            #expect(Set(window).allSatisfy { creator in window.count { $0 == creator } <= 2 }, "\(window)")
        }
    }

    @Test func laterChoicesKnowWhatWasWatchedMeanwhile() throws {
        let others = Self.items.filter { $0.creator?.name == "Bo" }
        let favourite = Self.items.filter { $0.creator?.name == "Ilma" }
        let store = try store()
        let pages = forYou(feed(others + favourite))
        #expect(try ids(pages.load()?.items) == others.prefix(8).map(\.id))
        for item in others.prefix(8) { try store.apply(visit(item, completion: 0)) }
        for item in favourite.prefix(2) { try store.apply(visit(item, completion: 1)) }
        let next = try #require(try pages.load())
        #expect(ids(next.items)[8] == favourite[2].id)
    }

    /// In Home, say: it was a candidate before it was seen.
    @Test func candidateThatIsWatchedElsewhereComesLast() throws {
        let store = try store()
        for item in Self.items.prefix(2) { try store.apply(visit(item, completion: 1)) }
        let pages = forYou(feed())
        let first = Set(try ids(pages.load()?.items))
        let other = try #require(Self.items.dropFirst(2).first { !first.contains($0.id) })
        try store.apply(visit(other, completion: 1))
        var all: [Item.ID] = []
        while let page = try pages.load() { all = ids(page.items) }
        #expect(all.count == 60 && all.suffix(3) == ["i0", "i1", other.id])
    }

    @Test func sourceIsAReasonOnlyAmongSeveral() throws {
        func items(of host: String) -> [Item] {
            (0..<12).map {
                Item(id: "\(host)\($0)", url: "https://\(host)/\($0).mp4", feed: "https://\(host)/feed.json")
            }
        }
        let (watched, others) = (items(of: "a.example"), items(of: "b.example"))
        let store = try store()
        for item in watched.prefix(6) { try store.apply(visit(item, completion: 1)) }
        func reasons(_ items: [Item]) throws -> Set<String> {
            let found = Mutex<[Item.ID: String]>([:])
            _ = try forYou(feed(items)) { new in found.withLock { $0.merge(new) { $1 } } }.load()
            let ids = Set(watched.suffix(6).map(\.id))
            return found.withLock { found in Set(found.filter { ids.contains($0.key) }.values) }
        }
        #expect(try reasons(watched) == ["Next on Home"])
        #expect(try reasons(others + watched) == ["You finish most clips from this source"])
    }

    @Test func visitIsReadFromItsSummary() {
        let reaction = Reaction(isLiked: false, isDisliked: true, isSaved: false)
        let line = #"{"watch_time":12.5,"completion":0.25,"replay_count":3,"has_skipped":true}"#
        let outcome = Viewing.Outcome(
            completion: 0.25, watchTime: .seconds(12.5), replays: 3, hasSkipped: true, reaction: reaction)
        #expect(Viewing.Outcome(ofLine: line, reaction) == outcome)
        #expect(
            Viewing.Outcome(ofLine: #"{"watch_time":-5}"#, Reaction())
                == Viewing.Outcome(completion: 0, watchTime: .zero))
        #expect(
            Viewing.Outcome(ofLine: #"{"watch_time":1e9}"#, Reaction())
                == Viewing.Outcome(completion: 0, watchTime: .seconds(1e6)))
    }

    /// Items that are made when they are read, and counted.
    private final class MadeList: ItemList {
        let count: Int
        private let made = Mutex(0)
        var reads: Int { made.withLock(\.self) }

        init(_ count: Int) { self.count = count }

        func id(at index: Int) -> Item.ID { "m\(index)" }
        subscript(index: Int) -> Item {
            made.withLock { $0 += 1 }
            let name = "Creator \(index % 5_000)"
            return Item(
                id: id(at: index), url: "https://h.example/m\(index).mp4", title: "Clip \(index)",
                creator: Item.Creator(id: name, name: name), feed: "https://h.example/feed.json")
        }
    }

    /// The chosen items, the processor time of each choice, and how many items were read of the feed.
    private func choose(_ times: Int, of count: Int) throws -> (ids: [Item.ID], times: [Duration], reads: Int) {
        let list = MadeList(count)
        var cursor = ItemCursor(Feed(title: "Home", items: list, source: "s"))
        var choice = ForYouChoice(library, exploration: 0.1) { _ in }
        var (ids, durations): ([Item.ID], [Duration]) = ([], [])
        for _ in 0..<times {
            let before = ThreadTime.used
            ids += try choice.next(of: &cursor).map(\.id)
            durations.append(ThreadTime.used - before)
        }
        return (ids, durations, list.reads)
    }

    /// Of a million candidates some 20,000 are looked at, and a choice takes no longer than of as many.
    @Test func aMillionCandidatesTakeNoMoreMemoryOrTimeThanTwentyThousand() throws {
        let store = try store()
        for item in Self.items.prefix(30) { try store.apply(visit(item, completion: 1)) }
        let (few, many) = (try choose(13, of: 22_000), try choose(13, of: 1_000_000))
        #expect(many.ids.count == 104 && Set(many.ids).count == 104)
        #expect(few.reads == 22_000 && many.reads == 22_000)
        // All candidates are there for the last two.
        let (least, most) = (few.times.suffix(2).min() ?? .zero, many.times.suffix(2).min() ?? .zero)
        #expect(most < least * 3, "\(most) against \(least)")
    }

    @Test func historyIsLearnedOnceAndInOrder() throws {
        let store = try store()
        var (inSteps, atOnce) = (TasteHistory(), TasteHistory())
        for (number, item) in Self.items.prefix(12).enumerated() {
            try store.apply(visit(item, completion: Double(number % 3) / 2, at: 1_780_000_000 + Double(number)))
            if number % 5 == 0 { try inSteps.catchUp(with: store, .always) }
        }
        try inSteps.catchUp(with: store, .always)
        try atOnce.catchUp(with: store, .always)
        #expect(inSteps.model == atOnce.model && atOnce.model.clips == 12)
        try inSteps.catchUp(with: store, .always)
        #expect(inSteps.model == atOnce.model)
    }

    /// Another program, or a clock, may have written anything.
    @Test(arguments: ["", "{", "[]", #"{"watch_time":"x"}"#, #"{"watch_time":1e999}"#, "\u{0}"])
    func oddEntriesOfTheLogAreLeftOut(detail: String) throws {
        let store = try store()
        let item = Self.items[0]
        let entry = LibraryItem(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: ""), feed: item.feed, source: "s")
        for (number, at) in [0, -1e300, 1e300, Double.infinity].enumerated() {
            let event = LoggedEvent(id: "\(number)", session: "s", at: at, what: "summary", detail: detail)
            try store.apply([.event(entry, event)])
        }
        var history = TasteHistory()
        try history.catchUp(with: store, .always)
        #expect(history.model.isNew)
        #expect(try forYou(feed()).load()?.added == 8)
    }

    @Test func withoutALibraryTheOrderIsHomes() throws {
        _ = try folder.write("flick.db", Array("no database".utf8))
        #expect(try ids(forYou(feed()).load()?.items) == Self.items.prefix(8).map(\.id))
    }

    @Test func keptItemComesFirstAndOnce() throws {
        let pages = forYou(feed())
        _ = try pages.load()
        let list = pages.keep(Self.items[30])
        #expect(ids(list).first == "i30" && list.count == 9)
        let both = ids(pages.keep(Self.items[40]))
        #expect(Array(both.prefix(2)) == ["i40", "i30"] && both.count == 10)
        var all: [Item.ID] = []
        while let page = try pages.load() { all = ids(page.items) }
        #expect(all.count == 60 && Set(all).count == 60 && all.first == "i40")
    }

    // MARK: Following

    @Test func followingHasTheClipsOfFollowedCreators() throws {
        let store = try store()
        let ilma = try #require(CreatorKey(of: Self.items[0]))
        let entry = LibraryItem(key: ItemKey(Self.items[0]), url: "u", json: "{}", source: "s")
        try store.apply([.followed(entry, ilma, name: "Ilma", hasID: true, true, at: 1)])
        let pages = ChosenPages("following:", of: feed(), by: FollowedChoice(library))
        let page = try #require(try pages.load())
        #expect(ids(page.items) == Self.items.filter { $0.creator?.name == "Ilma" }.map(\.id) && page.next == nil)
    }

    /// A feed may have hundreds of clips by others in a row.
    @Test func followedClipIsFoundBehindManyOthers() throws {
        let store = try store()
        let ilma = try #require(CreatorKey(of: Self.items[0]))
        let entry = LibraryItem(key: ItemKey(Self.items[0]), url: "u", json: "{}", source: "s")
        try store.apply([.followed(entry, ilma, name: "Ilma", hasID: true, true, at: 1)])
        let others = (0..<1_200).map { number in
            Item(
                id: "o\(number)", url: "https://h.example/o\(number).mp4", creator: Item.Creator(id: "Bo", name: "Bo"),
                feed: "https://h.example/feed.json")
        }
        let pages = ChosenPages(
            "following:", of: feed(others + [Self.items[0], Self.items[1]]), by: FollowedChoice(library))
        #expect(try ids(pages.load()?.items) == ["i0"])
    }

    @Test func searchForFollowedClipsEnds() throws {
        _ = try store()
        let list = MadeList(30_000)
        let home = Feed(title: "Home", items: list, source: "s")
        #expect(try ChosenPages("following:", of: home, by: FollowedChoice(library)).load() == nil)
        #expect(list.reads == 20_000)
    }

    @Test func followingFeedWithoutFollowsIsEmpty() throws {
        _ = try store()
        #expect(try ChosenPages("following:", of: feed(), by: FollowedChoice(library)).load() == nil)
    }
}
