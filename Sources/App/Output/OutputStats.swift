/// How many pictures are sent, and how coarse they are: for the trace, once a
/// second. A value; the caller passes the time.
struct OutputStats {
    /// Of about a second.
    struct Second: Equatable {
        var picturesPerSecond: Double
        /// The mean of all updates: 0 (as fine as wanted) … 1.
        var coarseness: Double
    }

    private var begun: Duration?
    private var pictures = 0
    private var updates = 0
    private var sum = 0.0

    /// An update was sent. Returns the figures of the last second, once it is over.
    mutating func note(hasNewPicture: Bool, coarseness: Double, now: Duration) -> Second? {
        guard let begun, now - begun < .seconds(2) else {
            // Nothing was sent for a while: a second begins.
            self = OutputStats(begun: now)
            return nil
        }
        updates += 1
        pictures += hasNewPicture ? 1 : 0
        sum += coarseness
        guard now - begun >= .seconds(1) else { return nil }
        defer { self = OutputStats(begun: now) }
        return Second(
            picturesPerSecond: Double(pictures) / (now - begun).seconds, coarseness: sum / Double(updates))
    }

    init() {}

    private init(begun: Duration) { self.begun = begun }
}

/// How many bytes flick writes to the terminal per second: those written in the
/// last second. A value; the caller passes the time.
struct OutputRate {
    static let window = Duration.seconds(1)

    /// The oldest first.
    private var writes: [(time: Duration, bytes: Int)] = []

    mutating func note(_ bytes: Int, now: Duration) {
        forget(now: now)
        guard bytes > 0 else { return }
        // Writes within 4 ms share an entry, so there are at most 250.
        if let last = writes.last, now - last.time < .milliseconds(4) {
            writes[writes.count - 1].bytes += bytes
        } else {
            writes.append((now, bytes))
        }
    }

    mutating func bytesPerSecond(now: Duration) -> Int {
        forget(now: now)
        return writes.reduce(0) { $0 + $1.bytes }
    }

    private mutating func forget(now: Duration) {
        let kept = writes.firstIndex { now - $0.time < OutputRate.window } ?? writes.endIndex
        writes.removeFirst(kept)
    }
}
