import Model
import Testing

@testable import Engagement

/// A tracker in the hands of a test, which says what happens and when. Times are milliseconds.
private struct Script {
    var tracker = Tracker()
    var now = Duration.seconds(1_000)
    var events: [EngagementEvent] = []
    var length: Int? = 10_000
    var place = 0
    var speed = 1

    /// - Parameter after: the time since the last signal, in milliseconds.
    mutating func note(_ signal: Tracker.Signal, after: Int = 0) {
        now += .milliseconds(after)
        events += tracker.note(signal, now: now)
    }

    /// The page is turned to, seen and started at once.
    mutating func arrive(_ item: String = "a") {
        place = 0
        note(.visible([(item, 1)]))
        note(.arrived(item, duration: nil))
        note(.playing(item))
        note(.firstFrame(item, how: .pool, sincePage: .milliseconds(5)))
    }

    /// The clip says where it is.
    mutating func report(of item: String = "a", after: Int = 0) {
        note(.position(item, .milliseconds(place), duration: length.map { .milliseconds($0) }), after: after)
    }

    /// Plays `time` milliseconds, loops, and reports.
    mutating func play(_ time: Int, of item: String = "a", every: Int = 100) {
        for _ in 0..<(time / every) {
            place += every * speed
            if let length { place %= length }
            report(of: item, after: every)
        }
    }

    mutating func seek(_ to: Int) {
        place = to
        note(.sought("a", to: .milliseconds(to)))
    }

    /// The page is left; what the visit came to.
    mutating func leave() -> EngagementEvent.Summary? {
        note(.arrived("z", duration: nil))
        guard case .summary(let summary) = events.last?.what else { return nil }
        return summary
    }

    /// Waits as the loop does.
    mutating func sleep(_ time: Int) {
        let end = now + .milliseconds(time)
        while let wake = tracker.nextWake(after: now), wake <= end {
            now = wake
            events += tracker.note(.tick, now: now)
        }
        now = end
    }

    func count(_ name: String) -> Int { events.count { $0.name == name } }
    var milestones: [Int] {
        events.compactMap { if case .milestone(let percent) = $0.what { percent } else { nil } }
    }
}

@Suite struct TrackerTests {
    // MARK: Impressions and starts

    @Test(arguments: [(0.6, 300, 1), (0.59, 2_000, 0), (1, 299, 0), (1, 300, 1)])
    func anImpressionIsSixtyPercentForThreeTenthsOfASecond(share: Double, time: Int, count: Int) {
        var script = Script()
        script.note(.visible([("a", share)]))
        let since = script.now
        script.sleep(time)
        script.note(.visible([]))
        #expect(script.count("impression") == count)
        if count > 0 { #expect(script.events.first?.at == since + .milliseconds(300)) }
    }

    @Test func pageThatIsPulledAwayStartsAgain() {
        var script = Script()
        for _ in 0..<5 {
            script.note(.visible([("a", 0.7)]))
            script.note(.visible([("a", 0.9)]), after: 200)
            script.note(.visible([("a", 0.5), ("b", 0.5)]), after: 99)
        }
        #expect(script.events.isEmpty)
        script.note(.visible([("a", 0.9)]))
        script.sleep(300)
        for _ in 0..<3 {
            script.note(.visible([]))
            script.note(.visible([("a", 1)]))
            script.sleep(1_000)
        }
        #expect(script.count("impression") == 1)
        #expect(script.count("again") == 3 && script.events.first?.what == .impression)
    }

    @Test func aStartSaysHowAndAfterHowLong() {
        var script = Script()
        script.note(.firstFrame("a", how: .cold, sincePage: .milliseconds(80)))
        #expect(script.events.isEmpty)
        script.note(.arrived("a", duration: nil))
        script.note(.firstFrame("b", how: .cold, sincePage: .milliseconds(80)))
        script.note(.firstFrame("a", how: .warm, sincePage: .milliseconds(9)), after: 9)
        let start = EngagementEvent(
            item: "a", at: script.now, what: .start(how: .warm, after: .milliseconds(9)))
        #expect(script.events == [start])
    }

    // MARK: Views and watch time

    @Test func aViewIsTwoSecondsOfPlayAndOncePerItem() {
        var script = Script()
        script.arrive()
        script.play(1_900)
        script.note(.paused("a"))
        script.sleep(5_000)
        #expect(script.count("view") == 0)
        script.note(.playing("a"))
        script.play(100)
        #expect(script.events.last?.what == .view(watched: .seconds(2)))
        script.play(3_000)
        script.arrive("b")
        script.play(1_900, of: "b")
        script.arrive()
        script.play(3_000)
        #expect(script.count("view") == 1)
    }

    @Test func watchTimeIsRealTimeAtAnySpeed() {
        for speed in [1, 2, 4] {
            var script = Script(speed: speed)
            script.arrive()
            script.note(.speed(Double(speed)))
            script.play(2_000)
            let summary = script.leave()
            #expect(summary?.watchTime == .seconds(2))
            #expect(summary?.completion == Double(speed) * 0.2)
        }
    }

    @Test func timeBeforeTheFirstReportOfAResumedClipIsNotWatched() {
        var script = Script()
        script.arrive()
        script.place = 5_000
        script.play(1_000)
        let summary = script.leave()
        #expect(summary?.watchTime == .milliseconds(900))
        #expect(summary?.completion == 0.09)
    }

    @Test func playIsCountedUpToThePauseTheSeekAndTheLeaving() {
        var script = Script()
        script.arrive()
        script.play(1_000)
        script.note(.paused("a"), after: 40)
        script.note(.playing("a"), after: 700)
        script.place += 40
        script.play(500)
        script.note(.sought("a", to: .seconds(8)), after: 60)
        script.place = 8_000
        // The seek takes 30 ms.
        script.place += 70
        script.report(after: 100)
        script.now += .milliseconds(90)
        let summary = script.leave()
        #expect(summary?.watchTime == .milliseconds(1_000 + 40 + 500 + 60 + 70 + 90))
        #expect(summary?.completion == 0.176)
    }

    @Test func positionOfAPauseMayArriveBeforeOrAfterIt() {
        for isBefore in [true, false] {
            var script = Script()
            script.arrive()
            script.play(1_000)
            script.place += 50
            script.now += .milliseconds(50)
            if isBefore { script.report() }
            script.note(.paused("a"))
            if !isBefore { script.report() }
            script.sleep(5_000)
            #expect(script.leave()?.watchTime == .milliseconds(1_050))
        }
    }

    @Test func unreportedStopIsNotPlay() {
        var script = Script()
        script.arrive()
        script.play(1_000)
        script.place += 100
        script.report(after: 500)
        script.play(1_000)
        let summary = script.leave()
        #expect(summary?.watchTime == .milliseconds(2_100))
        #expect(summary?.completion == 0.21)
    }

    @Test func unrequestedJumpIsNotPlay() {
        for place in [200, 8_000] {
            var script = Script()
            script.arrive()
            script.play(2_000)
            script.place = place
            script.play(1_000)
            let summary = script.leave()
            #expect(summary?.watchTime == .milliseconds(2_900))
            #expect(summary?.replays == 0)
        }
    }

    @Test func clockJitterKeepsWatchTime() {
        var script = Script()
        script.arrive()
        for round in 0..<95 {
            script.place = round * 100 + 100 + [0, 45, -45, 20, -30][round % 5]
            script.report(after: 100)
        }
        let summary = script.leave()
        #expect(summary?.watchTime == .milliseconds(9_500))
        #expect(summary?.milestones == [25, 50, 75])
        #expect(summary?.replays == 0)
    }

    @Test(arguments: [1_001, 5_000, -3_000])
    func gapsAndJumpsOfTheClockDoNotCount(gap: Int) {
        var script = Script()
        script.arrive()
        script.play(1_000)
        script.place += 1_000
        script.report(after: gap)
        script.play(1_000)
        let summary = script.leave()
        #expect(summary?.watchTime == .seconds(2))
        #expect(summary?.completion == 0.2)
    }

    @Test func silentPlayerIsNotWatched() {
        var script = Script()
        script.arrive()
        script.play(1_000)
        for _ in 0..<11 { script.note(.tick, after: 100) }
        let summary = script.leave()
        #expect(summary?.watchTime == .seconds(1))
    }

    @Test func suspendedTimeDoesNotCount() {
        var script = Script()
        script.note(.visible([("b", 1)]))
        script.note(.suspended, after: 200)
        script.note(.resumed, after: 500)
        script.note(.visible([]), after: 299)
        #expect(script.events.isEmpty)
        script.arrive()
        script.play(1_000)
        script.note(.suspended)
        script.note(.resumed, after: 600)
        script.play(1_000)
        script.note(.stalled("a", true))
        script.note(.suspended, after: 100)
        #expect(script.tracker.nextWake(after: script.now) == nil)
        script.note(.resumed, after: 600)
        script.note(.stalled("a", false), after: 100)
        let summary = script.leave()
        #expect(summary?.watchTime == .seconds(2))
        #expect(summary?.stallTime == .milliseconds(200))
    }

    @Test func replacedDecoderContinuesAtAnyPosition() {
        var script = Script()
        script.arrive()
        script.play(1_000)
        script.note(.recovering("a"), after: 50)
        script.place = 980
        script.report(after: 300)
        script.play(1_000)
        let summary = script.leave()
        #expect(summary?.watchTime == .milliseconds(2_050))
        #expect(summary?.completion == 0.198)
    }

    // MARK: Milestones and replays

    @Test func milestonesComeOnceALoopAndInOrder() {
        var script = Script(length: 2_000)
        script.arrive()
        script.play(1_800)
        #expect(script.milestones == [25, 50, 75])
        script.play(100)
        #expect(script.milestones == [25, 50, 75, 95])
        script.play(6_000)
        #expect(script.milestones == [25, 50, 75, 95])
        let summary = script.leave()
        #expect(summary?.replays == 3)
        #expect(summary?.completion == 1)
        #expect(summary?.milestones == [25, 50, 75, 95])
    }

    @Test func seekingToTheEndIsNotWatching() {
        var script = Script()
        script.arrive()
        script.play(1_000)
        script.seek(9_000)
        script.play(900)
        script.seek(9_000)
        script.play(900)
        let summary = script.leave()
        #expect(summary?.completion == 0.19)
        #expect(summary?.watchTime == .milliseconds(2_800))
        #expect(script.milestones.isEmpty)
    }

    @Test func aTinyClipLoopsSeveralTimesBetweenTwoReports() {
        var script = Script(length: 40)
        script.arrive()
        script.play(1_000)
        let summary = script.leave()
        #expect(summary?.replays == 25)
        #expect(summary?.completion == 1)
        #expect(summary?.watchTime == .seconds(1))
    }

    @Test func aClipThatLoopsBeforeItsDurationHasBeenPlayedToItsEnd() {
        var script = Script(length: 3_000)
        script.arrive()
        script.play(2_600)
        script.place = 40
        script.report(after: 100)
        let summary = script.leave()
        #expect(summary?.replays == 1)
        #expect(summary?.completion == 1)
        #expect(summary?.watchTime == .milliseconds(2_700))
    }

    @Test(arguments: [(nil, 1), (0, 1), (4_000, 0)])
    func onlyPlayingFromTheStartIsAReplay(place: Int?, replays: Int) {
        var script = Script()
        script.arrive()
        script.play(9_800)
        script.note(.ended("a"))
        script.sleep(3_000)
        if let place { script.seek(place) } else { script.place = 0 }
        script.note(.playing("a"))
        script.play(1_000)
        let summary = script.leave()
        #expect(summary?.replays == replays)
        #expect(summary?.completion == 1)
        #expect(summary?.watchTime == .milliseconds(10_800))
    }

    // MARK: Stalls

    @Test func stallTimeRunsWhileItIsToPlay() {
        var script = Script()
        script.arrive()
        script.play(1_000)
        script.note(.stalled("a", true))
        script.sleep(3_250)
        script.note(.paused("a"))
        script.sleep(1_000)
        script.note(.playing("a"))
        script.sleep(700)
        script.note(.stalled("a", false))
        script.play(1_000)
        let summary = script.leave()
        #expect(summary?.stallTime == .milliseconds(3_950))
        #expect(summary?.watchTime == .seconds(2))
    }

    // MARK: Leaving

    @Test(arguments: [(100, true), (7_900, true), (8_000, false), (9_900, false)])
    func leavingWithUnderEightyPercentIsSkipping(time: Int, isSkip: Bool) {
        var script = Script()
        script.arrive()
        script.play(time)
        #expect(script.leave()?.hasSkipped == isSkip)
        #expect(script.count("skip") == (isSkip ? 1 : 0))
        if isSkip { #expect(script.events.suffix(2).first?.what == .skip(completion: Double(time) / 10_000)) }
    }

    @Test func clipWithoutADurationIsNeitherCompletedNorSkipped() {
        var script = Script(length: nil)
        script.arrive()
        script.play(60_000)
        #expect(script.leave() == EngagementEvent.Summary(watchTime: .seconds(60)))
        #expect(script.milestones.isEmpty)
    }

    @Test func aPictureIsWatchedWhileItIsShown() {
        var script = Script(length: nil)
        script.arrive()
        script.note(.still("a"))
        script.sleep(2_500)
        #expect(script.events.last?.what == .view(watched: .seconds(2)))
        script.note(.paused("a"))
        script.sleep(2_000)
        script.note(.playing("a"))
        script.sleep(1_000)
        // The machine sleeps for eight hours.
        script.now += .seconds(28_800)
        script.sleep(1_000)
        script.note(.tick)
        let summary = script.leave()
        #expect(summary.map { $0.watchTime >= .seconds(4) && $0.watchTime <= .milliseconds(4_500) } == true)
        #expect(summary?.hasSkipped == false)
    }

    @Test func seenPageHasASummaryAndPassedPageHasNone() {
        for (time, count) in [(299, 0), (300, 1)] {
            var script = Script()
            script.note(.visible([("a", 1)]))
            script.note(.arrived("a", duration: .seconds(10)))
            script.note(.playing("a"))
            script.sleep(time)
            script.note(.finished)
            #expect(script.count("summary") == count)
            #expect(script.count("skip") == 0)
            script.note(.finished)
            #expect(script.count("summary") == count)
        }
    }

    @Test func eachVisitHasItsOwnSummary() {
        var script = Script()
        for _ in 0..<2 {
            script.arrive()
            script.play(3_000)
            // The list was read again: the page is the same.
            script.note(.arrived("a", duration: nil))
            #expect(script.leave()?.completion == 0.3)
        }
        #expect(script.count("summary") == 2)
        #expect(script.count("impression") == 1)
        #expect(script.count("start") == 2)
    }

    // MARK: Waking

    @Test func loopWakesOnlyWithoutSignals() {
        var script = Script()
        #expect(script.tracker.nextWake(after: script.now) == nil)
        script.arrive()
        #expect(script.tracker.nextWake(after: script.now) == script.now + .milliseconds(300))
        script.play(400)
        #expect(script.tracker.nextWake(after: script.now) == nil)
        script.note(.stalled("a", true))
        #expect(script.tracker.nextWake(after: script.now) == script.now + .milliseconds(500))
        script.note(.paused("a"))
        #expect(script.tracker.nextWake(after: script.now) == nil)
        script.note(.stalled("a", false))
        script.note(.still("a"))
        script.note(.playing("a"))
        #expect(script.tracker.nextWake(after: script.now) == script.now + .milliseconds(500))
        _ = script.leave()
        script.note(.visible([]))
        #expect(script.tracker.nextWake(after: script.now) == nil)
    }

    @Test(arguments: [Double.nan, .infinity, 0, -1])
    func invalidSpeedIsIgnored(speed: Double) {
        var script = Script()
        script.arrive()
        script.note(.speed(speed))
        script.play(1_000)
        #expect(script.leave()?.watchTime == .seconds(1))
    }
}

@Suite struct PlayedTimeTests {
    // Without the explicit type, type checking takes 30 s.
    private static let merged: [(inserted: [(Int, Int)], stretches: [Range<Int>])] = [
        ([(0, 5), (5, 9)], [0..<9]), ([(5, 9), (0, 4)], [0..<4, 5..<9]), ([(0, 2), (6, 8), (1, 7)], [0..<8]),
        ([(0, 2), (4, 5), (7, 9), (3, 6)], [0..<2, 3..<6, 7..<9]), ([(0, 9), (2, 3)], [0..<9]),
        ([(3, 3), (5, 4)], []), ([(4, 6), (2, 4)], [2..<6]),
    ]

    @Test(arguments: merged) func stretchesAreMerged(inserted: [(Int, Int)], stretches: [Range<Int>]) {
        var played = PlayedTime()
        for (lower, upper) in inserted { played.insert(from: .seconds(lower), to: .seconds(upper)) }
        #expect(played.stretches == stretches.map { .seconds($0.lowerBound) ..< .seconds($0.upperBound) })
        let inFirstFive = stretches.reduce(0) { $0 + max(min($1.upperBound, 5) - $1.lowerBound, 0) }
        #expect(played.total(within: .seconds(5)) == .seconds(inFirstFive))
    }
}
