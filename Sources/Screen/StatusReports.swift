/// The questions for the terminal's status (DSR, ECMA-48 8.3.35) that were sent
/// with updates, and their answers. A value.
struct StatusReports {
    /// "Device status, please"; the answer is `CSI 0 n`.
    static let bytes = Array("\u{1B}[5n".utf8)

    /// How many answers have come.
    private(set) var answers = 0
    /// How many answers may still come.
    private(set) var open = 0
    private var lastAsked = ContinuousClock.now

    mutating func asked(now: ContinuousClock.Instant) {
        open += 1
        lastAsked = now
    }

    mutating func answered() {
        answers += 1
        open = max(open - 1, 0)
    }

    /// Earlier questions will not be answered any more, or their answers are useless.
    mutating func forget() { open = 0 }

    /// When the last question that may still be answered was sent; nil without one.
    var lastOpen: ContinuousClock.Instant? { open > 0 ? lastAsked : nil }
}
