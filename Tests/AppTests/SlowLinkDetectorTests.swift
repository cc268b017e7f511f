import Testing

@testable import App

@Suite struct SlowLinkDetectorTests {
    /// Sends `count` updates, one every 40 ms; each waits for `late` for the one before it.
    private func send(_ count: Int, late: Duration, to pace: inout SlowLinkDetector, from now: inout Duration) {
        for _ in 0..<count {
            now += .milliseconds(40)
            if late > .zero {
                pace.noteWait(now: now)
                pace.noteWait(now: now + late / 2)
            }
            now += late
            pace.noteUpdate(now: now)
        }
    }

    @Test func aQuickTerminalIsNeverSlow() {
        var (pace, now) = (SlowLinkDetector(), Duration.zero)
        send(1_000, late: .milliseconds(8), to: &pace, from: &now)
        // A single hitch is no slow link.
        send(1, late: .seconds(1), to: &pace, from: &now)
        #expect(!pace.isSlow)
    }

    /// A page that stands still sends nothing for a long time, and then something.
    @Test func updatesThatAreSeldomAreNotLate() {
        var (pace, now) = (SlowLinkDetector(), Duration.zero)
        for _ in 0..<50 {
            now += .seconds(20)
            pace.noteUpdate(now: now)
        }
        #expect(!pace.isSlow)
    }

    @Test func aSlowLinkIsNoticedWithinThreeSecondsAndForgivenAfterTen() {
        var (pace, now) = (SlowLinkDetector(), Duration.zero)
        send(5, late: .milliseconds(500), to: &pace, from: &now)
        #expect(pace.isSlow)
        send(240, late: .zero, to: &pace, from: &now)
        #expect(pace.isSlow)
        send(20, late: .zero, to: &pace, from: &now)
        #expect(!pace.isSlow)
    }

    /// A terminal that was stopped for a minute is not slow.
    @Test func longWaitCountsAsASecond() {
        var pace = SlowLinkDetector()
        pace.noteWait(now: .seconds(1))
        pace.noteUpdate(now: .seconds(61))
        #expect(!pace.isSlow)
        pace.noteWait(now: .seconds(62))
        pace.noteUpdate(now: .seconds(63))
        #expect(pace.isSlow)
    }

    /// 30 ms late is late, and the ten seconds begin again; 15 ms is on time.
    @Test(arguments: [(30, true), (15, false)])
    func lateUpdateProlongsTheProof(milliseconds: Int, isSlow: Bool) {
        var (pace, now) = (SlowLinkDetector(), Duration.zero)
        send(5, late: .milliseconds(500), to: &pace, from: &now)
        send(225, late: .zero, to: &pace, from: &now)
        send(1, late: .milliseconds(milliseconds), to: &pace, from: &now)
        send(40, late: .zero, to: &pace, from: &now)
        #expect(pace.isSlow == isSlow)
    }
}
