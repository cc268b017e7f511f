import Model

/// A program in a terminal behind a slow link: what it writes arrives late, and so do keys and answers. Used by one
/// thread at a time.
public final class DistantTerminal {
    public let program: PTYProcess
    /// The bytes that arrived so far.
    public private(set) var bytes = 0
    /// The most bytes that waited to leave since this was last set to 0.
    public var maxBacklog = 0

    private var link: SlowLink
    private var answers: TerminalAnswers
    /// Whether it answers anything.
    private let answersQuestions: Bool
    /// What the user typed and the terminal answered, and when it reaches the program.
    private var typed: [(at: Duration, text: String)] = []
    private let start = ContinuousClock.now

    public init(_ program: PTYProcess, size: GridSize, link: SlowLink, answersQuestions: Bool = true) {
        self.program = program
        self.link = link
        self.answersQuestions = answersQuestions
        answers = TerminalAnswers(columns: size.columns, rows: size.rows)
    }

    /// Since the terminal began.
    public var now: Duration { .now - start }

    /// The user presses keys.
    public func type(_ text: String) { typed.append((now + link.roundTrip / 2, text)) }

    /// Lets time pass until `text` has arrived, at most for `limit`. Returns whether it has; nil: until the limit.
    @discardableResult
    public func run(for limit: Duration, until text: String? = nil) -> Bool {
        let end = now + limit
        let wanted = text.map { Array($0.utf8) }
        var tail: [UInt8] = []
        while now < end {
            let wake = [typed.first?.at, link.nextArrival, end].compactMap(\.self).min() ?? end
            let room = link.room(at: now)
            // A full link leaves the program's bytes where they are.
            let wait = max(min(wake - now, room > 0 ? .milliseconds(50) : .milliseconds(2)), .milliseconds(1))
            if let read = program.readSome(atMost: room, within: wait) {
                read.withUnsafeBytes { link.send($0, now: now) }
            }
            maxBacklog = max(maxBacklog, link.backlog(at: now))
            while let next = typed.first, next.at <= now {
                program.type(next.text)
                typed.removeFirst()
            }
            let arrived = link.receive(now: now)
            guard !arrived.isEmpty else { continue }
            bytes += arrived.count
            let answer = arrived.withUnsafeBytes { answers.answer($0) }
            if answersQuestions, !answer.isEmpty { type(answer) }
            guard let wanted else { continue }
            tail += arrived
            if tail.firstRange(of: wanted) != nil { return true }
            tail = tail.suffix(wanted.count - 1)
        }
        return false
    }
}
