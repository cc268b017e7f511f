import Foundation
import Model
import Platform
import TestSupport
import Testing

@testable import Ranking

/// What For You promises of its order.
@Suite struct RankingTests {
    private static let noon = Moment(seconds: SyntheticFeed.fetched, hour: 12)

    private static func item(_ number: Int, by creator: String?, topic: String = "cats", feed: String = "f") -> Item {
        var item = Item(
            id: "i\(number)", url: "https://e.example/\(number).mp4", title: "Clip \(number)", duration: .seconds(30),
            creator: creator.map { Item.Creator(id: $0, name: $0) }, tags: [topic])
        item.feed = "https://\(feed).example/"
        return item
    }

    private static func watched(
        _ item: Item, _ completion: Double, _ reaction: Reaction = Reaction()
    ) -> Viewing {
        Viewing(
            Candidate(item),
            Viewing.Outcome(completion: completion, watchTime: .seconds(30 * completion), reaction: reaction), at: noon)
    }

    // MARK: Figures, at the size of a test: `flick-bench ranking` has the full ones

    @Test func tastesAreLearnedAndFollowed() {
        let trials = ViewerTrials(viewers: 40, items: 2_500, seed: 71)
        #expect(ViewerTrials.medianGain(trials.withTaste, 0..<100) >= 1.4)
        #expect(ViewerTrials.medianGain(trials.withTaste, 140..<160) >= 1.2)
        #expect(ViewerTrials.medianGain(trials.withoutTaste, 0..<100) >= 0.95)
        for trial in trials.withTaste + trials.withoutTaste {
            #expect(trial.creators >= 8)
            #expect(trial.closest == 1)
        }
    }

    // MARK: Order

    @Test func coldStartIsHomesOrder() {
        // One creator only: keeping creators apart must not matter, either.
        let candidates = (0..<50).map { Candidate(Self.item($0, by: $0 < 25 ? "a" : "b")) }
        let picks = FeedRanker(TasteModel()).next(of: candidates, limit: 50, at: Self.noon, seed: 1)
        #expect(picks.map(\.index) == Array(0..<50))
        #expect(picks.allSatisfy { $0.way == .home })
    }

    @Test func creatorsAreKeptApartAlsoAcrossRankings() {
        var model = TasteModel()
        for number in 0..<20 { model.learn(from: Self.watched(Self.item(number, by: "a"), 1)) }
        let candidates = (100..<400).map { Candidate(Self.item($0, by: ["a", "a", "b", "c", "d", "e", "g"][$0 % 7])) }
        let recent = [Candidate(Self.item(1, by: "a"))]
        let picks = FeedRanker(model).next(of: candidates, after: recent, limit: 100, at: Self.noon, seed: 2)
        let creators = (recent + picks.map { candidates[$0.index] }).map(\.creatorKey)
        for start in 0...creators.count - 5 { #expect(Set(creators[start..<start + 5]).count == 5) }
        #expect(Set(picks.map(\.index)).count == 100)
    }

    @Test func clipRightBeforeARankingIsFourClipsAway() {
        let recent: [UInt64?] = [1]
        var spacing = CreatorSpacing([1, 2, 3, 4, 5, 6], after: recent)
        let order = (0..<6).map { _ in spacing.takeBest() }
        #expect(order == [1, 2, 3, 4, 0, 5])
    }

    @Test func oneCreatorAloneIsShownAnyway() {
        var model = TasteModel()
        model.learn(from: Self.watched(Self.item(0, by: "a"), 0))
        let candidates = (1..<40).map { Candidate(Self.item($0, by: "a")) }
        let picks = FeedRanker(model).next(of: candidates, limit: 100, at: Self.noon, seed: 3)
        #expect(Set(picks.map(\.index)) == Set(0..<39))
    }

    @Test func newSourcesGetAChance() {
        var model = TasteModel()
        for number in 0..<60 { model.learn(from: Self.watched(Self.item(number, by: "c\(number % 9)"), 1)) }
        // Whatever is from the new source comes last in Home's order, and nothing speaks for it.
        let known = (100..<1_000).map { Candidate(Self.item($0, by: "c\($0 % 30)")) }
        let new = (1_000..<1_010).map { Candidate(Self.item($0, by: "n\($0)", topic: "new", feed: "new")) }
        let picks = FeedRanker(model, exploration: 0.1).next(of: known + new, limit: 30, at: Self.noon, seed: 4)
        #expect(picks.contains { $0.way == .newSource && $0.index >= known.count })
        #expect(picks.count { $0.way == .newSource || $0.way == .explored } == 3)
        let without = FeedRanker(model, exploration: 0).next(of: known + new, limit: 30, at: Self.noon, seed: 4)
        #expect(without.allSatisfy { $0.way == .learned })
    }

    /// All of its clips are from it anyway.
    @Test func singleSourceIsNoReason() {
        var model = TasteModel()
        model.learn(from: Self.watched(Self.item(0, by: nil), 0.5))
        let candidates = (1..<40).map { Candidate(Self.item($0, by: nil)) }
        let picks = FeedRanker(model, exploration: 0.5).next(of: candidates, limit: 30, at: Self.noon, seed: 6)
        #expect(picks.contains { $0.way == .explored } && !picks.contains { $0.way == .newSource })
        // Nothing but the source is known of these clips.
        func item(_ number: Int) -> Item {
            var item = Item(id: "s\(number)", url: "https://e.example/s\(number).mp4")
            item.feed = "https://f.example/"
            return item
        }
        var watcher = TasteModel()
        for number in 0..<6 { watcher.learn(from: Self.watched(item(number), 1)) }
        #expect(watcher.reason(for: item(9), .learned) == .finishes(.source))
        #expect(watcher.reason(for: item(9), .learned, namesSource: false) == .home)
    }

    @Test func seenClipsComeLast() {
        var model = TasteModel()
        model.learn(from: Self.watched(Self.item(0, by: "a"), 1))
        let candidates = (1...20).map { Candidate(Self.item($0, by: "c\($0)"), isSeen: $0 <= 10) }
        let picks = FeedRanker(model).next(of: candidates, limit: 20, at: Self.noon, seed: 5)
        #expect(Set(picks.prefix(10).map(\.index)) == Set(10..<20))
        #expect(picks.suffix(10).map(\.index) == Array(0..<10))
    }

    @Test func sameSeedGivesTheSameOrder() {
        var model = TasteModel()
        for number in 0..<30 { model.learn(from: Self.watched(Self.item(number, by: "c\(number)"), 0.5)) }
        let candidates = (100..<300).map { Candidate(Self.item($0, by: "d\($0 % 40)", topic: "t\($0 % 17)")) }
        func order(_ seed: UInt64) -> [FeedRanker.Pick] {
            FeedRanker(model, exploration: 0.5).next(of: candidates, limit: 50, at: Self.noon, seed: seed)
        }
        #expect(order(1) == order(1))
        #expect(order(1) != order(2))
    }

    // MARK: Learning

    @Test func likesAndDislikesCountMoreThanWatching() {
        let (liked, disliked) = (
            Reaction(isLiked: true, isDisliked: false, isSaved: false),
            Reaction(isLiked: false, isDisliked: true, isSaved: false)
        )
        func weight(_ viewing: Viewing) -> Float {
            TasteModel(replaying: [viewing]).current(viewing.candidate.creatorKey ?? 0).mean
        }
        let item = Self.item(1, by: "a")
        #expect(weight(Self.watched(item, 1, liked)) > weight(Self.watched(item, 1)))
        #expect(weight(Self.watched(item, 1)) > 0 && weight(Self.watched(item, 0.02)) < 0)
        // Although it was watched to its end.
        #expect(weight(Self.watched(item, 1, disliked)) < weight(Self.watched(item, 0.02)))
    }

    @Test func reasonsNameWhatTheUserDid() {
        var model = TasteModel()
        let item = Self.item(900, by: "Ilma Kettu", topic: "birds")
        #expect(model.reason(for: item, .home).description.contains("In Home order"))
        for number in 0..<6 {
            model.learn(from: Self.watched(Self.item(number, by: "Ilma Kettu", topic: "t\(number)"), 1))
            model.learn(from: Self.watched(Self.item(100 + number, by: "x\(number)", topic: "u\(number)"), 0))
        }
        #expect(model.reason(for: item, .learned).description == "You finish most clips by Ilma Kettu")
        #expect(model.reason(for: item, .explored) == .explored)
        let hostile = Self.item(901, by: "Ilma\u{1B}[31m\nKettu", topic: "birds")
        #expect(!model.reason(for: hostile, .learned).description.unicodeScalars.contains { $0.value < 0x20 })
        #expect(model.reason(for: Self.item(902, by: "x1", topic: "u1"), .learned) == .home)
    }

    // MARK: Hidden

    private func rules(hiding item: Item) throws -> [HideRule] {
        [
            HideRule(clip: item), try #require(HideRule(creatorOf: item)), HideRule(.topic, value: "#cats"),
            HideRule(sourceOf: item), HideRule(.words, value: "CLIP 1"),
        ]
    }

    @Test func eachKindOfRuleHides() throws {
        let item = Self.item(1, by: "a", topic: "Cats!")
        let other = Self.item(2, by: "b", topic: "dogs", feed: "other")
        for rule in try rules(hiding: item) {
            let hidden = HiddenRules([rule])
            #expect(hidden.hides(item) && !hidden.hides(other), "\(rule.kind)")
        }
        #expect(!HiddenRules([]).hides(item) && HiddenRules([]).isEmpty)
        #expect(HiddenRules([HideRule(.place, value: "for-you")]).isEmpty)
        // Words follow each other.
        #expect(!HiddenRules([HideRule(.words, value: "1 clip")]).hides(item))
    }

    @Test(arguments: [
        ("https://user:secret@h.example/feed.xml", "h.example/feed.xml"),
        ("https://tube.example/api/v1/videos?start=0&count=12", "tube.example"),
        ("https://tube.example", "tube.example"),
        ("file:///home/me/otters/feed.json", "otters/feed.json"),
    ])
    func sourceHasANameThatPeopleCanRead(feed: String, name: String) {
        var item = Self.item(1, by: "a")
        item.feed = feed
        #expect(HideRule(sourceOf: item).name == name)
    }

    @Test func clipIsHiddenInOtherFeeds() {
        let item = Self.item(1, by: "a", topic: "t", feed: "https://h.example/feed.json")
        var elsewhere = item
        (elsewhere.feed, elsewhere.id) = ("https://other.example/feed.json", "x")
        var moved = item
        moved.url = "https://h.example/signed.mp4?token=2"
        let hidden = HiddenRules([HideRule(clip: item)])
        #expect(hidden.hides(elsewhere) && hidden.hides(moved))
        moved.id = "y"
        #expect(!hidden.hides(moved))
    }

    /// An id means something in its server's feeds only; names that the user writes match everywhere.
    @Test func creatorsAreHiddenByIDURLAndName() {
        func item(_ creator: Item.Creator, feed: String = "https://h.example/feed.json") -> Item {
            Item(id: "1", url: "https://h.example/1.mp4", creator: creator, feed: feed)
        }
        let named = item(Item.Creator(id: "7", name: "Ilma Kettu"))
        let elsewhere = item(Item.Creator(id: "7", name: "Bo"), feed: "https://other.example/feed.json")
        let byID = HiddenRules([HideRule(creatorOf: named)!])
        #expect(byID.hides(item(Item.Creator(id: "7"), feed: "https://h.example/other.json")))
        #expect(!byID.hides(elsewhere))
        let url = Item.Creator(name: "Ilma Kettu", url: "https://h.example/@ilma")
        let byName = HiddenRules([HideRule(.creator, value: "ilma KETTU")])
        #expect(byName.hides(named) && byName.hides(item(url)) && !byName.hides(elsewhere))
        let byURL = HiddenRules([HideRule(.creator, value: "https://h.example/@ilma")])
        #expect(byURL.hides(item(url)) && !byURL.hides(named))
    }

    @Test func topicHidesFilesInAFolderOfThatName() {
        var item = Self.item(1, by: nil, topic: "birds")
        item.folder = "Otters"
        #expect(HiddenRules([HideRule(.topic, value: "otters")]).hides(item))
    }

    @Test func folderIsHiddenWithThoseInIt() {
        func file(_ path: String) -> Item { Item(id: path, url: "file://\(path)") }
        let hidden = HiddenRules([HideRule(.source, value: "file:///home/me/clips")])
        #expect(hidden.hides(file("/home/me/clips/a.mp4")) && hidden.hides(file("/home/me/clips/more/b.mp4")))
        #expect(!hidden.hides(file("/home/me/clips2/c.mp4")) && !hidden.hides(file("/home/me/d.mp4")))
        #expect(hidden.hides(source: "/home/me/clips") && !hidden.hides(source: "/home/me"))
    }
}
