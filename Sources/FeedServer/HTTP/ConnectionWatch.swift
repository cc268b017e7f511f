/// Decides when a connection has taken too long and is closed. A value: it
/// gets events with their times, and never waits.
struct ConnectionWatch {
    struct Limits: Sendable {
        /// From the first byte, or the beginning of the connection, to the end of a request's headers.
        var head = Duration.seconds(10)
        /// Between two bytes of a body, and for all of it.
        var bodyPause = Duration.seconds(10)
        var body = Duration.seconds(60)
        /// Between two requests.
        var idle = Duration.seconds(60)
        /// In which the client takes no byte of what waits for it.
        var write = Duration.seconds(30)
    }

    /// Since when the connection waits for its client. The smaller one is worth less.
    struct Wait: Comparable, Sendable {
        /// Whether the client has sent anything yet.
        var hasSpoken: Bool
        var since: Duration

        static func < (one: Wait, other: Wait) -> Bool {
            one.hasSpoken == other.hasSpoken ? one.since < other.since : !one.hasSpoken
        }
    }

    private enum Reading: Equatable {
        case idle(since: Duration)
        case head(since: Duration)
        case body(since: Duration, last: Duration)
        /// The request is whole, and its answer is not.
        case none
    }

    let limits: Limits
    private var reading: Reading
    private var hasSpoken = false
    /// Bytes that wait to be sent, and since when it is the same number.
    private var waiting: (bytes: Int, since: Duration)?
    /// Requests that have begun and whose answers have not ended.
    private var open = 0

    init(limits: Limits, now: Duration) {
        self.limits = limits
        reading = .head(since: now)
    }

    /// nil while the client waits for an answer.
    var wait: Wait? {
        guard open <= (isInRequest ? 1 : 0) else { return nil }
        switch reading {
        case .idle(let since), .head(let since), .body(let since, _): return Wait(hasSpoken: hasSpoken, since: since)
        case .none: return nil
        }
    }

    mutating func bytesArrived(now: Duration) {
        hasSpoken = true
        if case .idle = reading { reading = .head(since: now) }
        if case .body(let since, _) = reading { reading = .body(since: since, last: now) }
    }

    mutating func headEnded(now: Duration) {
        open += 1
        reading = .body(since: now, last: now)
    }

    mutating func requestEnded(now: Duration) { reading = open == 0 ? .idle(since: now) : .none }

    /// Whether the request whose answer ends is still being sent.
    var isInRequest: Bool {
        if case .body = reading { return true }
        return false
    }

    mutating func answerEnded(now: Duration) {
        open = max(0, open - 1)
        if open == 0, reading == .none { reading = .idle(since: now) }
    }

    /// Notes how many bytes of the connection the system has not accepted yet.
    mutating func saw(waitingBytes: Int, now: Duration) {
        if waitingBytes == 0 {
            waiting = nil
        } else if waiting?.bytes != waitingBytes {
            waiting = (waitingBytes, now)
        }
    }

    /// Why the connection must be closed now; nil if it may stay.
    func excess(now: Duration) -> Excess? {
        if let waiting, now - waiting.since >= limits.write { return .slowReader }
        switch reading {
        case .idle(let since): return now - since >= limits.idle ? .idle : nil
        case .head(let since): return now - since >= limits.head ? .slowHead : nil
        case .body(let since, let last):
            return now - last >= limits.bodyPause || now - since >= limits.body ? .slowBody : nil
        case .none: return nil
        }
    }

    enum Excess: String, Sendable, CaseIterable {
        case idle
        case slowHead = "slow_head"
        case slowBody = "slow_body"
        case slowReader = "slow_reader"
    }
}
