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
