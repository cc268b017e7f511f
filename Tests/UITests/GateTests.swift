import Model
import TerminalInput
import Testing

@testable import UI

/// The readiness gate.
struct GateTests {
    private func page(hasGate: Bool = true) -> Page {
        var options = Options()
        options.hasGate = hasGate
        return Page(options: options)
    }

    @Test(arguments: [Key.down, .character("G")]) func thePageIsNotLeftBeforeItIsReady(key: Key) {
        let page = page()
        #expect(page.press(key) == [])
        #expect(page.state.current == 0 && !page.state.pager.isMoving)
        page.play()
        #expect(page.press(key).contains { if case .play(let item) = $0 { item != "v1" } else { false } })
    }

    @Test func theWheelAndADragWaitAsKeysDo() {
        let page = page()
        #expect(page.mouse(.wheelDown, 1, 1) == [])
        page.mouse(.press(.left), 30, 20)
        page.mouse(.drag, 30, 10)
        #expect(page.mouse(.release(.left), 30, 2) == [])
        #expect(page.state.pager.position == 0)
    }

    @Test func aRefusalIsShownForAMoment() {
        let page = page()
        page.wait(.milliseconds(500))
        page.press(.down)
        let cell = draw(page.state, now: page.now).overlay[40, 1]
        #expect(page.screen[1].contains("✗") && cell.background == Theme.refusal)
        #expect(page.state.nextWake(after: page.now).map { $0 <= page.now + Loading.refusalLength } == true)
        page.wait(.milliseconds(299))
        #expect(page.screen[1].contains("✗"))
        page.wait(.milliseconds(2))
        #expect(!page.screen[1].contains("✗"))
    }

    @Test func theGateOpensByItselfAfterFiveSeconds() {
        let page = page()
        page.wait(.milliseconds(4_999))
        #expect(page.press(.down) == [])
        page.wait(.milliseconds(1))
        #expect(page.press(.down).contains(.play("v2")))
        // The next page has its own five seconds.
        page.wait(.seconds(1))
        #expect(page.press(.down) == [])
    }

    @Test func aFailedOrSoundOnlyPageMayBeLeft() {
        let failed = page()
        failed.send(.player("v1", .failed("no")))
        #expect(failed.press(.down).contains(.play("v2")))
        let sound = page()
        sound.send(.player("v1", .opened(ClipFacts(duration: nil, isSeekable: true, hasVideo: false, hasAudio: true))))
        #expect(sound.press(.down) == [])
        sound.send(.player("v1", .playing))
        #expect(sound.press(.down).contains(.play("v2")))
    }

    @Test func withoutTheGatePagingNeverWaits() {
        #expect(page(hasGate: false).press(.down).contains(.play("v2")))
    }
}
