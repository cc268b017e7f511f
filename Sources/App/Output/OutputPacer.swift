import Model

/// Decides how much may be on its way to the terminal, so that what the user does is seen at once on any link. A value;
/// the caller passes the time.
///
/// Before and after an update flick asks for the terminal's status (`CSI 5 n`, ECMA-48 DSR). The first answer measures
/// the round trip, the time between the two the rate at which the update's bytes drained (as with packet pairs: Keshav
/// 1991). At most what drains within a round trip and `backlog` is in flight. On a link that cannot carry all frames in
/// full, the frame rate drops first; once the period reaches `longestPeriod`, each frame gets fewer bytes, and the
/// encoder makes it coarser. Both recover slowly.
///
/// A terminal that does not answer is not paced: that the kernel's queue is full is all that is known of it then
/// (`SlowLinkDetector`).
struct OutputPacer {
    /// What an update is for.
    enum Purpose {
        /// A picture, or something else that moves by itself.
        case motion
        /// The user did something, and waits for its effect.
        case answer
    }

    /// What to ask the terminal with an update.
    enum Questions {
        case none, behind, beforeAndBehind
    }

    /// How long bytes may wait on the way, beyond the round trip.
    static let backlog = Duration.milliseconds(95)
    /// Pictures come as often as this before they become coarse,
    static let smoothPeriod = Duration.milliseconds(56)
    /// and as often as this before they become coarser than `coarse`. They come
    /// no less often, as long as a link carries any.
    static let longestPeriod = Duration.milliseconds(120)
    /// Of 0 (as fine as wanted) to 1.
    private static let coarse = 0.4
    /// What may be sent before anything is known of the link.
    static let firstBudget = 12 << 10
    /// A terminal that answers so soon is near: its first picture may be whole.
    /// The questions alone take longer on a serial line.
    static let near = Duration.milliseconds(10)
    /// So much is always granted, also on a link that seems to carry nothing.
    static let least = 1 << 10
    /// An answer is lost that takes so much longer than all that is under way should, twice over.
    static let patience = Duration.milliseconds(250)
    /// After that flick asks nothing until no answer has come for this long, so that late answers are not mistaken for
    /// others.
    static let quiet = Duration.milliseconds(700)
    /// A terminal that has not answered the first questions within this time answers none. Across the world it takes
    /// less.
    static let firstPatience = Duration.milliseconds(400)
    /// After this many lost answers in a row, the terminal is taken to answer no more. One that has never reported its
    /// status probably does not.
    private static let maxLost = 5
    /// A link whose answers are lost is not taken to be slower than this, in bytes a second: a modem's.
    private static let slowest = 4e3
    /// A link of this rate, in bytes a second, is not paced.
    static let quick = 12e6
    /// How long pictures have to be fine until the link is no longer slow.
    static let proof = Duration.seconds(10)
    /// The share of the measured rate that is used: measurements err.
    private static let use = 0.9
    /// Updates of fewer bytes say nothing about a rate, unless they are expected to take this long: on a link that
    /// seemed broken there are no larger ones.
    private static let sample = (bytes: 1_024, time: 0.05)

    private struct Update {
        var bytes: Int
        /// Of the updates before it, behind which nothing was asked.
        var bytesBefore: Int
        var sent: Duration
        /// Whether a question was asked before it that has no answer yet.
        var awaitsBeginning: Bool
        /// When the terminal had taken everything before it.
        var begun: Duration?
        /// An older answer was late already when it was sent.
        var followsLate: Bool
    }

    /// Answers that came late, and each soon after another question: probably
    /// they are that question's, as one before them was lost.
    private struct Suspicion {
        /// This many in a row are no coincidence.
        static let most = 3
        var count = 0
        /// What the rate was before them.
        var rate: Double?
    }

    /// The bytes a second that the user allows (`--link`); nil for no limit.
    private let cap: Double?
    /// The shortest time from picture to picture (`--fps`).
    private let shortestPeriod: Duration

    /// The updates behind which a question was asked that has no answer yet, the oldest first.
    private var underWay: [Update] = []
    /// The bytes of updates after those, behind which nothing was asked.
    private var unasked = 0
    /// How many bytes were waiting to leave at a time.
    private var waiting = (bytes: 0.0, at: Duration.zero)
    /// When the last update for a motion was sent.
    private var movedAt: Duration?
    /// Since when flick awaits an answer to the first questions; nil while it awaits no answer.
    private var askedAt: Duration?
    /// Nothing is expected of the terminal, until it answers all the same.
    private var isSilent: Bool
    /// The terminal has reported its status. A terminal may answer the first questions, but not this one.
    private var reportsStatus = false
    private var lost = 0
    /// Until when answers belong to abandoned questions; nil if each is awaited.
    private var quietAt: Duration?
    /// The shortest round trip of this while, of the one before it, and when this one began.
    private var roundTrips: (now: Duration?, before: Duration?, since: Duration) = (nil, nil, .zero)
    /// The bytes of the last updates, and the time that they took; newer ones count more.
    private var drained = (bytes: 0.0, seconds: 0.0)
    /// In bytes a second; nil until measured.
    private(set) var rate: Double?
    private var suspicion = Suspicion()
    /// From one picture to the next.
    private(set) var period: Duration
    /// Pictures are few and coarse: the page leaves out what it can do without.
    private(set) var isSlow = false
    private var slowAt = Duration.zero
    /// Whether pixel frames reach the terminal soon enough; meaningless for other surfaces.
    private(set) var pixelPace = PixelPace()

    /// - Parameters:
    ///   - cap: bytes a second.
    ///   - shortestPeriod: between two pictures.
    ///   - asked: when the terminal was asked its first questions; nil if it was not, as it would not answer.
    init(cap: Double? = nil, shortestPeriod: Duration = FrameScheduler.frame, asked: Duration?) {
        self.cap = cap
        self.shortestPeriod = shortestPeriod
        period = shortestPeriod
        askedAt = asked
        isSilent = asked == nil
    }

    /// Whether pictures are held back or made coarser for the link's sake.
    var isLimited: Bool { usableRate.map { $0 < Self.quick } ?? false }

    /// Whether an exact picture of a large terminal, a quarter of a megabyte, takes more than a tenth of a second.
    var isNarrow: Bool { usableRate.map { $0 < 2.5e6 } ?? false }

    /// The rate to go by, in bytes a second; nil while it is not known.
    private var usableRate: Double? {
        guard let cap else { return rate }
        return min(rate ?? cap, cap)
    }

    /// Nothing is known of the link yet.
    private var isUnknown: Bool { !isSilent && usableRate == nil }

    /// The shortest of the last ten to twenty seconds; nil until the terminal has answered.
    var roundTrip: Duration? { [roundTrips.now, roundTrips.before].compactMap(\.self).min() }

    /// How many updates the terminal has not acknowledged.
    var updatesInFlight: Int { underWay.count }

    /// Bytes that the terminal may not have received yet, and will acknowledge. Those behind the last question count
    /// while another answer is to come; after that they only expire (`bytesThatWait`), because nothing else would let
    /// frames continue.
    private var inFlight: Int {
        underWay.isEmpty ? 0 : underWay.reduce(unasked) { $0 + $1.bytes + $1.bytesBefore }
    }

    // MARK: What happened

    /// The terminal has answered the first questions within this time.
    mutating func noteFirstAnswer(after time: Duration, now: Duration) {
        (askedAt, isSilent) = (nil, false)
        note(roundTrip: time, now: now)
    }

    private mutating func note(roundTrip time: Duration, now: Duration) {
        if now - roundTrips.since > .seconds(10) { roundTrips = (nil, roundTrips.now, now) }
        roundTrips.now = min(roundTrips.now ?? time, time)
    }

    /// What to ask with the next update. Each question has its answer: of a
    /// terminal that may not answer, one is enough to find out.
    var questions: Questions {
        guard quietAt == nil else { return .none }
        if isSilent { return underWay.isEmpty ? .behind : .none }
        guard underWay.count < 2 else { return .none }
        return isLimited || isUnknown ? .beforeAndBehind : .behind
    }

    /// An update was sent, with `questions`.
    ///
    /// - Parameter coarseness: 0 (its picture is as fine as wanted) … 1, as the budget made it.
    mutating func sent(_ bytes: Int, for purpose: Purpose, coarseness: Double, now: Duration) {
        if bytes > 0 {
            waiting = (Double(bytes) + (usableRate.map { bytesThatWait($0, now: now) } ?? 0), now)
            switch questions {
            case .none: unasked += isSilent ? 0 : bytes
            case .behind, .beforeAndBehind:
                underWay.append(
                    Update(
                        bytes: bytes, bytesBefore: unasked, sent: now, awaitsBeginning: questions == .beforeAndBehind,
                        followsLate: isLate(now: now)))
                unasked = 0
            }
        }
        guard case .motion = purpose else { return }
        adapt(bytes, coarseness: coarseness, now: now)
        movedAt = now
    }

    /// The terminal has answered: it has taken everything before the oldest question.
    mutating func answered(now: Duration) {
        (askedAt, isSilent, reportsStatus) = (nil, false, true)
        if let time = quietAt { return quietAt = max(time, now + Self.quiet) }
        lost = 0
        guard var update = underWay.first else { return }
        if update.awaitsBeginning {
            note(roundTrip: now - update.sent, now: now)
            (update.awaitsBeginning, update.begun) = (false, now)
            underWay[0] = update
            return
        }
        if isSuspicious(at: now) { return resynchronize(now: now) }
        underWay.removeFirst()
        if let begun = update.begun {
            measure(update.bytes, took: now - begun)
        } else if let roundTrip, now - update.sent < roundTrip {
            // It was taken for longer than it is, as by the first answer of a terminal that was just beginning.
            note(roundTrip: now - update.sent, now: now)
        } else {
            measure(update.bytes + update.bytesBefore, took: now - update.sent - (roundTrip ?? .zero))
        }
    }

    /// The oldest update has its answer. Whether that, and those before it, seem to belong to later questions.
    private mutating func isSuspicious(at now: Duration) -> Bool {
        guard underWay.count > 1, let last = underWay.last, last.followsLate,
            now - last.sent < (roundTrip ?? .zero) + Self.backlog
        else {
            suspicion = Suspicion()
            return false
        }
        if suspicion.count == 0 { suspicion.rate = rate }
        suspicion.count += 1
        return suspicion.count >= Suspicion.most
    }

    /// Asks nothing until no answer has come for a while, and returns to the rate measured before.
    private mutating func resynchronize(now: Duration) {
        rate = suspicion.rate
        drained = (0, 0)
        quietAt = now + (roundTrip ?? .zero) + Self.quiet
        forgetUpdates()
    }

    /// The contents of the screen are lost, and what was asked with them.
    mutating func forgetUpdates() { (underWay, unasked, suspicion) = ([], 0, Suspicion()) }

    private mutating func measure(_ bytes: Int, took time: Duration) {
        pixelPace.note(bytes, took: time)
        guard Double(bytes) >= min(Double(Self.sample.bytes), (rate ?? .infinity) * Self.sample.time) else { return }
        // Sums, as answers come now early and now late: the mean of single rates would be too high.
        drained.bytes = 0.6 * drained.bytes + Double(bytes)
        drained.seconds = 0.6 * drained.seconds + max(time.seconds, 0.000_1)
        rate = drained.bytes / drained.seconds
    }

    /// Fewer pictures when they become coarse, more when there are bytes to spare.
    private mutating func adapt(_ bytes: Int, coarseness: Double, now: Duration) {
        if coarseness > Self.coarse, period >= Self.longestPeriod { (isSlow, slowAt) = (true, now) }
        if isSlow, now - slowAt > Self.proof { isSlow = false }
        guard isLimited, let budget = pictureBudget(now: now) else { return period = shortestPeriod }
        let isSmooth = period <= Self.smoothPeriod
        if coarseness > (isSmooth ? 0 : Self.coarse) || coarseness == 0 && bytes > budget {
            let longest = coarseness > Self.coarse ? Self.longestPeriod : Self.smoothPeriod
            period = max(min(period * 1.1, longest), shortestPeriod, .milliseconds(10))
        } else if !isSmooth || Double(bytes) < 0.92 * Double(budget) {
            period = max(period * 0.96, shortestPeriod)
        }
    }

    // MARK: What may be sent

    /// By the rate.
    private func bytesThatWait(_ rate: Double, now: Duration) -> Double {
        max(waiting.bytes - rate * (now - waiting.at).seconds, 0)
    }

    /// The bytes of one picture, so that pictures keep their rate.
    private func pictureBudget(now: Duration) -> Int? {
        let interval = min(max(period, movedAt.map { now - $0 } ?? period), max(period, Self.longestPeriod))
        return usableRate.map { Int($0 * interval.seconds * Self.use) }
    }

    /// While nothing is known of the rate.
    private var firstRoom: Int { roundTrip.map { $0 < Self.near } ?? false ? 1 << 24 : Self.firstBudget }

    /// The bytes that may be sent in addition to those under way, and to those of them that wait to leave.
    private func room(now: Duration) -> Int {
        guard !isSilent else { return .max }
        guard let rate = usableRate else { return firstRoom - inFlight }
        let window = rate * ((roundTrip ?? .zero) + Self.backlog).seconds
        return min(Int(window) - inFlight, Int(rate * Self.backlog.seconds - bytesThatWait(rate, now: now)))
    }

    /// The size limit of an update, in bytes; nil if no update may be sent yet.
    /// Ask again when an answer comes, or at `nextWake`.
    mutating func budget(for purpose: Purpose, now: Duration) -> Int? {
        noteSilence(now: now)
        switch purpose {
        case .answer: return isLimited || isUnknown ? max(room(now: now), Self.least) : .max
        case .motion:
            guard !isLate(now: now), due.map({ now >= $0 }) ?? true else { return nil }
            guard !isUnknown else { return inFlight == 0 ? firstRoom : nil }
            guard isLimited, let picture = pictureBudget(now: now) else { return .max }
            // A small part of a picture is not worth sending.
            let room = room(now: now)
            guard Double(room) >= 0.6 * Double(picture) || inFlight == 0 else { return nil }
            return max(min(picture, room), Self.least)
        }
    }

    /// An answer is late: what was sent before waits, and so would what is sent now.
    private func isLate(now: Duration) -> Bool {
        guard !isSilent else { return false }
        guard let first = underWay.first else { return quietAt != nil }
        return now - (first.begun ?? first.sent) > (roundTrip ?? .zero) + Self.backlog
    }

    /// From when on time allows the next picture; nil at once.
    private var due: Duration? { isLimited ? movedAt.map { $0 + period } : nil }

    /// From when on the oldest answer counts as lost.
    private var lostAt: Duration? {
        guard let first = underWay.first else { return nil }
        // Nothing is before the first question that it could wait behind.
        if !reportsStatus, first.awaitsBeginning { return first.sent + (roundTrip ?? .zero) * 2 + Self.firstPatience }
        let drain = Duration.seconds(rate.map { Double(inFlight) / $0 } ?? 2)
        return first.sent + ((roundTrip ?? .zero) + drain) * 2 + Self.patience
    }

    /// When to ask again although no answer comes: nil if only an answer, or an update, changes anything.
    func nextWake(after now: Duration) -> Duration? {
        [due, isSilent ? nil : lostAt, quietAt, askedAt.map { $0 + Self.firstPatience }]
            .compactMap(\.self).filter { $0 > now }.min()
    }

    private mutating func noteSilence(now: Duration) {
        if let asked = askedAt, now >= asked + Self.firstPatience { (askedAt, isSilent) = (nil, true) }
        if let time = quietAt, now >= time { quietAt = nil }
        if !isSilent, let first = underWay.first {
            pixelPace.note(first.bytes, waitsFor: now - first.sent - (roundTrip ?? .zero))
        }
        guard !isSilent, let time = lostAt, now >= time else { return }
        // It was lost, or the link has become much slower.
        lost += 1
        isSilent = lost >= (reportsStatus ? Self.maxLost : 1)
        rate = rate.map { max($0 / 4, Self.slowest) }
        drained = (0, 0)
        quietAt = now + (roundTrip ?? .zero) + Self.quiet
        forgetUpdates()
    }
}
