import HTTP
import Model
import Threads

/// When to stop requesting a URL: after four fruitless requests in 30 s, whatever the server answers, and while it asks
/// for a pause. New bytes restore the budget, unless they are discarded. Pure; times are given.
///
/// This ends every loop between a server and a reader, including loops that were not foreseen.
struct RequestBudget {
    static let limit = 4
    static let window: Duration = .seconds(30)
    private static let patientPauses = Backoff(from: .seconds(1), upTo: .seconds(2))

    enum Decision: Equatable {
        case send
        /// Too many requests are under way: decide again once one of them has brought a byte or ended.
        case wait
        /// The last answer still holds.
        case refuse(BytesError.Reason)
    }

    /// How a request ended that brought nothing new.
    enum Outcome: Equatable {
        /// The server answered, and nothing new came of it.
        case fruitless(BytesError.Reason)
        /// It was cancelled before the server answered.
        case unanswered
        /// It never reached the server, which is no request to it.
        case unreached
    }

    /// When fruitless requests ended, the oldest first.
    private var fruitless: [Duration] = []
    /// When bytes were discarded, the oldest first. Other new bytes restore nothing of it.
    private var discarded: [Duration] = []
    private var last = BytesError.Reason.empty
    /// Requests under way that have not brought a byte yet.
    private var underWay = 0
    /// The server has asked not to be requested before.
    private var closedUntil: Duration?

    /// - Parameter isPatient: whether those who want the bytes have something to play meanwhile. If the server fails,
    ///   one of the four requests is then left for the time when nothing is left to play, and the others are sent 1 and
    ///   2 s after one that was fruitless: four in two seconds would miss a server that is back after three.
    func decision(at now: Duration, isPatient: Bool = false) -> Decision {
        if isClosed(at: now) { return .refuse(last) }
        let (recent, isSpread) = (recent(at: now), isPatient && last.isOfServer)
        let limit = isSpread ? Self.limit - 1 : Self.limit
        guard recent < limit else { return .refuse(last) }
        if isSpread, recent > 0, let end = [fruitless.last, discarded.last].compactMap({ $0 }).max() {
            guard now - end >= Self.patientPauses.pause(after: recent - 1) else { return .refuse(last) }
        }
        return recent + underWay < limit ? .send : .wait
    }

    /// A request is sent. One `progressed` or `end` follows.
    mutating func begin() { underWay += 1 }

    /// A request has brought new bytes.
    mutating func progressed() {
        underWay -= 1
        fruitless = []
    }

    /// A request has ended without new bytes.
    mutating func end(_ outcome: Outcome, at now: Duration) {
        underWay -= 1
        fruitless.removeAll { now - $0 >= Self.window }
        switch outcome {
        case .fruitless(let reason):
            fruitless.append(now)
            last = reason
        case .unanswered:
            // Pages are left before their servers answer: that counts only after fruitless answers.
            if !fruitless.isEmpty { fruitless.append(now) }
        case .unreached: break
        }
    }

    /// The bytes that a request had brought were useless.
    mutating func discard(at now: Duration) {
        discarded.removeAll { now - $0 >= Self.window }
        discarded.append(now)
        last = .otherBytes
    }

    /// A caller repeats its request no more. If the server asked to wait (`Retry-After`), no other caller requests the
    /// URL before that, for a minute at most. A refusal of this budget does not prolong the wait.
    mutating func giveUp(_ reason: BytesError.Reason, at now: Duration) {
        guard case .busy(_, let wait) = reason, !isClosed(at: now) else { return }
        (closedUntil, last) = (now + min(wait, RetryAfter.most), reason)
    }

    private func isClosed(at now: Duration) -> Bool { closedUntil.map { now < $0 } ?? false }

    /// Whether requests are under way that will end.
    var isInUse: Bool { underWay > 0 }

    /// Whether a new budget would decide the same.
    func isFull(at now: Duration) -> Bool {
        !isInUse && !isClosed(at: now) && recent(at: now) == 0
    }

    /// How many requests of the last 30 s were fruitless, or brought what was discarded.
    private func recent(at now: Duration) -> Int {
        [fruitless, discarded].reduce(0) { $0 + $1.count { now - $0 < Self.window } }
    }
}
