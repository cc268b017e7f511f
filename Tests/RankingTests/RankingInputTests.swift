import Foundation
import Model
import Platform
import TestSupport
import Testing

@testable import Ranking

/// Bad input: files, numbers, clocks, titles, and very many candidates.
@Suite struct RankingInputTests {
    private static let noon = Moment(seconds: 1_780_000_000, hour: 12)

    private static func viewing(_ item: Item, completion: Double = 1, at: Moment = noon) -> Viewing {
        Viewing(Candidate(item), Viewing.Outcome(completion: completion, watchTime: .seconds(10)), at: at)
    }

    private static func trained(_ count: Int) -> TasteModel {
        let feed = SyntheticFeed(count: max(count, 100), seed: 3)
        return TasteModel(
            replaying: feed.clips.prefix(count).map { viewing($0.item, completion: $0.quality > 0 ? 1 : 0.1) })
    }

    @Test func nonFiniteNumbersAreHarmless() {
        var model = Self.trained(50)
        let item = SyntheticFeed(count: 100, seed: 3).clips[60].item
        let odd = [Double.nan, .infinity, -.infinity, -1, 1e300, -1e300]
        for completion in odd {
            for seconds in odd {
                for duration in [Duration.seconds(-5), .seconds(Int64.max), .zero] {
                    var item = item
                    item.duration = duration
                    item.published = Date(timeIntervalSince1970: seconds)
                    let outcome = Viewing.Outcome(completion: completion, watchTime: duration, replays: .min)
                    #expect((0...1).contains(outcome.worth))
                    // Not even an infinite share of a clip counts as watched.
                    if !completion.isFinite, duration <= .zero { #expect(outcome.worth == 0) }
                    model.learn(from: Viewing(Candidate(item), outcome, at: Moment(seconds: seconds, hour: .min)))
                    let picks = FeedRanker(model, exploration: seconds).next(
                        of: [Candidate(item)], limit: 5, at: Moment(seconds: completion, hour: .max), seed: 1)
                    #expect(picks.count == 1)
                }
            }
        }
        #expect(model.weights.entries.allSatisfy { $0.weight.mean.isFinite && $0.weight.variance.isFinite })
    }

    /// However little of the clip was watched.
    @Test func savedClipIsWorthAsMuchAsALikedOne() {
        func worth(isLiked: Bool = false, isDisliked: Bool = false, isSaved: Bool = false) -> Double {
            let reaction = Reaction(isLiked: isLiked, isDisliked: isDisliked, isSaved: isSaved)
            return Viewing.Outcome(completion: 0.1, watchTime: .seconds(1), reaction: reaction).worth
        }
        #expect(worth(isLiked: true) == 1 && worth(isSaved: true) == 1 && worth() < 0.2)
        #expect(worth(isDisliked: true, isSaved: true) == 0)
    }

    @Test func wrongClockForgetsNothing() {
        let item = SyntheticFeed(count: 100, seed: 3).clips[0].item
        var (right, wrong) = (TasteModel(), TasteModel())
        for number in 0..<20 {
            right.learn(from: Self.viewing(item))
            let seconds = number == 10 ? 9e12 : Self.noon.seconds
            wrong.learn(from: Self.viewing(item, at: Moment(seconds: seconds, hour: 12)))
        }
        let source = Candidate(item).source
        #expect(abs(right.current(source).mean - wrong.current(source).mean) < 0.02)
    }

    @Test func hostileTitlesAreBounded() {
        let titles = [
            "", " ", "\u{0}\u{1B}[2J\u{7}", String(repeating: "a", count: 1_000_000),
            String(repeating: "a b ", count: 300_000), String(repeating: "\u{301}", count: 100_000), "🐱🐱🐱",
            "日本語の題名",
        ]
        var model = TasteModel()
        let rules = HiddenRules([
            HideRule(.words, value: ""), HideRule(.topic, value: "\u{1B}"), HideRule(.creator, value: ""),
        ])
        let candidates = titles.enumerated().map { number, title in
            var item = Item(id: title, url: "https://e.example/\(number).mp4", title: title)
            item.tags = Array(repeating: title, count: 50)
            item.creator = Item.Creator(name: title)
            return Candidate(item)
        }
        for candidate in candidates {
            #expect(candidate.words.count <= 64 && candidate.topics.count <= 17)
            model.learn(from: Viewing(candidate, .init(completion: 1, watchTime: .seconds(5)), at: Self.noon))
        }
        #expect(rules.isEmpty)
        let picks = FeedRanker(model).next(of: candidates, limit: 20, at: Self.noon, seed: 2)
        #expect(Set(picks.map(\.index)) == Set(titles.indices))
    }

    @Test func modelSizeIsBounded() {
        var model = TasteModel()
        let creator = Item.Creator(name: "always")
        for number in 0..<20_000 {
            let words = (0..<12).map { "w\(number)x\($0)" }.joined(separator: " ")
            model.learn(
                from: Self.viewing(
                    Item(id: "\(number)", url: "https://e.example/\(number)", title: words, creator: creator)))
        }
        #expect(model.weights.count <= WeightTable.capacity)
        let key = Candidate(Item(id: "", url: "", creator: creator)).creatorKey ?? 0
        #expect(model.current(key).mean > 0)
    }

    /// Beyond the reach are only clips that would come first.
    @Test func candidatesBeyondTheReachAreNotRanked() {
        func item(by name: String) -> Item {
            Item(id: name, url: "https://e.example/\(name).mp4", creator: Item.Creator(name: name))
        }
        var model = TasteModel()
        for _ in 0..<10 { model.learn(from: Self.viewing(item(by: "liked"))) }
        let (liked, other) = (Candidate(item(by: "liked")), Candidate(item(by: "other")))
        func best(of candidates: [Candidate], _ limit: Int) -> [FeedRanker.Pick] {
            FeedRanker(model, exploration: 0).next(of: candidates, limit: limit, at: Self.noon, seed: 3)
        }
        #expect(best(of: [other, liked], 1).map(\.index) == [1])
        let near = Array(repeating: other, count: FeedRanker.reach)
        let picks = best(of: near + Array(repeating: liked, count: 1_000_000 - near.count), 100)
        #expect(picks.count == 100 && picks.allSatisfy { $0.index < FeedRanker.reach })
    }
}
