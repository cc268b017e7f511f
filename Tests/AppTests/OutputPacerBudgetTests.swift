import Model
import Testing

@testable import App

/// What the pacer grants and asks, to the byte and the millisecond, on links whose rate is known.
@Suite struct OutputPacerBudgetTests {
    /// A pacer that has measured a round trip of 20 ms, and 12,000 bytes that took `time`.
    private func measured(_ time: Duration = .milliseconds(10), cap: Double? = nil) -> OutputPacer {
        var pacer = OutputPacer(cap: cap, asked: .zero)
        pacer.noteFirstAnswer(after: .milliseconds(20), now: .milliseconds(20))
        // A limit above what is paced has one question asked.
        let asksBefore = pacer.questions == .beforeAndBehind
        pacer.sent(12_000, for: .answer, coarseness: 0, now: .milliseconds(30))
        if asksBefore { pacer.answered(now: .milliseconds(50)) }
        pacer.answered(now: .milliseconds(50) + time)
        return pacer
    }

    /// A pacer of a terminal that answers nothing.
    private func silent(cap: Double, shortestPeriod: Duration = FrameScheduler.frame) -> OutputPacer {
        OutputPacer(cap: cap, shortestPeriod: shortestPeriod, asked: nil)
    }

    /// Rates are measured in fractions of a byte.
    private func isNear(_ budget: Int?, _ bytes: Int) -> Bool { budget.map { abs($0 - bytes) <= 2 } ?? false }

    // MARK: Bytes

    @Test func answerGetsWhatTheWindowAndTheBacklogLeave() {
        var pacer = measured()
        #expect(pacer.rate.map { abs($0 - 1_200_000) < 1 } == true && pacer.roundTrip == .milliseconds(20))
        // What drains within the backlog of 95 ms.
        let whole = pacer.budget(for: .answer, now: .seconds(1))
        #expect(isNear(whole, 114_000))
        pacer.sent(60_000, for: .answer, coarseness: 0, now: .seconds(1))
        // After 10 ms 48,000 bytes wait to leave.
        let backlog = pacer.budget(for: .answer, now: .milliseconds(1_010))
        #expect(isNear(backlog, 66_000))
        // After 40 ms the window of 115 ms is the limit: nothing is acknowledged.
        let window = pacer.budget(for: .answer, now: .milliseconds(1_040))
        #expect(isNear(window, 78_000))
        pacer.sent(90_000, for: .answer, coarseness: 0, now: .milliseconds(1_040))
        let least = pacer.budget(for: .answer, now: .milliseconds(1_040))
        #expect(least == OutputPacer.least)
    }

    /// Of three updates at once, the terminal acknowledges two.
    @Test func bytesBehindTheLastQuestionAreInFlightUntilAllIsAnswered() {
        var pacer = measured()
        for _ in 0..<3 { pacer.sent(12_000, for: .answer, coarseness: 0, now: .seconds(1)) }
        #expect(pacer.updatesInFlight == 2)
        let during = pacer.budget(for: .answer, now: .milliseconds(1_100))
        #expect(isNear(during, 102_000))
        for time in [1_020, 1_030, 1_030, 1_040] { pacer.answered(now: .milliseconds(time)) }
        #expect(pacer.updatesInFlight == 0)
        let after = pacer.budget(for: .answer, now: .milliseconds(1_150))
        #expect(isNear(after, 114_000))
    }

    @Test func pictureGetsTheBytesOfTheTimeSinceTheLastOne() {
        var pacer = silent(cap: 100_000, shortestPeriod: .milliseconds(40))
        let first = pacer.budget(for: .motion, now: .seconds(1))
        #expect(isNear(first, 3_600))
        pacer.sent(3_000, for: .motion, coarseness: 0, now: .seconds(1))
        #expect(pacer.period == .milliseconds(40))
        let early = pacer.budget(for: .motion, now: .milliseconds(1_039))
        #expect(early == nil && pacer.nextWake(after: .milliseconds(1_020)) == .milliseconds(1_040))
        let second = pacer.budget(for: .motion, now: .milliseconds(1_080))
        #expect(isNear(second, 7_200))
        // A pause does not save up bytes.
        let late = pacer.budget(for: .motion, now: .seconds(3))
        #expect(isNear(late, 10_800))
        // An answer delays no picture, and takes none of its bytes.
        pacer.sent(500, for: .answer, coarseness: 0, now: .seconds(4))
        let beside = pacer.budget(for: .motion, now: .milliseconds(4_001))
        #expect(isNear(beside, 10_800))
    }

    @Test func smallerOfRateAndLimitCounts() {
        // The link carries 24 MB a second.
        let quick = Duration.microseconds(500)
        #expect(!measured(quick).isLimited && measured(quick, cap: 1_000_000).isLimited)
        #expect(!measured(quick, cap: 20_000_000).isLimited && measured(cap: 20_000_000).isLimited)
        #expect(measured(quick, cap: 2_400_000).isNarrow && !measured(quick, cap: 2_600_000).isNarrow)
        #expect(measured(cap: 20_000_000).isNarrow)
    }

    @Test func firstPictureIsWholeBelowTenMilliseconds() {
        for (milliseconds, bytes) in [(9, 1 << 24), (10, OutputPacer.firstBudget)] {
            var pacer = OutputPacer(asked: .zero)
            pacer.noteFirstAnswer(after: .milliseconds(milliseconds), now: .milliseconds(milliseconds))
            let budget = pacer.budget(for: .motion, now: .milliseconds(20))
            #expect(budget == bytes, "\(milliseconds) ms")
        }
    }

    // MARK: Questions

    @Test func questionsDependOnWhatIsKnownOfTheLink() {
        var silent = OutputPacer(asked: nil)
        #expect(silent.questions == .behind)
        silent.sent(2_000, for: .motion, coarseness: 0, now: .zero)
        #expect(silent.questions == .none && silent.updatesInFlight == 1)

        #expect(OutputPacer(asked: .zero).questions == .beforeAndBehind)
        #expect(measured(.microseconds(500)).questions == .behind)
        var slow = measured()
        #expect(slow.questions == .beforeAndBehind)
        slow.sent(2_000, for: .motion, coarseness: 0, now: .seconds(1))
        #expect(slow.questions == .beforeAndBehind)
        slow.sent(2_000, for: .motion, coarseness: 0, now: .seconds(1))
        #expect(slow.questions == .none)
    }

    @Test func updateWithoutBytesIsNotAwaited() {
        var pacer = measured()
        pacer.sent(0, for: .motion, coarseness: 0, now: .seconds(1))
        #expect(pacer.updatesInFlight == 0)
        // It counts as a picture all the same.
        let next = pacer.budget(for: .motion, now: .seconds(1) + pacer.period - .milliseconds(1))
        #expect(next == nil)
    }

    // MARK: Answers that are late or lost

    @Test func terminalThatDoesNotAnswerWithin400MillisecondsIsNotPaced() {
        var pacer = OutputPacer(asked: .milliseconds(100))
        #expect(pacer.nextWake(after: .milliseconds(200)) == .milliseconds(500))
        let before = pacer.budget(for: .motion, now: .milliseconds(499))
        #expect(before == OutputPacer.firstBudget)
        let after = pacer.budget(for: .motion, now: .milliseconds(500))
        #expect(after == Int.max)
    }

    /// 95 ms after the round trip of 20 ms; once the first of its two answers is there, that long after it.
    @Test func pictureWaitsForALateAnswer() {
        var pacer = measured()
        pacer.sent(5_000, for: .motion, coarseness: 0, now: .seconds(1))
        var begun = pacer
        let inTime = pacer.budget(for: .motion, now: .milliseconds(1_115))
        let late = pacer.budget(for: .motion, now: .milliseconds(1_116))
        #expect(inTime != nil && late == nil)
        begun.answered(now: .milliseconds(1_100))
        let draining = begun.budget(for: .motion, now: .milliseconds(1_215))
        let lateAgain = begun.budget(for: .motion, now: .milliseconds(1_216))
        #expect(draining != nil && lateAgain == nil)
    }

    @Test func firstAnswerToAStatusQuestionIsAwaitedLonger() {
        var pacer = OutputPacer(asked: .zero)
        pacer.noteFirstAnswer(after: .milliseconds(100), now: .milliseconds(100))
        pacer.sent(2_000, for: .answer, coarseness: 0, now: .milliseconds(150))
        #expect(pacer.nextWake(after: .milliseconds(150)) == .milliseconds(150 + 2 * 100 + 400))
    }

    @Test func lostAnswerQuartersTheRateAndEndsQuestionsForAWhile() throws {
        var pacer = measured()
        pacer.sent(12_000, for: .answer, coarseness: 0, now: .seconds(1))
        // The round trip and 10 ms for the bytes, twice, and the patience of 250 ms.
        let due = try #require(pacer.nextWake(after: .seconds(1)))
        #expect(due > .milliseconds(1_309) && due < .milliseconds(1_311))
        _ = pacer.budget(for: .answer, now: .milliseconds(1_309))
        #expect(pacer.updatesInFlight == 1 && pacer.rate.map { $0 > 1_100_000 } == true)
        _ = pacer.budget(for: .answer, now: .milliseconds(1_311))
        #expect(pacer.updatesInFlight == 0 && pacer.rate.map { abs($0 - 300_000) < 1 } == true)
        _ = pacer.budget(for: .answer, now: .milliseconds(2_030))
        #expect(pacer.questions == .none)
        _ = pacer.budget(for: .answer, now: .milliseconds(2_031))
        #expect(pacer.questions == .beforeAndBehind)
    }

    @Test func fiveAnswersLostInARowMakeTheTerminalSilent() {
        var pacer = measured()
        var now = Duration.seconds(1)
        var rates: [Double] = []
        var budgets: [Int] = []
        for _ in 0..<5 {
            // Nothing has come for long enough: questions are asked again.
            _ = pacer.budget(for: .answer, now: now)
            pacer.sent(2_000, for: .answer, coarseness: 0, now: now)
            now += .seconds(60)
            budgets.append(pacer.budget(for: .answer, now: now) ?? 0)
            rates.append(pacer.rate ?? 0)
            now += .seconds(60)
        }
        #expect(zip(rates, [300_000, 75_000, 18_750, 4_687.5, 4_000]).allSatisfy { abs($0 - $1) < 1 }, "\(rates)")
        #expect(budgets.dropLast().allSatisfy { $0 < 100_000 } && budgets.last == Int.max, "\(budgets)")
    }

    // MARK: The rate of pictures

    @Test func periodGrowsTo56MillisecondsForFinePicturesAndTo120ForCoarseOnes() {
        var pacer = silent(cap: 100_000)
        var now = Duration.seconds(1)
        func send(_ count: Int, _ bytes: Int, coarseness: Double) {
            for _ in 0..<count {
                now += .milliseconds(200)
                pacer.sent(bytes, for: .motion, coarseness: coarseness, now: now)
            }
        }
        #expect(pacer.period == FrameScheduler.frame)
        send(60, 1_000, coarseness: 0.3)
        #expect(pacer.period == OutputPacer.smoothPeriod && !pacer.isSlow)
        send(60, 1_000, coarseness: 0.9)
        #expect(pacer.period == OutputPacer.longestPeriod && pacer.isSlow)
        // Ten seconds of fine pictures, and one more.
        send(50, 100, coarseness: 0)
        #expect(pacer.isSlow)
        send(1, 100, coarseness: 0)
        #expect(!pacer.isSlow)
        send(60, 100, coarseness: 0)
        #expect(pacer.period == FrameScheduler.frame)
    }

    @Test func answersDoNotChangeTheRateOfPictures() {
        var pacer = silent(cap: 100_000)
        for second in 1...60 { pacer.sent(50_000, for: .answer, coarseness: 0.9, now: .seconds(second)) }
        #expect(pacer.period == FrameScheduler.frame && !pacer.isSlow)
    }
}
