import Model
import Testing

@testable import UI

/// The sleep timer, and the page that it pauses.
struct SleepTimerTests {
    private func minutes(_ count: Int) -> Duration { .seconds(count * 60) }

    @Test func keyChoosesLongerTimesThenTheClipsEndThenOff() {
        var timer = SleepTimer()
        var words: [String] = []
        for second in 0..<5 {
            timer.next(now: .seconds(second))
            words.append(timer.words)
        }
        #expect(
            words == [
                "Sleep timer: 15 min", "Sleep timer: 30 min", "Sleep timer: 60 min", "Sleep timer: after this clip",
                "Sleep timer: off",
            ])
        timer.start(for: minutes(45), now: .zero)
        timer.next(now: .seconds(1))
        #expect(timer.words == "Sleep timer: 60 min")
    }

    @Test func timeLeftCountsDown() {
        var timer = SleepTimer()
        timer.start(for: minutes(130), now: .zero)
        var words: [String?] = [timer.left]
        for time in [minutes(30), minutes(100), minutes(129), minutes(130)] {
            let isOver = timer.advance(to: time)
            #expect(isOver == (time == minutes(130)))
            words.append(timer.left)
        }
        #expect(words == ["2 h 10 min", "100 min", "30 min", "60 s", "0 s"])
    }

    @Test func timerPausesTheClipOnce() {
        var options = Options()
        options.sleepAfter = minutes(15)
        let page = Page(options: options)
        page.play(duration: .seconds(3_600))
        #expect(page.wait(minutes(15) - .seconds(1)).isEmpty && !page.state.isPaused)
        #expect(page.wait(.seconds(2)) == [.pause("v1")])
        #expect(page.state.isPaused && page.toast == "Paused by the sleep timer")
        // The user is awake.
        #expect(page.type(" ") == [.play("v1")])
        page.wait(minutes(60))
        #expect(!page.state.isPaused)
    }

    @Test func pausedClipStaysPaused() {
        var options = Options()
        options.sleepAfter = .seconds(10)
        let page = Page(options: options)
        page.play()
        page.type(" ")
        #expect(page.wait(.seconds(11)).isEmpty && page.state.isPaused)
    }

    /// A clip that loops has no end, so it does not loop meanwhile.
    @Test func clipIsTheLastOne() {
        let page = Page()
        page.play()
        for _ in 0..<3 { #expect(page.type("t").isEmpty) }
        #expect(page.type("t") == [.setLoop(false)])
        #expect(page.send(.player("v1", .ended)) == [.setLoop(true)])
        #expect(page.state.isPaused && page.toast == "Paused by the sleep timer")
    }

    /// A part that is repeated has no end: what was chosen last holds.
    @Test func timerAndRepeatedPartReplaceEachOther() {
        let page = Page()
        page.play()
        page.type("L")
        page.send(.player("v1", .position(.seconds(5), duration: .seconds(20))))
        page.type("L")
        for _ in 0..<3 { page.type("t") }
        #expect(page.state.seeking.repeats.part != nil)
        #expect(page.type("t") == [.setLoop(false), .repeatPart("v1", nil)])
        #expect(page.state.seeking.repeats == RepeatMarks())
        page.type("L")
        page.send(.player("v1", .position(.seconds(9), duration: .seconds(20))))
        #expect(page.type("L").contains(.setLoop(true)))
        #expect(page.state.playback.sleep.stop == .off && page.toast?.contains("sleep timer off") == true)
    }

    @Test func turnedOffTimerLetsTheClipLoop() {
        let page = Page()
        page.play()
        for _ in 0..<4 { page.type("t") }
        #expect(page.type("t") == [.setLoop(true)])
    }

    @Test func autoAdvanceStopsAtTheLastOne() {
        var options = Options()
        options.autoAdvance = true
        let page = Page(options: options)
        page.play()
        for _ in 0..<4 { page.type("t") }
        #expect(page.send(.player("v1", .ended)).isEmpty && page.state.current == 0)
        // Without the timer the next one follows.
        page.type(" ")
        page.send(.player("v1", .playing))
        page.send(.player("v1", .ended))
        #expect(page.state.current == 1)
    }

    @Test func diagnosticsShowTheTimeLeft() {
        let page = Page()
        page.play(duration: .seconds(3_600))
        page.type("t")
        page.type(" ")
        page.type("I")
        #expect(page.screen.contains { $0.contains("sleep timer") && $0.contains("15 min") })
        page.wait(minutes(5))
        #expect(page.screen.contains { $0.contains("sleep timer") && $0.contains("10 min") })
    }
}
