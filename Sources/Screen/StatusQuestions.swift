/// The questions for the terminal's status (DSR, ECMA-48 8.3.35) that were sent with updates, and their answers. A value.
struct StatusQuestions {
    /// "Device status, please"; the answer is `CSI 0 n`.
    static let bytes = Array("\u{1B}[5n".utf8)
    /// How long an answer is waited for at the end, of a terminal that has answered before: a slow link's round trip and what is under way.
    static let patience = Duration.seconds(1)

    /// How many answers have come.
    private(set) var answers = 0
    private var open = 0
    private var lastAsked = ContinuousClock.now

    mutating func asked(now: ContinuousClock.Instant) {
        open += 1
        lastAsked = now
    }

    mutating func answered() {
        answers += 1
        open = max(open - 1, 0)
    }

    /// What was asked before is not answered any more, or its answers are of no use.
    mutating func forget() { open = 0 }

    /// Until when answers may come that would be keys to the shell; nil if there are none.
    var patienceEnd: ContinuousClock.Instant? {
        guard open > 0 else { return nil }
        return lastAsked + (answers > 0 ? Self.patience : TerminalQueries.timeLimit)
    }
}
