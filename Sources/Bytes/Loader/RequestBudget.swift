import Model

/// How often one URL may be asked for in vain: whatever a server answers, four times in 30 s. New bytes forgive all of
/// them. Times are given. Pure.
///
/// Every loop between a server and a reader ends here, also one that nobody has thought of.
struct RequestBudget {
    static let most = 4
    static let span: Duration = .seconds(30)

    enum Verdict: Equatable {
        case ask
        /// As many as may be are under way: look again once one of them has brought a byte or ended.
        case wait
        /// Asked for too often. The last answer still holds.
        case refuse(BytesError.Reason)
    }

    /// How an ask ended that brought nothing new.
    enum End: Equatable {
        /// The server answered, and nothing new came of it.
        case inVain(BytesError.Reason)
        /// It never reached the server, or was given up before the server answered.
        case unanswered
    }

    /// When it was asked for in vain, the oldest first.
    private var inVain: [Duration] = []
    private var last = BytesError.Reason.empty
    /// Under way without a byte so far.
    private var underWay = 0

    /// Whether to ask now. Each `ask` is followed by one `progressed` or `end`.
    mutating func begin(now: Duration) -> Verdict {
        inVain.removeAll { now - $0 >= RequestBudget.span }
        guard inVain.count < RequestBudget.most else { return .refuse(last) }
        guard inVain.count + underWay < RequestBudget.most else { return .wait }
        underWay += 1
        return .ask
    }

    /// New bytes have come of an ask.
    mutating func progressed() {
        underWay -= 1
        inVain = []
    }

    /// An ask has ended without new bytes.
    mutating func end(_ end: End, at now: Duration) {
        underWay -= 1
        switch end {
        case .inVain(let reason):
            inVain.append(now)
            last = reason
        case .unanswered:
            // Pages are left before their servers answer: that counts only where one has answered in vain before.
            if !inVain.isEmpty { inVain.append(now) }
        }
    }

    /// Whether nothing is known that could matter again.
    func isOver(now: Duration) -> Bool { underWay == 0 && inVain.allSatisfy { now - $0 >= RequestBudget.span } }
}
