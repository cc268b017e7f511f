import Testing

@testable import App

@Suite struct UpdateInFlightTests {
    private func update(_ fresh: [String], at begun: Duration) -> UpdateInFlight<String>.Update {
        UpdateInFlight<String>.Update(fresh: fresh, bytes: 100, cells: 10, begun: begun)
    }

    @Test func aPictureIsShownOnceItsUpdateHasArrived() {
        var showing = UpdateInFlight<String>()
        showing.sent(["a"], bytes: 100, cells: 10, begun: .seconds(1))
        #expect(showing.newest == ["a"])
        let (arrived, again) = (showing.arrived(), showing.arrived())
        #expect(arrived == update(["a"], at: .seconds(1)))
        #expect(again == nil)
    }

    @Test func aPictureThatStaysIsReportedOnce() {
        var showing = UpdateInFlight<String>()
        showing.sent(["a"], bytes: 100, cells: 10, begun: .seconds(1))
        _ = showing.arrived()
        showing.sent(["a", "b"], bytes: 100, cells: 10, begun: .seconds(2))
        let second = showing.arrived()
        #expect(second == update(["b"], at: .seconds(2)))
        #expect(showing.newest == ["a", "b"])
    }

    @Test func picturesOnALostScreenDoNotCountAsShown() {
        var showing = UpdateInFlight<String>()
        showing.sent(["a"], bytes: 100, cells: 10, begun: .seconds(1))
        showing.lost()
        let lost = showing.arrived()
        #expect(lost == nil)
        showing.sent(["a"], bytes: 100, cells: 10, begun: .seconds(2))
        let shown = showing.arrived()
        #expect(shown == update(["a"], at: .seconds(2)))
    }

    @Test func anUpdateIsAwaitedUntilItHasArrived() {
        var updates = UpdateInFlight<String>()
        updates.sent(["a"], bytes: 100, cells: 10, begun: .seconds(1), isAwaited: true)
        #expect(updates.isAwaited)
        _ = updates.arrived()
        #expect(!updates.isAwaited)
        updates.sent(["b"], bytes: 100, cells: 10, begun: .seconds(2), isAwaited: true)
        updates.lost()
        #expect(!updates.isAwaited)
    }
}
