import Foundation
import Model

/// A simulated viewer, whose tastes the ranking has to learn.
///
/// It does not share the ranking's model. A viewer knows what a clip is really about and how good it is, which no
/// feature says. Likings do not add up: the strongest attraction counts, and any aversion outweighs it. A coin decides
/// whether the viewer stays after the first seconds: if not, it leaves after a random time, which is much of a short
/// clip and little of a long one; else it mostly sees the end. One visit in twelve is interrupted. Likes are rare, and
/// some are for no reason.
public struct SyntheticViewer: Sendable {
    /// What a visit comes to.
    public struct Visit: Sendable {
        public var completion: Double
        public var seconds: Double
        public var replays: Int
        public var reaction: Reaction
    }

    /// How clearly a viewer knows what it likes.
    public enum Kind: Sendable {
        case none
        /// Two of three clips that it neither likes nor dislikes are left after some seconds, a quarter of those that
        /// it likes.
        case mild
        /// The same of four in five, and of one in five.
        case clear

        /// In logits of staying: where nothing attracts, and what attracts.
        fileprivate var indifference: Double { self == .clear ? -1.5 : -0.8 }
        fileprivate var attraction: ClosedRange<Double> { self == .clear ? 2.2...3.7 : 1.5...3 }
    }

    private struct Taste {
        var topics: [Int: Double] = [:]
        var creators: [Int: Double] = [:]
        /// The logarithm of the seconds that it likes best; nil if any length will do.
        var length: Double?
    }

    private let kind: Kind
    private let seed: UInt64
    /// Before and after tastes change.
    private var tastes: [Taste] = []

    public init(_ kind: Kind, in feed: SyntheticFeed, seed: UInt64) {
        self.kind = kind
        self.seed = seed
        var random = SeededRandom(state: seed)
        for _ in 0..<2 { tastes.append(kind == .none ? Taste() : Self.taste(kind, in: feed, &random)) }
    }

    private static func taste(_ kind: Kind, in feed: SyntheticFeed, _ random: inout SeededRandom) -> Taste {
        var taste = Taste()
        // What is drawn twice is liked.
        for _ in 0..<8 {
            taste.topics[Int.random(in: 0..<SyntheticFeed.topics, using: &random)] = -Double.random(
                in: 1...3, using: &random)
        }
        for _ in 0..<6 {
            taste.topics[Int.random(in: 0..<SyntheticFeed.topics, using: &random)] = Double.random(
                in: kind.attraction, using: &random)
        }
        for sign in [-1.0, 1] {
            for _ in 0..<10 {
                taste.creators[Int.random(in: 0..<feed.creators, using: &random)] =
                    sign * Double.random(in: kind.attraction, using: &random)
            }
        }
        if Bool.random(using: &random) { taste.length = log([15.0, 60, 300].randomElement(using: &random) ?? 60) }
        return taste
    }

    /// How a visit of a clip ends: the same whenever it is visited.
    ///
    /// - Parameter hasChanged: whether the viewer's tastes have changed.
    public func watch(_ clip: SyntheticFeed.Clip, number: Int, hasChanged: Bool) -> Visit {
        var random = SeededRandom(state: seed &* 31 &+ UInt64(number) &* 2 &+ (hasChanged ? 1 : 0))
        func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
        let appeal = appeal(of: clip, hasChanged: hasChanged)
        let seconds: Double
        if chance(1.0 / 12) {
            seconds = clip.length * Double.random(in: 0..<1, using: &random)
        } else if chance(1 / (1 + exp(-appeal))) {
            seconds = clip.length * (chance(0.75) ? 1 : Double.random(in: 0.3..<1, using: &random))
        } else {
            seconds = min(clip.length, 1 - 3 * log(Double.random(in: .leastNonzeroMagnitude..<1, using: &random)))
        }
        var visit = Visit(
            completion: seconds / clip.length, seconds: seconds, replays: 0, reaction: Reaction())
        if visit.completion >= 1, clip.length < 60, chance(0.2) {
            visit.replays = Int.random(in: 1...3, using: &random)
            visit.seconds += seconds * Double(visit.replays)
        }
        visit.reaction.isLiked = chance(appeal > 1 && visit.completion > 0.5 ? 0.12 : 0.004)
        visit.reaction.isSaved = chance(appeal > 1 && visit.completion > 0.5 ? 0.04 : 0.001)
        visit.reaction.isDisliked = !visit.reaction.isLiked && chance(appeal < -2 ? 0.04 : 0.001)
        return visit
    }

    /// In logits of staying.
    private func appeal(of clip: SyntheticFeed.Clip, hasChanged: Bool) -> Double {
        let quality = 0.8 * clip.quality
        guard kind != .none else { return quality }
        let taste = tastes[hasChanged ? 1 : 0]
        let likings = [taste.topics[clip.topic] ?? 0, taste.creators[clip.creator] ?? 0]
        let (attraction, repulsion) = (max(0, likings.max() ?? 0), min(0, likings.min() ?? 0))
        let length = taste.length.map { min(1.5, abs($0 - log(clip.length))) } ?? 0
        return kind.indifference + quality + (repulsion < 0 ? 0.5 * attraction : attraction) + repulsion - 0.8 * length
    }
}
