import Wire

/// Decides when a new segment of a live stream is tried again: its playlist can be ahead of the servers that have the
/// segments. Pure.
struct EdgeRetry {
    /// Each further pause is twice as long.
    private static let firstPause: Microseconds = 500_000
    /// `AskLimit` allows four requests for one URL.
    private static let mostRetries = 3
    /// A target duration that is shorter leaves no time.
    private static let shortestPatience: Microseconds = 1_000_000

    private var sequence: Int64?
    private var firstTry: Microseconds = 0
    private var next: Microseconds = 0
    private var retries = 0

    /// The segment could not be read. Returns when to try again, within a target duration of the first try; nil if it
    /// is not worth it.
    mutating func fail(_ sequence: Int64, target: Microseconds, now: Microseconds) -> Microseconds? {
        if self.sequence != sequence { (self.sequence, firstTry, retries) = (sequence, now, 0) }
        let time = now + (EdgeRetry.firstPause << retries)
        guard retries < EdgeRetry.mostRetries, time <= firstTry + max(target, EdgeRetry.shortestPatience) else {
            return nil
        }
        retries += 1
        next = time
        return time
    }

    /// When that segment is tried at the earliest; nil: at once.
    func time(of sequence: Int64) -> Microseconds? { self.sequence == sequence ? next : nil }
}
