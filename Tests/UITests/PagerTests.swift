import Testing

@testable import UI

struct PagerTests {
    private func seconds(_ pager: Pager, from start: Duration) -> Double {
        var pager = pager
        var now = start
        while pager.isMoving {
            now += .milliseconds(1)
            _ = pager.advance(to: now)
        }
        return (now - start) / .seconds(1)
    }

    @Test func aStepEndsExactlyOnItsItem() {
        var pager = Pager(count: 3, rows: 24)
        let stepped = pager.step(by: 1, now: .zero)
        #expect(stepped)
        #expect(pager.target == 1)
        let settledEarly = pager.advance(to: .milliseconds(75))
        #expect(!settledEarly)
        #expect(abs(pager.position - 0.5) < 0.001)
        let settled = pager.advance(to: .milliseconds(150))
        #expect(settled)
        #expect(pager.position == 1)
        #expect(!pager.isMoving)
    }

    @Test func aSnapIsNeitherTooShortNorTooLong() {
        var pager = Pager(count: 9, rows: 24)
        _ = pager.step(by: 1, now: .zero)
        #expect(abs(seconds(pager, from: .zero) - 0.15) < 0.002)
        _ = pager.advance(to: .milliseconds(149))
        _ = pager.step(by: 1, now: .milliseconds(149))
        #expect(seconds(pager, from: .milliseconds(149)) > 0.149)

        var short = Pager(count: 9, rows: 24)
        short.beginDrag(row: 12, now: .zero)
        short.drag(to: 11, now: .seconds(1))
        short.endDrag(now: .seconds(5))
        #expect(abs(seconds(short, from: .seconds(5)) - 0.1) < 0.002)
    }

    @Test func aKeyDuringASnapRetargetsIt() {
        var pager = Pager(count: 9, rows: 24)
        _ = pager.step(by: 1, now: .zero)
        _ = pager.advance(to: .milliseconds(75))
        let stepped = pager.step(by: -1, now: .milliseconds(75))
        #expect(stepped)
        #expect(pager.target == 0)
        #expect(abs(pager.position - 0.5) < 0.001)
    }

    /// However fast they come, and however late the slide is drawn.
    @Test(arguments: [0, 30, 100]) func stepsAddUp(interval: Int) {
        var pager = Pager(count: 1_000, rows: 24)
        for step in 0..<8 {
            let stepped = pager.step(by: 1, now: .milliseconds(step * interval))
            #expect(stepped && pager.target == step + 1)
        }
        let last = Duration.milliseconds(7 * interval)
        #expect(seconds(pager, from: last) <= 0.301)
        _ = pager.advance(to: last + .milliseconds(301))
        #expect(pager.position == 8 && !pager.isMoving)
    }

    /// Each step begins where the page is at its time, also if it was drawn long ago.
    @Test func stepContinuesFromTheCurrentPosition() {
        var pager = Pager(count: 9, rows: 24)
        _ = pager.step(by: 1, now: .zero)
        _ = pager.step(by: 1, now: .milliseconds(75))
        #expect(abs(pager.position - 0.5) < 0.001)
        // A slide that is over by then counts as over.
        _ = pager.step(by: 1, now: .seconds(1))
        #expect(pager.position == 2 && pager.target == 3)
    }

    @Test(arguments: [
        (rows: 3, after: 1_000, goes: 0),  // Slow and short: back.
        (rows: 13, after: 1_000, goes: 1),  // Slow, past the middle: on.
        (rows: 4, after: 60, goes: 1),  // Quick and short: on.
        (rows: -4, after: 60, goes: -1),
    ])
    func releasingADragFollowsTheCommitRule(rows: Int, after: Int, goes: Int) {
        var pager = Pager(count: 9, at: 4, rows: 24)
        pager.beginDrag(row: 12, now: .zero)
        pager.drag(to: 12 - rows / 2, now: .milliseconds(after / 2))
        pager.drag(to: 12 - rows, now: .milliseconds(after))
        if after >= 1_000 {
            pager.endDrag(now: .milliseconds(after + 500))
        } else {
            pager.endDrag(now: .milliseconds(after))
        }
        #expect(pager.target == 4 + goes)
    }

    /// Above 0.3 pages a second a drag moves to the next page; at or below it the page stays, whichever page is closer.
    @Test(arguments: [(0.2995, 0), (0.3005, 1), (0.25, 0), (0.35, 1), (-0.2995, 0), (-0.3005, -1)])
    func aDragCommitsAboveThreeTenthsOfAPageASecond(speed: Double, goes: Int) {
        let rows = 100_000
        var pager = Pager(count: 9, at: 4, rows: rows)
        let direction = speed > 0 ? -1 : 1
        pager.beginDrag(row: 500_000, now: .zero)
        pager.drag(to: 500_000 + direction * rows / 5, now: .seconds(1))
        let last = 500_000 + direction * (rows / 5 + Int((abs(speed) * 0.1 * Double(rows)).rounded()))
        pager.drag(to: last, now: .milliseconds(1_100))
        pager.endDrag(now: .milliseconds(1_100))
        #expect(pager.target == 4 + goes)
    }

    @Test func aDragThatPausesBeforeItsReleaseIsSlow() {
        var pager = Pager(count: 9, at: 4, rows: 100)
        pager.beginDrag(row: 90, now: .zero)
        pager.drag(to: 50, now: .milliseconds(50))
        var moved = pager
        // A pointer that stands still sends no events…
        pager.endDrag(now: .milliseconds(171))
        #expect(pager.target == 4)
        // …and a move of one cell does not count as fast.
        moved.drag(to: 50, now: .milliseconds(300))
        moved.endDrag(now: .milliseconds(310))
        #expect(moved.target == 4)
    }

    @Test func aQuickDragCountsForAMomentAfterItsLastMove() {
        var pager = Pager(count: 9, at: 4, rows: 100)
        pager.beginDrag(row: 90, now: .zero)
        pager.drag(to: 80, now: .milliseconds(30))
        pager.endDrag(now: .milliseconds(110))
        #expect(pager.target == 5)
    }

    @Test func aFarSnapTakesNoLongerThanThreeTenthsOfASecond() {
        var pager = Pager(count: 9, rows: 24)
        for _ in 0..<4 { _ = pager.step(by: 1, now: .zero) }
        #expect(pager.target == 4)
        #expect(abs(seconds(pager, from: .zero) - 0.3) < 0.002)
    }

    @Test func thePagerStopsAtBothEnds() {
        var pager = Pager(count: 2, rows: 24)
        let steppedBack = pager.step(by: -1, now: .zero)
        #expect(!steppedBack)
        let jumped = pager.jump(to: 99)
        #expect(jumped)
        #expect(pager.target == 1)
        let steppedOn = pager.step(by: 1, now: .zero)
        #expect(!steppedOn)
        pager.beginDrag(row: 20, now: .zero)
        pager.drag(to: 0, now: .milliseconds(50))
        #expect(pager.position == 1 + Pager.overshoot)
        pager.endDrag(now: .milliseconds(60))
        #expect(pager.target == 1)
    }

    @Test func aNewHeightWaitsForTheEndOfTheMove() {
        var pager = Pager(count: 2, rows: 24)
        _ = pager.step(by: 1, now: .zero)
        pager.resize(rows: 40)
        _ = pager.advance(to: .milliseconds(60))
        #expect(pager.rows == 24)
        _ = pager.advance(to: .milliseconds(400))
        #expect(pager.rows == 40)
    }

    @Test func aHeightThatWasWaitedForIsTakenOnce() {
        var pager = Pager(count: 3, rows: 24)
        _ = pager.step(by: 1, now: .zero)
        pager.resize(rows: 40)
        _ = pager.advance(to: .seconds(1))
        pager.resize(rows: 30)
        _ = pager.step(by: 1, now: .seconds(2))
        _ = pager.advance(to: .seconds(3))
        #expect(pager.rows == 30)
    }

    @Test func newItemsBeforeADraggedOneAddNothingToItsSpeed() {
        var pager = Pager(count: 9, at: 4, rows: 100)
        pager.beginDrag(row: 50, now: .zero)
        pager.drag(to: 49, now: .milliseconds(100))
        pager.replace(count: 12, watching: 7)
        pager.endDrag(now: .milliseconds(110))
        #expect(pager.target == 7)
    }

    @Test func newItemsBeforeTheWatchedOneMoveNothing() {
        var pager = Pager(count: 5, at: 2, rows: 24)
        _ = pager.step(by: 1, now: .zero)
        _ = pager.advance(to: .milliseconds(75))
        pager.replace(count: 8, watching: 6)
        #expect(abs(pager.position - 5.5) < 0.001)
        // The slide continues from there.
        _ = pager.advance(to: .milliseconds(90))
        #expect(abs(pager.position - 5.6) < 0.001)
        _ = pager.advance(to: .seconds(1))
        #expect(pager.position == 6)
    }

    @Test func anEmptyFeedCannotBePaged() {
        var pager = Pager(count: 0, rows: 24)
        let stepped = pager.step(by: 1, now: .zero)
        #expect(!stepped)
        pager.beginDrag(row: 3, now: .zero)
        #expect(!pager.isMoving)
    }
}
