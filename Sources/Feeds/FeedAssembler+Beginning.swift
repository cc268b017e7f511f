import Model
import Threads

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
        let isStarted = BlockingThread.start {
            var one = other
            one.add(source)
            reading.change { $0.whole = one }
        }
        guard isStarted else { return add(source) }
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
