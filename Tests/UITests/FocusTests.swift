import Model
import Testing

@testable import UI

/// The clip waits while another window has the keyboard. Such events come only if the user wants that.
struct FocusTests {
    private func playing() -> Page {
        var options = Options()
        options.autoAdvance = true
        let page = Page(options: options)
        page.play()
        page.wait(.seconds(1))
        return page
    }

    @Test func clipPausesWithoutFocusAndResumes() {
        let page = playing()
        #expect(page.send(.focus(false)) == [.pause("v1")])
        page.send(.player("v1", .paused))
        // The user has not paused it, so nothing says so; nor does the place move.
        #expect(!page.screen[0].contains("paused") && page.state.isPaused && page.state.playback.wantsPlay)
        let place = page.state.shownPosition(now: page.now)
        page.wait(.seconds(2))
        #expect(page.state.shownPosition(now: page.now) == place)
        #expect(page.send(.focus(false)) == [])
        #expect(page.send(.focus(true)) == [.play("v1")] && page.send(.focus(true)) == [])
    }

    @Test func focusDoesNotResumeAPausedClip() {
        let page = playing()
        page.type(" ")
        #expect(page.send(.focus(false)) == [] && page.send(.focus(true)) == [])
        #expect(!page.state.playback.wantsPlay)
    }

    /// Not every terminal reports both focus in and focus out.
    @Test func aKeySaysThatTheKeyboardIsBack() {
        let page = playing()
        page.send(.focus(false))
        #expect(page.type("m").contains(.play("v1")) && !page.state.isPaused)
    }

    @Test func theShellHadTheTerminal() {
        let page = playing()
        page.send(.focus(false))
        #expect(page.send(.resumed).contains(.play("v1")))
    }

    @Test func noPageIsTurnedMeanwhile() {
        let page = playing()
        page.send(.focus(false))
        page.send(.player("v1", .failed("broken")))
        page.wait(.seconds(20))
        #expect(page.state.current == 0)
        page.send(.focus(true))
        page.wait(.seconds(6))
        #expect(page.state.current == 1)
    }
}
