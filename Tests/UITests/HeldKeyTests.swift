import Model
import TerminalInput
import Testing

@testable import UI

/// Enter that is held opens the menu. Terminals repeat the key, and do not say when it is released.
struct HeldKeyTests {
    private func press(_ count: Int, every interval: Duration, first: Duration, on page: Page) {
        page.press(.enter)
        for number in 1..<count {
            page.wait(number == 1 ? first : interval)
            page.press(.enter)
        }
    }

    @Test(arguments: [(25, 250), (33, 500), (100, 660)])
    func heldEnterOpensTheMenuAndChoosesNothing(interval: Int, first: Int) {
        let page = Page()
        page.play()
        press(60, every: .milliseconds(interval), first: .milliseconds(first), on: page)
        #expect(page.state.view.sheet == .menu && page.state.view.line == 0)
        #expect(page.state.reactions.isEmpty)
        // It was released: the next press chooses.
        page.wait(.seconds(1))
        page.press(.enter)
        #expect(page.state.view.sheet == nil && page.state.reactions["v1"].isLiked)
    }

    @Test func repeatsOnASlowLinkChooseNothing() {
        let page = Page()
        page.play()
        press(12, every: .milliseconds(40), first: .milliseconds(300), on: page)
        #expect(page.state.view.sheet == .menu)
        page.wait(.milliseconds(350))
        page.press(.enter)
        #expect(page.state.view.sheet == .menu)
    }

    @Test(arguments: [(3, 40), (8, 160), (30, 500)])
    func pressesOneAfterTheOtherAreNotHeld(count: Int, interval: Int) {
        let page = Page()
        page.play()
        press(count, every: .milliseconds(interval), first: .milliseconds(interval), on: page)
        #expect(page.state.view.sheet == nil)
    }

    /// Enter that closed a sheet, and is held a little too long, does not open another.
    @Test func onlyEnterOnThePageCounts() {
        let page = Page()
        page.play()
        page.type("M")
        press(60, every: .milliseconds(30), first: .milliseconds(300), on: page)
        #expect(page.state.view.sheet == nil && page.state.reactions["v1"].isLiked)
    }
}
