import TermGraphics
import Testing

@testable import App

@Suite struct RefinementTests {
    /// Paints whenever it is due, exactly if it is asked to. Returns the precisions, and when the last was painted.
    private func rest(_ refinement: inout Refinement, from start: Duration) -> (precisions: [Precision], end: Duration)
    {
        var precisions: [Precision] = []
        var now = start
        while let due = refinement.due, precisions.count < 20 {
            #expect(due > now)
            now = due
            precisions.append(refinement.precision(moves: false, now: now))
            refinement.painted(isExact: precisions.last == .exact, now: now)
        }
        return (precisions, now)
    }

    @Test func whatMovesIsNotExact() {
        var refinement = Refinement()
        for picture in 0..<10 {
            let now = Duration.milliseconds(40 * picture)
            #expect(refinement.precision(moves: true, now: now) == .moving)
            refinement.painted(isExact: false, now: now)
            // The next picture is there before.
            #expect(refinement.due.map { $0 > now + .milliseconds(50) } ?? false)
            // Text alone does not make the picture below it exact.
            #expect(refinement.precision(moves: false, now: now + .milliseconds(20)) == .moving)
        }
    }

    @Test func whatRestsIsExactWithin300MillisecondsAndThenCostsNothing() {
        var refinement = Refinement()
        let start = Duration.seconds(5)
        #expect(refinement.precision(moves: true, now: start) == .moving)
        refinement.painted(isExact: false, now: start)
        let (precisions, end) = rest(&refinement, from: start)
        #expect(precisions == [Precision(tolerance: Precision.moving.tolerance / 2), .exact])
        #expect(end - start <= .milliseconds(300))
        #expect(refinement.due == nil)
        #expect(refinement.precision(moves: false, now: .seconds(60)) == .exact)
    }

    @Test func anExactUpdateNeedsNoOther() {
        var refinement = Refinement()
        _ = refinement.precision(moves: true, now: .seconds(1))
        refinement.painted(isExact: true, now: .seconds(1))
        #expect(refinement.due == nil)
    }

    /// A budget may need many updates for all of the screen.
    @Test func aSlowLinkGoesOnUntilItIsExact() {
        var refinement = Refinement()
        var now = Duration.seconds(1)
        _ = refinement.precision(moves: true, now: now)
        refinement.painted(isExact: false, now: now)
        for step in 0..<12 {
            guard let due = refinement.due else { break }
            #expect(due >= now + Refinement.interval && due <= now + Refinement.first)
            now = due
            _ = refinement.precision(moves: false, now: now)
            refinement.painted(isExact: step == 11, now: now)
        }
        #expect(refinement.due == nil)
    }

    @Test func theFirstPageIsExact() {
        var refinement = Refinement()
        #expect(refinement.precision(moves: false, now: .zero) == .exact && refinement.due == nil)
    }
}
