import TermGraphics
import Testing

@testable import App

@Suite struct PrecisionScheduleTests {
    /// Paints whenever it is due, exactly if it is asked to. Returns the precisions, and when the last was painted.
    private func rest(_ refinement: inout PrecisionSchedule, from start: Duration) -> (
        precisions: [Precision], end: Duration
    ) {
        var precisions: [Precision] = []
        var now = start
        while let due = refinement.due, precisions.count < 20 {
            #expect(due > now)
            now = due
            precisions.append(refinement.precision(.none, now: now))
            refinement.painted(isExact: precisions.last == .exact, now: now)
        }
        return (precisions, now)
    }

    @Test func movingPicturesAreApproximate() {
        var refinement = PrecisionSchedule()
        for picture in 0..<10 {
            let now = Duration.milliseconds(40 * picture)
            #expect(refinement.precision(.motion, now: now) == .moving)
            refinement.painted(isExact: false, now: now)
            // The next picture is there before.
            #expect(refinement.due.map { $0 > now + .milliseconds(50) } ?? false)
            // Text alone does not make the picture below it exact.
            #expect(refinement.precision(.none, now: now + .milliseconds(20)) == .moving)
        }
    }

    /// Only its first picture is coarser; a still becomes exact as soon as any other.
    @Test func theFirstPictureOfAnotherClipIsCoarser() {
        var refinement = PrecisionSchedule()
        let start = Duration.seconds(5)
        #expect(refinement.precision(.cut, now: start) == .cut)
        refinement.painted(isExact: false, now: start)
        #expect(refinement.precision(.motion, now: start + .milliseconds(33)) == .moving)
        #expect(refinement.precision(.cut, now: start + .seconds(1)) == .cut)
        refinement.painted(isExact: false, now: start + .seconds(1))
        let (precisions, end) = rest(&refinement, from: start + .seconds(1))
        #expect(precisions.last == .exact && end - start <= .milliseconds(1_300))
    }

    @Test func restingPictureIsExactWithin300MillisecondsAndThenIdle() {
        var refinement = PrecisionSchedule()
        let start = Duration.seconds(5)
        #expect(refinement.precision(.motion, now: start) == .moving)
        refinement.painted(isExact: false, now: start)
        let (precisions, end) = rest(&refinement, from: start)
        #expect(precisions == [Precision(tolerance: Precision.moving.tolerance / 2), .exact])
        #expect(end - start <= .milliseconds(300))
        #expect(refinement.due == nil)
        #expect(refinement.precision(.none, now: .seconds(60)) == .exact)
    }

    @Test func anExactUpdateNeedsNoOther() {
        var refinement = PrecisionSchedule()
        _ = refinement.precision(.motion, now: .seconds(1))
        refinement.painted(isExact: true, now: .seconds(1))
        #expect(refinement.due == nil)
    }

    /// Sending the whole screen may need many updates within the budget.
    @Test func slowLinkIsRefinedUntilExact() {
        var refinement = PrecisionSchedule()
        var now = Duration.seconds(1)
        _ = refinement.precision(.motion, now: now)
        refinement.painted(isExact: false, now: now)
        for step in 0..<12 {
            guard let due = refinement.due else { break }
            #expect(due >= now + PrecisionSchedule.interval && due <= now + PrecisionSchedule.first)
            now = due
            _ = refinement.precision(.none, now: now)
            refinement.painted(isExact: step == 11, now: now)
        }
        #expect(refinement.due == nil)
    }

    @Test func longerRestEndsWithTheSlowLink() {
        var refinement = PrecisionSchedule()
        _ = refinement.precision(.motion, isLinkSlow: true, now: .seconds(1))
        refinement.painted(isExact: false, now: .seconds(1))
        #expect(refinement.due == .seconds(1) + PrecisionSchedule.slowLink + PrecisionSchedule.first)
        _ = refinement.precision(.motion, isLinkSlow: false, now: .seconds(2))
        refinement.painted(isExact: false, now: .seconds(2))
        #expect(refinement.due == .seconds(2) + PrecisionSchedule.first)
    }

    @Test func theFirstPageIsExact() {
        var refinement = PrecisionSchedule()
        #expect(refinement.precision(.none, now: .zero) == .exact && refinement.due == nil)
    }
}
