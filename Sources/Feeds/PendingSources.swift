import Bytes
import Model
import Threads

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

// A feed that begins before all of it is read.
extension FeedAssembler {
    var beginsEarly: Bool {
        options.beginsEarly && options.shuffle == nil && options.order == nil && options.limit == nil
    }

    /// Adds those of the sources that have answered once there is something to show.
    mutating func addAnswered(
        of remote: [FeedSource], _ readings: ParallelReadings<FeedAssembler>, until deadline: ContinuousClock.Instant
    ) {
        let hasOwn = hasItems
        func areAll(_ results: [FeedAssembler?]) -> Bool { results.allSatisfy { $0 != nil } }
        _ = readings.results { results in
            hasOwn || areAll(results) || results.contains { $0?.hasItems == true }
        }
        let results = readings.results(upTo: PendingSources.company, once: areAll)
        var missing: [Int] = []
        for (place, result) in results.enumerated() {
            if let result {
                merge(result)
            } else {
                missing.append(place)
                // It counts as one of the feed's sources even so: the feed's title must not depend on the network.
                named.append(remote[place].text)
            }
        }
        guard !missing.isEmpty else { return }
        late = PendingSources(
            readings, of: remote, missing: missing, until: deadline,
            provider, options)
    }

    fileprivate var hasItems: Bool { clips.count > 0 || parts.contains { $0.list.count > 0 } }

    /// Adds a source; of a long feed the first items, while another thread reads on.
    mutating func addBeginning(of source: FeedSource) {
        let reading = Monitor(Reading())
        var one = FeedAssembler(provider: provider, options: options)
        one.handOver = { url, first, pages in reading.change { $0.beginning = (url, first, pages) } }
        let other = one
        BlockingThread.start {
            var one = other
            one.add(source)
            reading.change { $0.whole = one }
        }
        // Without a limit it returns with a value only.
        let read = reading.wait { $0.whole != nil || $0.beginning != nil ? $0 : nil }!
        if let whole = read.whole { return merge(whole) }
        guard let (url, first, pages) = read.beginning else { return }
        begin(source)
        do throws(FeedsError) { try add(first, pages, at: url) } catch { failures.append(error.of(source.name)) }
    }

    /// A source that another thread reads.
    private struct Reading {
        /// The first items of a feed, and its pages, once they are there.
        var beginning: (url: String, first: FeedPage, pages: SourcePages)?
        var whole: FeedAssembler?
    }
}
