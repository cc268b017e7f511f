import Testing

@testable import App

@Suite struct LinkPaceTests {
    /// Notes `count` updates, 40 ms apart, each so late.
    private func note(_ pace: inout LinkPace, _ count: Int, late: Duration, from now: inout Duration) {
        for _ in 0..<count {
            now += .milliseconds(40)
            pace.note(late, now: now)
        }
    }

    @Test func aQuickTerminalIsNeverSlow() {
        var (pace, now) = (LinkPace(), Duration.zero)
        note(&pace, 1_000, late: .milliseconds(8), from: &now)
        // A single hitch is no slow link.
        note(&pace, 1, late: .milliseconds(300), from: &now)
        #expect(!pace.isSlow)
    }

    @Test func aSlowLinkIsNoticedWithinASecondAndForgivenAfterTen() {
        var (pace, now) = (LinkPace(), Duration.zero)
        note(&pace, 25, late: .milliseconds(500), from: &now)
        #expect(pace.isSlow)
        note(&pace, 245, late: .milliseconds(5), from: &now)
        #expect(pace.isSlow)
        note(&pace, 10, late: .milliseconds(5), from: &now)
        #expect(!pace.isSlow)
    }
}
