import Model
import TestSupport
import Testing

@testable import App

/// A link between flick and a terminal: bytes leave in order at its rate, arrive half a round trip later, and so do the
/// terminal's answers.
private struct SimulatedLink {
    var rate: Double
    var roundTrip: Duration
    /// The longest random delay of an answer.
    var jitter = Duration.zero
    /// The number of lost answers out of a thousand.
    var lost = 0
    var answersAtAll = true
    /// Whether it answers the questions sent with each update; the first questions are different ones.
    var reportsStatus = true
    var random = SeededRandom(state: 1)

    /// When the last byte sent has left.
    private var free = Duration.zero
    private var lastArrival = Duration.zero
    /// When answers arrive at flick, in order.
    private(set) var answers: [Duration] = []

    init(rate: Double, roundTrip: Duration) { (self.rate, self.roundTrip) = (rate, roundTrip) }

    /// The first questions are some 120 bytes.
    var firstAnswerTime: Duration { roundTrip + .seconds(120 / rate) }

    /// How long what is sent now waits before its first byte leaves.
    func backlog(at now: Duration) -> Duration { max(free - now, .zero) }

    /// Returns when the last byte has arrived at the terminal.
    mutating func send(_ bytes: Int, _ questions: OutputPacer.Questions, now: Duration) -> Duration {
        free = max(free, now)
        if questions == .beforeAndBehind { answer() }
        free += .seconds(Double(bytes) / rate)
        if questions != .none { answer() }
        return free + roundTrip / 2
    }

    private mutating func answer() {
        guard answersAtAll, reportsStatus, Int.random(in: 0..<1_000, using: &random) >= lost else { return }
        let late = jitter > .zero ? jitter * Double.random(in: 0..<1, using: &random) : .zero
        lastArrival = max(lastArrival, free + roundTrip + late)
        answers.append(lastArrival)
    }

    mutating func takeAnswers(now: Duration) -> Int {
        let count = answers.prefix { $0 <= now }.count
        answers.removeFirst(count)
        return count
    }
}

/// flick from the pacer's point of view: a clip of 25 pictures a second, each of which takes `wanted` bytes, or as few
/// as the pacer allows, but at least a fortieth.
private struct SimulatedSession {
    var link: SimulatedLink
    var pacer: OutputPacer
    var wanted = 60_000
    /// The user presses a key every so often.
    var keys = Duration.milliseconds(730)

    /// What was seen after the first two seconds.
    var pictures = 0
    var bytes = 0
    var maxBacklog = Duration.zero
    /// From each key to the arrival of its effect.
    var effects: [Duration] = []
    var coarsest = 0.0

    init(link: SimulatedLink, pacer: OutputPacer) { (self.link, self.pacer) = (link, pacer) }

    private var now = Duration.milliseconds(60)
    private var knowsFirstAnswer = false

    mutating func run(for length: Duration = .seconds(20)) {
        let end = now + length
        var (next, key, settled) = (now, now + .seconds(2.3), now + .seconds(2))
        (pictures, bytes, maxBacklog, effects, coarsest) = (0, 0, .zero, [], 0)
        while now < end {
            if !knowsFirstAnswer, link.answersAtAll, now >= link.firstAnswerTime {
                knowsFirstAnswer = true
                pacer.noteFirstAnswer(after: link.firstAnswerTime, now: now)
            }
            for _ in 0..<link.takeAnswers(now: now) { pacer.answered(now: now) }
            let isSettled = now > settled
            if key <= now {
                // The key itself comes half a round trip late.
                let budget = pacer.budget(for: .answer, now: now) ?? 0
                let sent = min(2_000, budget)
                let questions = pacer.questions
                pacer.sent(sent, for: .answer, coarseness: 0, now: now)
                effects.append(link.send(sent, questions, now: now) - now + link.roundTrip / 2)
                key += keys
            }
            // The newest picture wins.
            if next <= now, let budget = pacer.budget(for: .motion, now: now) {
                let sent = min(wanted, max(budget, wanted / 40))
                let tolerance = 1 - Double(sent) / Double(wanted)
                let questions = pacer.questions
                pacer.sent(sent, for: .motion, coarseness: tolerance, now: now)
                _ = link.send(sent, questions, now: now)
                next = .milliseconds(40) * (Int(now / .milliseconds(40)) + 1)
                if isSettled {
                    pictures += 1
                    bytes += sent
                    coarsest = max(coarsest, tolerance)
                }
            }
            if isSettled { maxBacklog = max(maxBacklog, link.backlog(at: now)) }
            now += .milliseconds(1)
        }
    }

    var rate: Double { Double(pictures) / 18 }
    /// Of what the link carries, how much was used.
    var use: Double { Double(bytes) / 18 / link.rate }
}

@Suite struct OutputPacerTests {
    private func session(_ kilobits: Double, _ roundTrip: Int, _ change: (inout SimulatedSession) -> Void = { _ in })
        -> SimulatedSession
    {
        let link = SimulatedLink(rate: kilobits * 125, roundTrip: .milliseconds(roundTrip))
        var session = SimulatedSession(link: link, pacer: OutputPacer(asked: .zero))
        change(&session)
        session.run()
        return session
    }

    @Test(arguments: [64.0, 256, 1_000, 3_000, 8_000, 50_000, 1_000_000], [0, 20, 100, 300])
    func keysAreAnsweredSoonOnEveryLink(kilobits: Double, roundTrip: Int) throws {
        let session = session(kilobits, roundTrip)
        // Beyond the way itself, and the effect's own bytes.
        let own = Duration.milliseconds(roundTrip) + .seconds(2_000 / (kilobits * 125))
        let worst = try #require(session.effects.max())
        // A picture takes a fortieth of its bytes at least, which is much for the slowest.
        #expect(worst - own <= .milliseconds(kilobits > 100 ? 125 : 300), "\(worst - own)")
        if kilobits > 300 { #expect(session.maxBacklog <= .milliseconds(125), "\(session.maxBacklog)") }
        #expect(session.rate >= (kilobits > 100 ? 5.5 : 2.5), "\(session.rate)")
        #expect(session.rate > 24 || session.use > 0.5, "\(session.rate) \(session.use)")
    }

    @Test func theFirstPictureIsWholeWhereTheTerminalIsNear() {
        var near = OutputPacer(asked: .zero)
        near.noteFirstAnswer(after: .milliseconds(2), now: .milliseconds(2))
        let whole = near.budget(for: .motion, now: .milliseconds(60)) ?? 0
        #expect(whole > 1_000_000)
        var far = OutputPacer(asked: .zero)
        let first = far.budget(for: .motion, now: .milliseconds(60)) ?? 0
        #expect((8_000...16_384).contains(first))
        // The one is enough until something is known.
        far.sent(first, for: .motion, coarseness: 0.5, now: .milliseconds(60))
        let second = far.budget(for: .motion, now: .milliseconds(90))
        #expect(second == nil)
    }

    @Test func aQuickLinkIsLeftAlone() {
        let session = session(10_000_000, 1)
        #expect(session.coarsest == 0 && session.rate > 24.5)
        #expect(!session.pacer.isLimited)
    }

    /// There are fewer pictures first, and coarser ones only then.
    @Test func picturesBecomeFewerBeforeTheyBecomeCoarser() {
        let eight = session(8_000, 100)
        #expect(eight.coarsest < 0.5 && (13...19).contains(eight.rate), "\(eight.coarsest) \(eight.rate)")
        let one = session(1_000, 100)
        #expect(one.coarsest > 0.5 && (6...12).contains(one.rate), "\(one.coarsest) \(one.rate)")
    }

    @Test func answersThatComeLateOrNeverHoldUpNothing() {
        let late = session(2_000, 50) { $0.link.jitter = .milliseconds(60) }
        #expect(late.rate >= 5 && late.maxBacklog <= .milliseconds(200), "\(late.rate) \(late.maxBacklog)")
        let lost = session(2_000, 50) { $0.link.lost = 5 }
        #expect(lost.rate >= 5, "\(lost.rate)")
        let silent = session(100_000, 5) { $0.link.answersAtAll = false }
        #expect(silent.rate > 24 && silent.coarsest == 0, "\(silent.rate)")
        let statusless = session(100_000, 5) { $0.link.reportsStatus = false }
        #expect(statusless.rate > 24 && statusless.coarsest == 0, "\(statusless.rate)")
    }

    /// Its first answer comes just when it is taken to report nothing: neither that answer nor the next one is mistaken
    /// for that of a later question.
    @Test func terminalThatReportsItsStatusLateIsStillPaced() {
        var pacer = OutputPacer(asked: .zero)
        pacer.noteFirstAnswer(after: .milliseconds(5), now: .milliseconds(5))
        func isHeld(at time: Duration) -> Bool { pacer.budget(for: .motion, now: time) == nil }
        pacer.sent(10_000, for: .motion, coarseness: 0, now: .milliseconds(20))
        #expect(isHeld(at: .milliseconds(300)))
        #expect(!isHeld(at: .milliseconds(500)))
        #expect(pacer.questions == .none)
        pacer.answered(now: .milliseconds(600))
        #expect(isHeld(at: .milliseconds(1_250)))
        pacer.answered(now: .milliseconds(1_280))
        #expect(isHeld(at: .milliseconds(1_950)))
        #expect(!isHeld(at: .milliseconds(2_000)))
        #expect(pacer.questions == .beforeAndBehind)
    }

    /// Keys come quickly, so that there is always another answer for the one that is missing.
    @Test func lostAnswerIsNoticedWhileOthersArrive() {
        var pacer = OutputPacer(asked: .zero)
        pacer.noteFirstAnswer(after: .milliseconds(1), now: .milliseconds(1))
        var now = Duration.milliseconds(100)
        /// An update of 29 KB on its way to a near terminal, which takes three milliseconds. Returns how many bytes it
        /// might have had.
        func turnPage(losing lost: Int) -> Int {
            let budget = pacer.budget(for: .answer, now: now) ?? 0
            let answers = pacer.questions == .none ? 0 : pacer.questions == .behind ? 1 : 2
            pacer.sent(min(29_000, budget), for: .answer, coarseness: 0, now: now)
            for answer in 0..<answers where answer >= lost { pacer.answered(now: now + .milliseconds(1 + answer * 2)) }
            now += .milliseconds(300)
            return budget
        }
        for _ in 0..<10 { _ = turnPage(losing: 0) }
        #expect(pacer.updatesInFlight == 0)
        _ = turnPage(losing: 1)
        #expect(pacer.updatesInFlight == 1)
        let budgets = (0..<10).map { _ in turnPage(losing: 0) }
        #expect(budgets.suffix(6).allSatisfy { $0 > 29_000 }, "\(budgets)")
        #expect(pacer.updatesInFlight == 0)
    }

    /// After a lost answer, each one seems to be that of the update before. What they measure does not count.
    @Test func rateIsRestoredOnceAnswersAreFoundToBelongToLaterQuestions() throws {
        var pacer = OutputPacer(asked: .zero)
        pacer.noteFirstAnswer(after: .milliseconds(1), now: .milliseconds(1))
        var now = Duration.milliseconds(100)
        func send(losing lost: Int = 0) {
            let budget = pacer.budget(for: .answer, now: now) ?? 0
            let answers = pacer.questions == .none ? 0 : pacer.questions == .behind ? 1 : 2
            pacer.sent(min(29_000, budget), for: .answer, coarseness: 0, now: now)
            for answer in lost..<max(answers, lost) { pacer.answered(now: now + .milliseconds(1 + answer * 10)) }
            now += .milliseconds(200)
        }
        for _ in 0..<10 { send() }
        send(losing: 1)
        let rate = try #require(pacer.rate)
        for _ in 0..<2 { send() }
        #expect(pacer.rate.map { $0 < rate / 2 } == true)
        send()
        #expect(pacer.rate == rate && pacer.updatesInFlight == 0)
    }

    /// One late answer does not make a near terminal a far one.
    @Test func roundTripIsTheShortestOfTheLastTenSecondsAtLeast() {
        var pacer = OutputPacer(asked: .zero)
        let answers = [(1, 20, 20), (9, 90, 20), (12, 300, 20), (21, 250, 20), (23, 300, 250)]
        for (second, time, shortest) in answers {
            pacer.noteFirstAnswer(after: .milliseconds(time), now: .seconds(second))
            #expect(pacer.roundTrip == .milliseconds(shortest), "after \(second) s")
        }
    }

    /// As of a terminal that was just beginning on a busy machine.
    @Test func slowBeginningDoesNotMakeANearTerminalAFarOne() {
        var pacer = OutputPacer(asked: .zero)
        pacer.noteFirstAnswer(after: .milliseconds(1_300), now: .milliseconds(1_300))
        var now = Duration.milliseconds(1_300)
        // The first update is answered late, and all at once.
        for wait in [1_300, 5, 5, 5] {
            let answers = pacer.questions == .beforeAndBehind ? 2 : 1
            pacer.sent(20_000, for: .answer, coarseness: 0, now: now)
            for _ in 0..<answers { pacer.answered(now: now + .milliseconds(wait)) }
            now += .milliseconds(wait + 35)
        }
        #expect(pacer.questions == .behind && !pacer.isLimited)
        #expect(pacer.roundTrip == .milliseconds(5))
    }

    @Test func answersLostNowAndThenDoNotMakeATerminalSilent() {
        var pacer = OutputPacer(asked: .zero)
        pacer.noteFirstAnswer(after: .milliseconds(1), now: .milliseconds(1))
        var now = Duration.milliseconds(100)
        func send(isAnswered: Bool) {
            _ = pacer.budget(for: .answer, now: now)
            let answers = pacer.questions == .none ? 0 : pacer.questions == .behind ? 1 : 2
            pacer.sent(2_000, for: .answer, coarseness: 0, now: now)
            for answer in 0..<(isAnswered ? answers : 0) { pacer.answered(now: now + .milliseconds(1 + answer)) }
            now += .seconds(60)
        }
        for _ in 0..<6 {
            // Behind a lost answer one update asks nothing.
            for isAnswered in [true, false, true] { send(isAnswered: isAnswered) }
        }
        _ = pacer.budget(for: .answer, now: now)
        pacer.sent(2_000, for: .answer, coarseness: 0, now: now)
        #expect(pacer.nextWake(after: now) != nil)
    }

    @Test func aLinkThatGetsBetterIsUsedAndOneThatGetsWorseIsNotFlooded() {
        let link = SimulatedLink(rate: 125_000, roundTrip: .milliseconds(100))
        var session = SimulatedSession(link: link, pacer: OutputPacer(asked: .zero))
        session.run()
        session.link.rate = 20_000_000
        session.run()
        #expect(session.rate > 20 && session.coarsest < 0.3, "\(session.rate) \(session.coarsest)")
        session.link.rate = 1_000_000
        session.run()
        session.link.rate = 100_000
        // What was under way when it became so slow takes its time.
        session.run(for: .seconds(6))
        session.run()
        #expect(session.maxBacklog <= .milliseconds(125) && session.rate > 6, "\(session.maxBacklog) \(session.rate)")
    }

    @Test func theUsersLimitIsKept() {
        let capped = session(100_000, 2) { $0.pacer = OutputPacer(cap: 125_000, asked: .zero) }
        #expect(Double(capped.bytes) / 18 < 130_000 && capped.rate >= 6, "\(capped.bytes) \(capped.rate)")
        let silent = session(100_000, 2) {
            $0.pacer = OutputPacer(cap: 125_000, asked: nil)
            $0.link.answersAtAll = false
        }
        #expect(Double(silent.bytes) / 18 < 130_000 && silent.rate >= 6, "\(silent.bytes) \(silent.rate)")
    }

    /// A window that is resized twenty times a second: each size is drawn at
    /// once, and only two updates at a time are asked behind.
    @Test func picturesContinueAfterManyUpdatesForTheUser() {
        var pacer = OutputPacer(asked: .zero)
        var now = Duration.milliseconds(5)
        pacer.noteFirstAnswer(after: now, now: now)
        for _ in 0..<30 {
            now += .milliseconds(50)
            pacer.sent(
                pacer.budget(for: .answer, now: now).map { min($0, 90_000) } ?? 0, for: .answer, coarseness: 0, now: now
            )
        }
        // The terminal answers what it was asked, and nothing is asked since.
        for _ in 0..<4 {
            now += .milliseconds(80)
            pacer.answered(now: now)
        }
        #expect(pacer.updatesInFlight == 0)
        now += .milliseconds(500)
        #expect(pacer.budget(for: .motion, now: now) != nil)
    }

    /// It seemed to carry nothing for seconds, and carries everything again. No update uses all of what it may have.
    @Test func aLinkThatWasBrokenIsUsedAgain() {
        var pacer = OutputPacer(asked: .zero)
        var now = Duration.zero
        pacer.noteFirstAnswer(after: .milliseconds(20), now: now)
        func send(_ answerAfter: Duration?) {
            now += .milliseconds(130)
            guard let budget = pacer.budget(for: .motion, now: now) else { return }
            pacer.sent(min(budget * 9 / 10, 20_000), for: .motion, coarseness: 0.5, now: now)
            guard let answerAfter else { return }
            now += answerAfter
            pacer.answered(now: now)
            now += .milliseconds(2)
            pacer.answered(now: now)
        }
        for _ in 0..<20 { send(.milliseconds(20)) }
        for _ in 0..<60 { send(nil) }
        for _ in 0..<60 { send(.milliseconds(20)) }
        now += .milliseconds(130)
        #expect(pacer.budget(for: .motion, now: now).map { $0 > 12_000 } ?? false)
    }
}
