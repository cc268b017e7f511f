import Foundation
import Model
import Ranking

/// A synthetic viewer who watches For You from a cold start, and its twin who watches Home.
public struct ViewerTrial: Sendable {
    /// What of each clip was watched, in the order of watching.
    public var ranked: [Double] = []
    public var home: [Double] = []
    /// Creators in the first 20 clips of a ranking when the viewer is known.
    public var creators = 0
    /// The greatest number of times that a creator was shown within five clips. 1 is right.
    public var closest = 0

    /// This many clips are chosen at once, when as many are left to watch. A session does the same, because its next
    /// clips are open before they are needed. So what is learned of a clip counts after five to ten more.
    private static let step = 5

    /// - Parameters:
    ///   - count: of clips to watch.
    ///   - change: the number of clips after which tastes change.
    public init(
        _ viewer: SyntheticViewer, in feed: SyntheticFeed, candidates: [Candidate], count: Int, change: Int,
        seed: UInt64
    ) {
        home = (0..<count).map { index in
            viewer.watch(feed.clips[index], number: index, hasChanged: index >= change).completion
        }
        var random = SeededRandom(state: seed)
        var ranker = FeedRanker(TasteModel())
        var left = Array(candidates.indices)
        var shown: [Int] = []
        var watched = 0
        while watched < count {
            // Sessions are of half an hour, at any time of the day.
            let session = Double(watched / 25)
            let hour = Int(session * 7) % 24
            let moment = Moment(
                seconds: SyntheticFeed.fetched + session * 25_200 + Double(watched % 25) * 60, hour: hour)
            while shown.count < min(count, watched + 2 * Self.step) {
                let picks = ranker.next(
                    of: left.map { candidates[$0] }, after: shown.suffix(20).map { candidates[$0] }, limit: Self.step,
                    at: moment, seed: random.next())
                shown += picks.map { left[$0.index] }
                for index in picks.map(\.index).sorted(by: >) { left.remove(at: index) }
            }
            for number in shown[watched..<min(watched + Self.step, count)] {
                let visit = viewer.watch(feed.clips[number], number: number, hasChanged: watched >= change)
                ranked.append(visit.completion)
                ranker.model.learn(
                    from: Viewing(
                        candidates[number],
                        Viewing.Outcome(
                            completion: feed.clips[number].item.duration == nil ? 0 : visit.completion,
                            watchTime: .seconds(visit.seconds), replays: visit.replays,
                            hasSkipped: visit.completion < 0.8, reaction: visit.reaction), at: moment))
                watched += 1
            }
        }
        let top = ranker.next(
            of: left.map { candidates[$0] }, after: [], limit: 20,
            at: Moment(seconds: SyntheticFeed.fetched, hour: 12), seed: random.next())
        creators = Set(top.compactMap { candidates[left[$0.index]].creatorKey }).count
        let makers = shown.map { candidates[$0].creatorKey }
        // Before anything is learned, the order is Home's.
        for start in makers.indices.dropFirst(2 * Self.step) {
            let five = makers[start...].prefix(5).compactMap(\.self)
            closest = max(closest, Dictionary(grouping: five, by: \.self).values.map(\.count).max() ?? 0)
        }
    }

    /// The gain of watching these clips of For You in place of those of Home.
    public func gain(_ range: Range<Int>) -> Double {
        ranked[range].reduce(0, +) / home[range].reduce(0, +)
    }
}

/// Trials of many viewers over one feed.
public struct ViewerTrials: Sendable {
    public let withTaste: [ViewerTrial]
    public let withoutTaste: [ViewerTrial]
    /// The number of clips after which tastes change.
    public static let change = 100
    private static let count = 160

    /// Half of the viewers have a taste.
    public init(viewers: Int, items: Int, taste: SyntheticViewer.Kind = .clear, seed: UInt64) {
        let feed = SyntheticFeed(count: items, seed: seed)
        let candidates = feed.clips.map { Candidate($0.item) }
        func trials(_ kind: SyntheticViewer.Kind) -> [ViewerTrial] {
            (0..<viewers / 2).map { number in
                let own = seed &* 1_000_003 &+ UInt64(number) * 2 + (kind == .none ? 0 : 1)
                return ViewerTrial(
                    SyntheticViewer(kind, in: feed, seed: own), in: feed, candidates: candidates,
                    count: Self.count, change: Self.change, seed: own &+ 17)
            }
        }
        withTaste = trials(taste)
        withoutTaste = trials(.none)
    }

    /// The median of what viewers gain in a range of clips.
    public static func medianGain(_ trials: [ViewerTrial], _ range: Range<Int>) -> Double {
        let gains = trials.map { $0.gain(range) }.sorted()
        return gains.isEmpty ? .nan : gains[gains.count / 2]
    }
}
