import Model
import Wire

/// What a clip has to play from: how far the decoder has read, what is cached, and what the network lets wait. Times are given.
struct ByteSupply {
    /// Whether the clip comes over a network. For a file on this machine nothing here holds the clock up.
    let isRemote: Bool
    var buffering = Buffering()
    /// The clock could run but for bytes that are still to come. The trace has no event for it before the clock has run once.
    var isWaiting = false
    /// Up to where the decoder has read the clip.
    var bufferedUntil: Microseconds = 0
    /// The clip failed because bytes could not be read.
    var lacksBytes = false
    /// The parts of the clip that are cached, as fractions of it.
    private(set) var cached: [ClosedRange<Double>] = []
    /// Why bytes do not come, as the page was told.
    private(set) var delay: String?

    /// When the decoder last asked for bytes or waited for them, and how often it has asked.
    private var lastRequest: (at: Duration, count: Int) = (.zero, 0)
    private var lookedUpCacheAt: Duration?
    /// Since when the clock could run but for bytes of the network.
    private var waitsSince: Duration?
    /// What the decoder was last told that the network carries, in bits a second.
    private var sentThroughput: Int64 = 0

    /// After so long a page is told that it waits for the server, even if nothing has failed so far.
    private static let longWait: Duration = .seconds(4)

    init(isRemote: Bool) { self.isRemote = isRemote }

    /// A new decoder opens the clip at `start`.
    mutating func restart(at start: Microseconds, now: Duration) {
        bufferedUntil = start
        lacksBytes = false
        lastRequest = (now, 0)
        sentThroughput = 0
    }

    /// What the decoder is to be told of the network's throughput: nil unless that has changed by a tenth since it was told.
    mutating func throughputToSend(_ bitsPerSecond: Int64?) -> Int64? {
        let bits = max(bitsPerSecond ?? 0, 0)
        let change = abs(Double(bits) - Double(sentThroughput))
        guard bits != sentThroughput, change >= Double(sentThroughput) / 10 else { return nil }
        sentThroughput = bits
        return bits
    }

    /// Notes whether the decoder waits for bytes, and how often it has asked for some.
    mutating func note(isServed: Bool, requests: Int, now: Duration) {
        if isServed || requests != lastRequest.count { lastRequest = (now, requests) }
    }

    /// Whether it is time to look up what is cached: four times a second at most.
    mutating func looksUpCache(now: Duration) -> Bool {
        guard isRemote, lookedUpCacheAt.map({ now - $0 >= .milliseconds(250) }) ?? true else { return false }
        lookedUpCacheAt = now
        return true
    }

    /// Notes what is cached; true if that has changed.
    mutating func note(cached ranges: [ClosedRange<Double>]) -> Bool {
        defer { cached = ranges }
        return cached != ranges
    }

    /// Notes whether the clock waits for the network, and why bytes do not come as far as the provider knows; true if the page has something to be told.
    mutating func noteWait(_ waits: Bool, reason: () -> String?, now: Duration) -> Bool {
        waitsSince = waits ? waitsSince ?? now : nil
        let delay = waitsSince.flatMap { since in
            reason() ?? (now - since >= Self.longWait ? "waiting for the server" : nil)
        }
        defer { self.delay = delay }
        return delay != self.delay
    }

    /// What there is to play from `position` on.
    ///
    /// - Parameter duration: the clip's; nil or not positive if unknown.
    /// - Parameter patience: a decoder that has asked for nothing for so long has all that it can buffer.
    func ahead(
        of position: Microseconds, duration: Microseconds?, hasReceivedAll: Bool, patience: Duration, speed: Double,
        now: Duration
    ) -> Buffering.Supply {
        var until = max(bufferedUntil, position)
        var isAll = hasReceivedAll
        if let duration, duration > 0, duration < WireLimit.time {
            let (here, there) = (Double(position) / Double(duration), Double(until) / Double(duration))
            // What the decoder has not read yet may be cached all the same.
            for range in cached where range.lowerBound <= here && range.upperBound > there {
                until = Microseconds(min(range.upperBound, 1) * Double(duration))
            }
            isAll = isAll || until >= duration - 100_000
        }
        return Buffering.Supply(
            now: now, ahead: .microseconds(until - position), isAll: isAll, isFilling: now - lastRequest.at < patience,
            pace: speed)
    }
}
