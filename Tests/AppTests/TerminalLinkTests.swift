import Model
import Testing

@testable import App

/// What the link to the terminal passes on to the pacer, the detector of slow links and the figures.
@Suite struct TerminalLinkTests {
    private func link() -> TerminalLink { TerminalLink(pacer: OutputPacer(asked: .zero)) }

    /// Sends an update for an answer.
    private func send(_ bytes: Int, on link: inout TerminalLink, at now: Duration) {
        _ = link.sent(bytes, for: .answer, coarseness: 0, hasNewPicture: false, now: now)
    }

    /// A link that has a round trip of 20 ms, and took `time` for 12,000 bytes.
    private func measured(_ time: Duration) -> TerminalLink {
        var link = link()
        link.noteAnswers(first: .milliseconds(20), statuses: 0, now: .milliseconds(20))
        send(12_000, on: &link, at: .milliseconds(30))
        link.noteAnswers(first: .milliseconds(20), statuses: 1, now: .milliseconds(50))
        link.noteAnswers(first: .milliseconds(20), statuses: 2, now: .milliseconds(50) + time)
        return link
    }

    // MARK: Figures

    @Test func figuresHaveTheRateOfALimitedLinkOnly() {
        var (slow, quick) = (measured(.milliseconds(10)), measured(.microseconds(500)))
        var (figures, quickFigures) = (Diagnostics(), Diagnostics())
        slow.complete(&figures, now: .milliseconds(500))
        quick.complete(&quickFigures, now: .milliseconds(500))
        #expect(figures.bytesPerSecond == 12_000 && figures.roundTrip == .milliseconds(20))
        #expect(figures.terminalRate.map { abs($0 - 1_200_000) <= 1 } == true)
        #expect(quickFigures.roundTrip == .milliseconds(20) && quickFigures.terminalRate == nil)
    }

    @Test func secondHasItsPicturesAndTheMeanOfItsCoarseness() {
        var link = link()
        var seconds: [OutputStats.Second?] = []
        for (milliseconds, coarseness, isNew) in [(0, 1.0, true), (500, 0.5, true), (1_000, 0.25, false)] {
            seconds.append(
                link.sent(
                    2_000, for: .motion, coarseness: coarseness, hasNewPicture: isNew, now: .milliseconds(milliseconds))
            )
        }
        #expect(seconds == [nil, nil, OutputStats.Second(picturesPerSecond: 1, coarseness: 0.375)])
    }

    // MARK: Answers

    /// The loop passes the first answer's time again and again.
    @Test func firstAnswerCountsOnce() {
        var link = link()
        let first = Duration.milliseconds(5)
        link.noteAnswers(first: first, statuses: 0, now: first)
        for (seconds, statuses) in [(11, 1), (22, 3)] {
            send(2_000, on: &link, at: .seconds(seconds))
            link.noteAnswers(first: first, statuses: statuses, now: .seconds(seconds) + .milliseconds(80))
            link.noteAnswers(first: first, statuses: statuses + 1, now: .seconds(seconds) + .milliseconds(90))
        }
        #expect(link.pacer.roundTrip == .milliseconds(80))
    }

    @Test func eachStatusIsAnAnswerOnce() {
        var link = link()
        send(2_000, on: &link, at: .milliseconds(10))
        send(2_000, on: &link, at: .milliseconds(10))
        #expect(link.pacer.updatesInFlight == 2)
        link.noteAnswers(first: nil, statuses: 4, now: .milliseconds(30))
        #expect(link.pacer.updatesInFlight == 0)
        send(2_000, on: &link, at: .milliseconds(40))
        link.noteAnswers(first: nil, statuses: 4, now: .milliseconds(60))
        #expect(link.pacer.updatesInFlight == 1)
    }

    @Test(arguments: [(99, true), (100, false)])
    func linkIsQuickBelowATenthOfASecond(milliseconds: Int, isQuick: Bool) {
        var link = link()
        #expect(!link.isQuick, "nothing is known")
        link.noteAnswers(first: .milliseconds(milliseconds), statuses: 0, now: .seconds(1))
        #expect(link.isQuick == isQuick)
    }

    // MARK: Slow links

    @Test func linkWhoseUpdatesWaitIsSlow() {
        var link = link()
        link.noteAnswers(first: .milliseconds(5), statuses: 0, now: .milliseconds(5))
        for (second, isSlow) in [(10, false), (20, true)] {
            link.noteWait(now: .seconds(second))
            link.noteUpdate(now: .seconds(second + 1))
            #expect(link.isSlow == isSlow && link.isQuick != isSlow)
        }
        #expect(!link.pacer.isSlow)
    }

    @Test func linkWhosePicturesAreCoarseIsSlow() {
        for purpose in [OutputPacer.Purpose.answer, .motion] {
            var link = TerminalLink(pacer: OutputPacer(cap: 100_000, asked: nil))
            for second in 1...60 {
                _ = link.sent(1_000, for: purpose, coarseness: 0.9, hasNewPicture: true, now: .seconds(second))
            }
            #expect(link.isSlow == (purpose == .motion))
        }
    }

    // MARK: When

    @Test func updateMayStartWhenItIsDueUnlessAnAnswerComesFirst() {
        var link = link()
        // At its own time, not at once.
        let free = link.mayStart(at: .milliseconds(100), for: .motion, now: .milliseconds(50))
        #expect(free == .milliseconds(100))
        _ = link.sent(5_000, for: .motion, coarseness: 0, hasNewPicture: true, now: .milliseconds(100))
        // The terminal has 400 ms for its first answer.
        let held = link.mayStart(at: .milliseconds(120), for: .motion, now: .milliseconds(110))
        #expect(held == .milliseconds(400))
        let later = link.mayStart(at: .seconds(2), for: .motion, now: .milliseconds(110))
        #expect(later == .seconds(2))
        let answer = link.mayStart(at: .milliseconds(120), for: .answer, now: .milliseconds(110))
        #expect(answer == .milliseconds(120))
    }
}
