import Testing

@testable import App

@Suite struct FrameSchedulerTests {
    @Test func theFirstPictureIsDueAtOnce() {
        #expect(FrameScheduler(fps: nil).due == .zero)
        #expect(FrameScheduler(fps: 1).due == .zero)
    }

    @Test func nothingIsDueWhenNothingChanged() {
        var scheduler = FrameScheduler(fps: nil)
        scheduler.drawn(now: .seconds(1))
        #expect(scheduler.due == nil && !scheduler.isNeeded)
    }

    @Test func picturesComeNoFasterThanADisplayShowsThem() {
        var scheduler = FrameScheduler(fps: 1_000)
        scheduler.drawn(now: .seconds(1))
        scheduler.noteMotion()
        #expect(scheduler.due == .seconds(1) + FrameScheduler.frame)
    }

    @Test func theRateLimitDelaysMotionButNotAnswers() {
        var scheduler = FrameScheduler(fps: 2)
        scheduler.drawn(now: .seconds(1))
        scheduler.noteMotion()
        #expect(scheduler.due == .milliseconds(1_500))
        scheduler.noteAnswer()
        #expect(scheduler.due == .seconds(1) + FrameScheduler.answer)
        // Motion does not replace a waiting answer.
        scheduler.noteMotion()
        #expect(scheduler.due == .seconds(1) + FrameScheduler.answer)
        scheduler.drawn(now: .milliseconds(1_008))
        scheduler.noteMotion()
        #expect(scheduler.due == .milliseconds(1_508))
    }

    @Test func onlyWhatTheUserWaitsForIsAnAnswer() {
        var scheduler = FrameScheduler(fps: nil)
        #expect(scheduler.isNeeded && !scheduler.isAnswer)
        scheduler.drawn(now: .seconds(1))
        scheduler.noteText(now: .seconds(1), nextPicture: nil)
        #expect(scheduler.isNeeded && !scheduler.isAnswer)
        scheduler.noteMotion()
        #expect(!scheduler.isAnswer)
        scheduler.noteAnswer()
        #expect(scheduler.isAnswer)
        scheduler.drawn(now: .seconds(2))
        #expect(!scheduler.isAnswer)
    }

    @Test func textWaitsForTheNextPicture() {
        var scheduler = FrameScheduler(fps: nil)
        scheduler.drawn(now: .seconds(1))
        scheduler.noteText(now: .milliseconds(1_010), nextPicture: .milliseconds(1_040))
        #expect(scheduler.isNeeded && scheduler.due == .milliseconds(1_110))
        // More text does not postpone it.
        scheduler.noteText(now: .milliseconds(1_030), nextPicture: .milliseconds(1_040))
        #expect(scheduler.due == .milliseconds(1_110))
        scheduler.noteMotion()
        #expect(scheduler.due == .milliseconds(1_008))
        // Text does not postpone what is needed sooner.
        scheduler.noteText(now: .milliseconds(1_040), nextPicture: .milliseconds(1_080))
        #expect(scheduler.due == .milliseconds(1_008))
        scheduler.drawn(now: .milliseconds(1_040))
        #expect(!scheduler.isNeeded)
    }

    @Test(arguments: [nil, .milliseconds(1_111), .seconds(9)] as [Duration?])
    func textIsDrawnAtOnceWhereNoPictureComesSoon(nextPicture: Duration?) {
        var scheduler = FrameScheduler(fps: nil)
        scheduler.drawn(now: .seconds(1))
        scheduler.noteText(now: .milliseconds(1_010), nextPicture: nextPicture)
        #expect(scheduler.due == .milliseconds(1_010))
    }

    @Test func theRateLimitAppliesToText() {
        var scheduler = FrameScheduler(fps: 2)
        scheduler.drawn(now: .seconds(1))
        scheduler.noteText(now: .milliseconds(1_010), nextPicture: nil)
        #expect(scheduler.due == .milliseconds(1_500))
        scheduler.noteAnswer()
        #expect(scheduler.due == .seconds(1) + FrameScheduler.answer)
    }

    @Test(
        arguments: [
            (nil, .seconds(1), nil), (.seconds(1), nil, .seconds(1)),
            (.seconds(1), .milliseconds(1_040), .milliseconds(1_040)),
            (.seconds(1), .milliseconds(1_100), .milliseconds(1_100)), (.seconds(1), .milliseconds(1_101), .seconds(1)),
            // A picture due before the text changes is followed by another one.
            (.seconds(1), .milliseconds(980), .seconds(1)),
        ] as [(Duration?, Duration?, Duration?)])
    func theLoopWakesUpForTextWithAPicture(text: Duration?, picture: Duration?, wake: Duration?) {
        #expect(FrameScheduler.textWake(at: text, nextPicture: picture) == wake)
    }

    @Test(
        arguments: [
            ([], -1), ([nil], -1), ([nil, Duration.seconds(3)], 2_000), ([.seconds(3), .microseconds(1_000_001)], 1),
            ([.milliseconds(1_008)], 8), ([.seconds(1)], 0), ([.zero], 0), ([.seconds(Int64.max)], 3_600_000),
        ] as [([Duration?], Int32)])
    func theLoopSleepsUntilTheFirstDeadlineAndNeverSpins(deadlines: [Duration?], milliseconds: Int32) {
        #expect(FrameScheduler.timeout(until: deadlines, now: .seconds(1)) == milliseconds)
    }
}
