import TermGraphics

/// Decides how precisely an update is painted, and when one is due only because the last was not exact.
///
/// While pictures move, the next one does better. Once they rest, the screen comes to equal the page in two steps
/// within 300 ms, and nothing is due any more. Times are monotonic. A value.
struct PrecisionSchedule {
    /// What of the pictures is new in an update.
    enum Change {
        case none
        /// They are later ones of the same clips, or have moved.
        case motion
        /// They are of another clip, and have come without a slide.
        case cut
    }

    /// How long pictures have to rest for a first step: longer than from one picture of a film to the next.
    static let first = Duration.milliseconds(100)
    /// How long for the second, after which the screen is exact unless the link cannot carry that at once.
    static let second = Duration.milliseconds(180)
    /// From one step to the next where a link takes more than two.
    static let interval = Duration.milliseconds(40)

    /// On a slow link what moves next, and what the user does, goes first: there each step waits so much longer.
    static let slowLink = Duration.milliseconds(700)

    private var extra = Duration.zero
    private var movedAt = .zero - PrecisionSchedule.second
    private var paintedAt = Duration.zero
    private var isExact = true

    /// The precision of an update at `now`.
    mutating func precision(_ change: Change, isLinkSlow: Bool = false, now: Duration) -> Precision {
        if change != .none { movedAt = now }
        extra = isLinkSlow ? Self.slowLink : .zero
        if change == .cut { return .cut }
        let rest = now - movedAt - extra
        if rest >= Self.second { return .exact }
        return rest >= Self.first ? Precision(tolerance: Precision.moving.tolerance / 2) : .moving
    }

    /// An update was painted at `now`.
    mutating func painted(isExact: Bool, now: Duration) { (self.isExact, paintedAt) = (isExact, now) }

    /// When to paint the same again; nil if the screen shows it exactly.
    var due: Duration? {
        guard !isExact else { return nil }
        let begin = movedAt + extra
        if paintedAt < begin + Self.first { return begin + Self.first }
        return paintedAt < begin + Self.second ? begin + Self.second : paintedAt + Self.interval
    }

    func isDue(at now: Duration) -> Bool { due.map { $0 <= now } ?? false }
}
