import Model
import Screen
import UI

/// What is known of the link to the terminal: its answers, how fast it is, and what it is used for. A value; the caller
/// passes the time.
struct TerminalLink {
    private(set) var pacer: OutputPacer
    private var lateness = SlowLinkDetector()
    private var rate = OutputRate()
    private var stats = OutputStats()
    /// How many of the terminal's answers the pacer knows.
    private var knownAnswers = 0
    private var knowsFirstAnswer = false

    init(pacer: OutputPacer) { self.pacer = pacer }

    /// Whether the page leaves out what it can do without.
    var isSlow: Bool { lateness.isSlow || pacer.isSlow }

    /// Whether the page may follow the pointer: what lights up is seen at once, and reports of motion do not fill the
    /// link.
    var isQuick: Bool { !isSlow && pacer.roundTrip.map { $0 < Self.quick } == true }

    /// A light that comes later lags behind the hand.
    private static let quick = Duration.milliseconds(100)

    /// Adds what is known of the link to the figures of a player.
    mutating func complete(_ figures: inout Diagnostics, now: Duration) {
        figures.bytesPerSecond = rate.bytesPerSecond(now: now)
        figures.roundTrip = pacer.roundTrip
        figures.terminalRate = pacer.isLimited ? pacer.rate.map { Int($0) } : nil
    }

    // MARK: What happened

    /// The terminal may have answered.
    ///
    /// - Parameters:
    ///   - first: how long it took to answer the first questions; nil until it has.
    ///   - statuses: how often it has reported its status.
    mutating func noteAnswers(first: Duration?, statuses: Int, now: Duration) {
        if let first, !knowsFirstAnswer {
            knowsFirstAnswer = true
            pacer.noteFirstAnswer(after: first, now: now)
        }
        while knownAnswers < statuses {
            knownAnswers += 1
            pacer.answered(now: now)
        }
    }

    /// An update is due, and the terminal has not taken the one before it.
    mutating func noteWait(now: Duration) { lateness.noteWait(now: now) }

    /// An update is about to be sent.
    mutating func noteUpdate(now: Duration) { lateness.noteUpdate(now: now) }

    /// An update was sent. Returns the figures of the last second, once it is over.
    mutating func sent(
        _ bytes: Int, for purpose: OutputPacer.Purpose, coarseness: Double, hasNewPicture: Bool, now: Duration
    ) -> OutputStats.Second? {
        rate.note(bytes, now: now)
        pacer.sent(bytes, for: purpose, coarseness: coarseness, now: now)
        return stats.note(hasNewPicture: hasNewPicture, coarseness: coarseness, now: now)
    }

    /// The contents of the screen are lost, and what was asked with them.
    mutating func forgetUpdates() { pacer.forgetUpdates() }

    // MARK: What may be sent

    /// The size limit of an update, in bytes; nil if no update may be sent yet.
    mutating func budget(for purpose: OutputPacer.Purpose, now: Duration) -> Int? {
        pacer.budget(for: purpose, now: now)
    }

    /// From when on an update that is due at `time` may be sent; nil if an answer of the terminal has to come first.
    mutating func mayStart(at time: Duration, for purpose: OutputPacer.Purpose, now: Duration) -> Duration? {
        guard pacer.budget(for: purpose, now: now) == nil else { return time }
        return pacer.nextWake(after: now).map { max($0, time) }
    }
}
