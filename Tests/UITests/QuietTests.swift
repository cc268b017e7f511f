import Model
import Testing

@testable import UI

/// When ticks are requested: never on a paused page, ten times a second while a clip plays, sixty times a second while
/// something moves.
struct QuietTests {
    private func plain(_ options: Options = Options()) -> Page {
        let page = Page([Item(id: "a", url: "file:///a.mp4"), Item(id: "b", url: "file:///b.mp4")], options: options)
        page.play(duration: .seconds(20))
        page.wait(.seconds(3))
        return page
    }

    private func ticks(_ page: Page, in time: Duration) -> Int {
        let end = page.now + time
        var count = 0
        while let due = page.state.nextWake(after: page.now), due <= end {
            page.now = due
            page.send(.tick)
            count += 1
        }
        return count
    }

    @Test func aPausedPageAsksForNoTicks() {
        let page = plain()
        page.type(" ")
        page.send(.player("a", .paused))
        page.wait(.seconds(3))
        #expect(page.state.nextWake(after: page.now) == nil)
        page.send(.player("a", .position(.seconds(5), duration: .seconds(20))))
        #expect(page.state.nextWake(after: page.now) == nil)
    }

    @Test func aLongSoundMovesOnlyWhileItPlays() {
        let title = String(repeating: "paper lanterns ", count: 20)
        let page = Page([Item(id: "a", url: "file:///a", sound: .init(title: title))])
        page.play()
        let still = page.screen[21]
        page.wait(.seconds(4))
        #expect(page.screen[21] != still)
        page.type(" ")
        page.wait(.seconds(3))
        #expect(page.screen[21] == still)
        #expect(page.state.nextWake(after: page.now) == nil)
    }

    @Test func aPausedPageWithADateWakesForItsLabelOnly() {
        let page = Page()
        page.play()
        page.type(" ")
        page.wait(.seconds(5))
        let before = page.screen
        // "3m ago" becomes "4m ago" and so on, once a minute.
        let count = ticks(page, in: .seconds(600))
        #expect(count == 10)
        #expect(page.screen != before)
    }

    @Test func thePositionIsShownAtMostTenTimesASecond() {
        let page = plain()
        page.send(.player("a", .position(.seconds(1), duration: .seconds(4))))
        let count = ticks(page, in: .milliseconds(450))
        #expect((3...5).contains(count))
    }

    /// The line of a longer clip moves by whole cells; between them nothing is drawn.
    @Test func theScrubberAsksForNoTickThatChangesNothing() {
        let page = plain()
        page.send(.player("a", .position(.seconds(4), duration: .seconds(20))))
        let bar = PageLayout(page.state, index: 0).bar.columns
        let count = ticks(page, in: .milliseconds(450))
        #expect(count <= Int((Double(bar) * 0.45 / 20).rounded(.up)) + 1)
    }

    @Test func aMoveIsDrawnSixtyTimesASecond() {
        let page = plain()
        page.press(.down)
        let count = ticks(page, in: .milliseconds(150))
        #expect((9...12).contains(count))
    }

    @Test func everyTickComesAfterNow() {
        let page = plain()
        var count = 0
        for character in " lzM?l=-e l" {
            page.type(character)
            for _ in 0..<40 {
                guard let due = page.state.nextWake(after: page.now) else { break }
                #expect(due > page.now)
                page.now = due
                page.send(.tick)
                count += 1
            }
        }
        // Pauses, likes, toasts: nearly every key starts something that moves.
        #expect(count > 150)
    }

    @Test func reducedMotionChangesPagesWithoutASlide() {
        var options = Options()
        options.reducedMotion = true
        let page = plain(options)
        #expect(page.press(.down).contains(.play("b")))
        #expect(page.traces == ["key", "page", "settled"])
        #expect(page.state.pager.position == 1)
        page.type("l")
        page.type(" ")
        #expect(page.state.playback.pop == nil && page.state.reactions.burst == nil)
    }
}

struct CoverTests {
    @Test func theCoverWaitsAndThenFadesIntoTheVideo() {
        let page = Page()
        page.wait(.milliseconds(150))
        #expect(draw(page.state, now: page.now).pages[0].cover == 0)
        page.wait(.milliseconds(100))
        #expect(draw(page.state, now: page.now).pages[0].cover == Loading.coverDepth)
        page.play()
        page.wait(.milliseconds(50))
        let half = Loading.coverFade / 2
        page.now += half
        let cover = draw(page.state, now: page.now).pages[0].cover
        #expect(cover > 0 && cover < Loading.coverDepth)
        page.wait(.seconds(1))
        #expect(draw(page.state, now: page.now).pages[0].cover == 0)
    }

    @Test func aVideoThatIsThereAtOnceIsNeverCovered() {
        let page = Page()
        page.now += .milliseconds(100)
        page.play()
        for _ in 0..<40 {
            page.now += .milliseconds(10)
            page.send(.tick)
            #expect(draw(page.state, now: page.now).pages[0].cover == 0)
            #expect(!page.screen.contains { $0.contains("●") })
        }
    }
}
