import Testing

@testable import App

@Suite struct PacingTests {
    @Test func theFirstPictureIsDueAtOnce() {
        #expect(Pacing(fps: nil).due == .zero)
        #expect(Pacing(fps: 1).due == .zero)
    }

    @Test func nothingIsDueWhenNothingChanged() {
        var pacing = Pacing(fps: nil)
        pacing.drawn(now: .seconds(1))
        #expect(pacing.due == nil && !pacing.isNeeded)
    }

    @Test func picturesComeNoFasterThanADisplayShowsThem() {
        var pacing = Pacing(fps: 1_000)
        pacing.drawn(now: .seconds(1))
        pacing.noteMotion()
        #expect(pacing.due == .seconds(1) + Pacing.frame)
    }

    @Test func theCapHoldsUpMotionButNoAnswer() {
        var pacing = Pacing(fps: 2)
        pacing.drawn(now: .seconds(1))
        pacing.noteMotion()
        #expect(pacing.due == .milliseconds(1_500))
        pacing.noteAnswer()
        #expect(pacing.due == .seconds(1) + Pacing.answer)
        // What moves meanwhile does not take the answer's place.
        pacing.noteMotion()
        #expect(pacing.due == .seconds(1) + Pacing.answer)
        pacing.drawn(now: .milliseconds(1_008))
        pacing.noteMotion()
        #expect(pacing.due == .milliseconds(1_508))
    }

    @Test(
        arguments: [
            ([], -1), ([nil], -1), ([nil, Duration.seconds(3)], 2_000), ([.seconds(3), .microseconds(1_000_001)], 1),
            ([.milliseconds(1_008)], 8), ([.seconds(1)], 0), ([.zero], 0), ([.seconds(Int64.max)], 3_600_000),
        ] as [([Duration?], Int32)])
    func theLoopSleepsUntilTheFirstDeadlineAndNeverSpins(deadlines: [Duration?], milliseconds: Int32) {
        #expect(Pacing.timeout(until: deadlines, now: .seconds(1)) == milliseconds)
    }
}
