import Bytes
import Model

/// Sources of a mixed feed that have not answered when the feed begins. A value; used by one thread at a time.
struct PendingSources: Sendable {
    /// How long a feed waits for company of the first source that answers:
    /// servers at the same distance answer at the same time.
    static let company = Duration.milliseconds(150)
    /// The number of items shown before the late sources join: few, because late sources contribute none of them.
    static let begun = 8

    private let readings: ParallelReadings<FeedAssembler>
    private let provider: any ByteProvider
    private let options: FeedOptions
    /// The places of those that were not taken.
    private var missing: [Int]
    /// When those that have answered join.
    private let deadline: ContinuousClock.Instant
    private let sources: [FeedSource]

    /// - Parameters:
    ///   - missing: the places of those among `sources` that have not answered.
    init(
        _ readings: ParallelReadings<FeedAssembler>, of sources: [FeedSource], missing: [Int],
        until deadline: ContinuousClock.Instant, _ provider: any ByteProvider, _ options: FeedOptions
    ) {
        self.readings = readings
        self.sources = sources
        (self.provider, self.options) = (provider, options)
        self.missing = missing
        self.deadline = deadline
    }

    var isEmpty: Bool { missing.isEmpty }

    /// The address of the first of them, or of the first one that there was.
    var name: String { sources[missing.first ?? 0].text }

    /// One line for each of them.
    var complaints: [String] {
        missing.map { place in
            let name = sources[place].name ?? ShownName.of(sources[place].text)
            return "\(name): no response yet; its items will follow"
        }
    }

    /// Takes the sources that have answered; nil if none has. Blocks until all have
    /// answered, or until the feed has waited long enough.
    mutating func takeAll() -> FeedAssembler? {
        let missing = missing
        return take(
            readings.results(upTo: deadline - .now) { results in
                missing.allSatisfy { results[$0] != nil }
            })
    }

    /// Takes those that have answered by now.
    mutating func takeAnswered() -> FeedAssembler? { take(readings.results { _ in true }) }

    /// Takes those that have answered. Blocks until there is one.
    mutating func takeNext() -> FeedAssembler? {
        let missing = missing
        return take(readings.results { results in missing.contains { results[$0] != nil } })
    }

    /// Merges the new results; nil if no source has answered since the last call.
    private mutating func take(_ results: [FeedAssembler?]) -> FeedAssembler? {
        let taken = missing.compactMap { results[$0] }
        missing.removeAll { results[$0] != nil }
        guard !taken.isEmpty else { return nil }
        var all = FeedAssembler(provider: provider, options: options)
        for one in taken { all.merge(one) }
        return all
    }
}
