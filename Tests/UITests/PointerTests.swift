import Model
import Testing

@testable import UI

@Suite struct PointerTests {
    private let start = GridPoint(column: 40, row: 12)

    private func pressed() -> Pointer {
        var pointer = Pointer(doubleClick: .milliseconds(250))
        pointer.press(at: start, now: .seconds(1))
        return pointer
    }

    @Test func restingPressBecomesLongOnce() {
        var pointer = pressed()
        let end = Duration.seconds(1) + Pointer.longPress
        #expect(pointer.due == end)
        let places = [end - .milliseconds(1), end, end + .seconds(1)].map { pointer.takeLongPress(now: $0) }
        #expect(places == [nil, start, nil] && pointer.due == nil)
    }

    @Test(arguments: [(0, 1, true), (Clicks.reach, 0, true), (0, 2, false), (Clicks.reach + 1, 0, false)])
    func pressThatMovesDoesNotBecomeLong(columns: Int, rows: Int, becomesLong: Bool) {
        var pointer = pressed()
        pointer.move(to: GridPoint(column: start.column + columns, row: start.row + rows))
        #expect((pointer.due != nil) == becomesLong)
    }

    @Test func dragIsNoLongPress() {
        var pointer = pressed()
        pointer.decide(.paging)
        let place = pointer.takeLongPress(now: .seconds(60))
        #expect(place == nil && pointer.press?.purpose == .paging)
    }

    @Test func onlyAPressThatMayBecomeAClickIsDropped() {
        var (pointer, dragging) = (pressed(), pressed())
        dragging.decide(.scrubbing)
        pointer.dropClick()
        dragging.dropClick()
        #expect(pointer.press?.purpose == .done && dragging.press?.purpose == .scrubbing)
    }

    @Test func releaseEndsThePress() {
        var pointer = pressed()
        pointer.release()
        #expect(pointer.press == nil && pointer.due == nil)
    }

    /// A touchpad sends dozens of notches for one gesture.
    @Test func notchesWithoutAPauseCountOnce() {
        var pointer = Pointer(doubleClick: .zero)
        let times = [0, 100, 200, 349, 350, 500, 650].map { Duration.milliseconds($0) }
        let counts = times.map { pointer.takesNotch(1, now: $0) }
        #expect(counts == [true, false, false, false, false, true, true])
        let turned = pointer.takesNotch(-1, now: .milliseconds(660))
        #expect(turned)
    }
}
