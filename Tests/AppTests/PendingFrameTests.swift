import Testing

@testable import App

@Suite struct PendingFrameTests {
    private func update(_ fresh: [String], at begun: Duration) -> PendingFrame<String>.Update {
        PendingFrame<String>.Update(fresh: fresh, bytes: 100, cells: 10, begun: begun)
    }

    @Test func aPictureIsShownOnceItsUpdateHasArrived() {
        var updates = PendingFrame<String>()
        updates.sent(["a"], bytes: 100, cells: 10, begun: .seconds(1))
        #expect(updates.newest == ["a"])
        let (arrived, again) = (updates.arrived(), updates.arrived())
        #expect(arrived == update(["a"], at: .seconds(1)))
        #expect(again == nil)
    }

    @Test func aPictureThatStaysIsReportedOnce() {
        var updates = PendingFrame<String>()
        updates.sent(["a"], bytes: 100, cells: 10, begun: .seconds(1))
        _ = updates.arrived()
        updates.sent(["a", "b"], bytes: 100, cells: 10, begun: .seconds(2))
        let second = updates.arrived()
        #expect(second == update(["b"], at: .seconds(2)))
        #expect(updates.newest == ["a", "b"])
    }

    @Test func picturesOnALostScreenDoNotCountAsShown() {
        var updates = PendingFrame<String>()
        updates.sent(["a"], bytes: 100, cells: 10, begun: .seconds(1))
        updates.lost()
        let lost = updates.arrived()
        #expect(lost == nil)
        updates.sent(["a"], bytes: 100, cells: 10, begun: .seconds(2))
        let shown = updates.arrived()
        #expect(shown == update(["a"], at: .seconds(2)))
    }

    @Test func anUpdateIsAwaitedUntilItHasArrived() {
        var updates = PendingFrame<String>()
        updates.sent(["a"], bytes: 100, cells: 10, begun: .seconds(1), isAwaited: true)
        #expect(updates.isAwaited)
        _ = updates.arrived()
        #expect(!updates.isAwaited)
        updates.sent(["b"], bytes: 100, cells: 10, begun: .seconds(2), isAwaited: true)
        updates.lost()
        #expect(!updates.isAwaited)
    }
}
