import Foundation
import Model

/// A made-up world of creators and their clips, in Home's order: each source in its turn, the newest first. The same
/// for the same seed.
///
/// What feeds say of clips is incomplete and partly wrong, as it is in life: one in five has no tags, one in ten no
/// duration, one in twenty no creator; tags and title words stray from what a clip is about.
public struct SyntheticFeed: Sendable {
    /// A clip, and what only its viewers can see of it.
    public struct Clip: Sendable {
        public var item: Item
        public var creator: Int
        /// What it is really about, whatever its tags say.
        public var topic: Int
        /// In seconds, also where the feed does not say it.
        public var length: Double
        /// How good it is of its kind: normally distributed around 0.
        public var quality: Double
    }

    public static let topics = 30
    public static let sources = 24
    public let clips: [Clip]
    public let creators: Int
    /// When it was fetched, in seconds since 1970.
    public static let fetched = 1_780_000_000.0

    public init(count: Int = 20_000, creators: Int = 600, seed: UInt64) {
        self.creators = creators
        var random = SeededRandom(state: seed)
        let makers = (0..<creators).map { _ in Maker(&random) }
        // A few creators make most clips (Zipf).
        var sums: [Double] = []
        for rank in 1...creators { sums.append((sums.last ?? 0) + pow(Double(rank), -0.8)) }
        var queues = [[Clip]](repeating: [], count: Self.sources)
        for number in 0..<count {
            let point = Double.random(in: 0..<sums[creators - 1], using: &random)
            let creator = min(sums.partitioningIndex { $0 > point }, creators - 1)
            let clip = makers[creator].clip(number, by: creator, &random)
            queues[makers[creator].source].append(clip)
        }
        var rounds = queues.map { queue in
            queue.sorted { ($0.item.published ?? .distantPast) > ($1.item.published ?? .distantPast) }[...]
        }
        var mixed: [Clip] = []
        while mixed.count < count {
            for source in rounds.indices { if let clip = rounds[source].popFirst() { mixed.append(clip) } }
        }
        clips = mixed
    }

    /// What a creator makes.
    private struct Maker {
        var source: Int
        var topics: [Int]
        /// Of the length: the logarithm of its usual seconds.
        var length: Double
        var ending: String

        init(_ random: inout SeededRandom) {
            source = Int.random(in: 0..<SyntheticFeed.sources, using: &random)
            topics = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Int.random(in: 0..<SyntheticFeed.topics, using: &random)
            }
            length = log([12.0, 35, 35, 100, 420].randomElement(using: &random) ?? 35)
            ending = ["mp4", "mp4", "mp4", "mp4", "m3u8", "jpg", "mp3"].randomElement(using: &random) ?? "mp4"
        }

        func clip(_ number: Int, by creator: Int, _ random: inout SeededRandom) -> Clip {
            func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
            func anyTopic() -> Int { Int.random(in: 0..<SyntheticFeed.topics, using: &random) }
            let topic = chance(0.85) ? topics.randomElement(using: &random) ?? 0 : anyTopic()
            var tags = chance(0.9) ? [topic] : [anyTopic()]
            while chance(0.4), tags.count < 6 { tags.append(chance(0.5) ? topics[0] : anyTopic()) }
            if chance(0.2) { tags = [] }
            var words = (0..<Int.random(in: 2...6, using: &random)).map { _ in
                "word\(Int.random(in: 0..<400, using: &random))"
            }
            if chance(0.6) { words[0] = "about\(topic)x\(Int.random(in: 0..<12, using: &random))" }
            let seconds = min(3_600, max(4, exp(length + 0.4 * random.normal())))
            let age = Double.random(in: 0..<30 * 86_400, using: &random)
            var item = Item(
                id: "clip\(number)", url: "https://media\(source).example/\(number).\(ending)",
                title: words.joined(separator: " "), duration: chance(0.1) ? nil : .seconds(seconds),
                published: Date(timeIntervalSince1970: SyntheticFeed.fetched - age),
                creator: chance(0.05) ? nil : Item.Creator(id: "c\(creator)", name: "Creator \(creator)"),
                tags: tags.map { "topic\($0)" })
            item.feed = "https://source\(source).example/feed"
            return Clip(item: item, creator: creator, topic: topic, length: seconds, quality: random.normal())
        }
    }
}

extension RandomNumberGenerator {
    /// Normally distributed, with a standard deviation of 1 (Box and Muller).
    mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: .leastNonzeroMagnitude..<1, using: &self))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}

extension Array {
    /// The first index whose element fulfils a condition that all later ones fulfil, too.
    fileprivate func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
