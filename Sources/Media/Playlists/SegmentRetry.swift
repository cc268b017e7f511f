import Wire

/// Decides when a segment that could not be read is tried again. Pure.
struct SegmentRetry {
    /// Of a new segment of a live stream: its playlist can be ahead of the servers that have the segments. Each further
    /// pause is twice as long.
    private static let firstEdgePause: Microseconds = 500_000
    /// A target duration that is shorter leaves no time.
    private static let shortestPatience: Microseconds = 1_000_000
    /// Of any other segment, while there is something else to play.
    private static let firstPause: Microseconds = 1_000_000
    /// This much is left to play when the segment is skipped, so that the next one comes in time.
    private static let reserve: Microseconds = 1_500_000
    /// A shorter wait is not worth it.
    private static let shortestPause: Microseconds = 250_000

    private var sequence: Int64?
    private var firstTry: Microseconds = 0
    private var next: Microseconds = 0
    private var retries = 0

    /// A new segment of a live stream could not be read. Returns when to try again, within a target duration of the
    /// first try; nil if it is not worth it.
    mutating func fail(new sequence: Int64, target: Microseconds, now: Microseconds) -> Microseconds? {
        begin(sequence, now)
        let time = now + (SegmentRetry.firstEdgePause << retries)
        guard time <= firstTry + max(target, SegmentRetry.shortestPatience) else { return nil }
        return retry(at: time)
    }

    /// A segment could not be read, and there is enough to play for `stock`. Returns when to retry, the last time when
    /// only the reserve is left, or nil if it is better to continue with the next segment.
    mutating func fail(_ sequence: Int64, stock: Microseconds, now: Microseconds) -> Microseconds? {
        begin(sequence, now)
        guard SegmentRetry.isPatient(stock: stock) else { return nil }
        return retry(at: min(now + (SegmentRetry.firstPause << retries), now + stock - SegmentRetry.reserve))
    }

    /// Whether a segment that cannot be read now is tried again with this much left to play.
    static func isPatient(stock: Microseconds) -> Bool { stock >= reserve + shortestPause }

    private mutating func begin(_ sequence: Int64, _ now: Microseconds) {
        if self.sequence != sequence { (self.sequence, firstTry, retries) = (sequence, now, 0) }
    }

    private mutating func retry(at time: Microseconds) -> Microseconds {
        retries += 1
        next = time
        return time
    }

    func hasRetried(_ sequence: Int64) -> Bool { self.sequence == sequence && retries > 0 }

    /// When that segment is tried at the earliest; nil: at once.
    func time(of sequence: Int64) -> Microseconds? { self.sequence == sequence ? next : nil }
}
