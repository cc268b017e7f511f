import Model
import TerminalInput
import Testing

@testable import UI

struct MouseTests {
    private func playing(_ options: Options = Options()) -> Page {
        let page = Page(options: options)
        page.play()
        return page
    }

    private func click(_ page: Page, _ column: Int, _ row: Int) -> [Effect] {
        page.mouse(.press(.left), column, row) + page.mouse(.release(.left), column, row)
    }

    @Test func aSingleClickPausesAfterTheDoubleClickTime() {
        let page = playing()
        #expect(click(page, 30, 8) == [])
        #expect(page.wait(.milliseconds(249)) == [])
        #expect(page.wait(.milliseconds(2)) == [.pause("v1")])
    }

    @Test func aDoubleClickNeverUnlikes() {
        let page = playing()
        for _ in 0..<2 {
            _ = click(page, 30, 8)
            page.now += .milliseconds(100)
            _ = click(page, 30, 8)
            #expect(page.wait(.seconds(1)) == [])
            #expect(page.state.reactions["v1"].isLiked == true)
        }
    }

    @Test func theHeartBurstsAtThePointer() {
        let page = playing()
        _ = click(page, 20, 8)
        _ = click(page, 20, 8)
        page.now += .milliseconds(50)
        let overlay = draw(page.state, now: page.now).overlay
        #expect(overlay[20, 8].foreground == page.state.theme.like)
    }

    @Test func railButtonsActAtOnceAndAreEasyToHit() throws {
        let page = playing()
        let layout = PageLayout(page.state, index: 0)
        let save = try #require(layout.buttons.first { $0.button == .save }).frame
        _ = click(page, save.column - 1, save.row)
        #expect(page.state.reactions["v1"].isSaved == true)
        let trust = try #require(layout.trust)
        _ = click(page, trust.column + 1, trust.row)
        #expect(page.state.view.sheet == .trust)
        _ = click(page, 0, 0)
        #expect(page.state.view.sheet == nil)
    }

    @Test func pullingTheFirstPageDownReadsTheFeedAgain() {
        let page = playing()
        page.mouse(.press(.left), 30, 8)
        page.mouse(.drag, 30, 10)
        #expect(page.screen[1].contains("↓ Pull to refresh"))
        page.now += .seconds(1)
        #expect(page.mouse(.release(.left), 30, 10) == [])
        page.wait(.seconds(1))
        page.mouse(.press(.left), 30, 8)
        page.mouse(.drag, 30, 18)
        // It gives way by a quarter of a page at most.
        #expect(page.screen[3].contains("↑ Release to refresh") && page.state.pager.position == -0.25)
        #expect(page.mouse(.release(.left), 30, 18) == [.refresh])
        page.wait(.seconds(1))
        #expect(page.state.pager.position == 0 && page.state.current == 0)
        // Elsewhere a pull only turns pages.
        page.press(.down)
        page.wait(.seconds(1))
        page.mouse(.press(.left), 30, 3)
        page.mouse(.drag, 30, 20)
        #expect(!page.mouse(.release(.left), 30, 20).contains(.refresh))
    }

    /// Nothing slides there, so only the release counts.
    @Test func withReducedMotionALongSwipeDownOnTheFirstPageReadsTheFeedAgain() {
        var options = Options()
        options.reducedMotion = true
        let page = playing(options)
        page.mouse(.press(.left), 30, 5)
        #expect(page.mouse(.release(.left), 30, 8) == [])
        page.mouse(.press(.left), 30, 5)
        #expect(page.mouse(.release(.left), 30, 9) == [.refresh])
    }

    @Test func draggingOnTheScrubberScrubs() {
        let page = playing()
        let bar = PageLayout(page.state, index: 0).bar
        let first = page.mouse(.press(.left), bar.column, bar.row)
        #expect(first == [.preview("v1", to: .zero)])
        let middle = page.mouse(.drag, bar.column + bar.columns - 1, bar.row - 3)
        #expect(middle == [.preview("v1", to: .seconds(20))])
        #expect(page.wait(.seconds(2)) == [])
        #expect(page.mouse(.release(.left), 0, 0) == [.seek("v1", to: .seconds(20))])
    }

    @Test func draggingThePageFollowsTheCommitRule() {
        let page = playing()
        page.mouse(.press(.left), 30, 20)
        page.now += .milliseconds(100)
        page.mouse(.drag, 30, 10)
        #expect(draw(page.state, now: page.now).pages.map(\.item) == ["v1", "v2"])
        page.now += .milliseconds(20)
        let effects = page.mouse(.release(.left), 30, 8)
        #expect(effects == [.play("v2"), .keepWarm(["v2", "v3", "v1"])])
        page.wait(.seconds(1))
        #expect(page.state.pager.position == 1)
    }

    /// The terminal does not report a release outside its window, or while the shell has it.
    @Test(arguments: [Event.resumed, .mouse(Mouse(.press(.left), at: .init(column: 30, row: 8)))])
    func aLostReleaseLeavesNothingBetweenTwoPages(_ event: Event) {
        let page = playing()
        page.mouse(.press(.left), 30, 20)
        page.now += .milliseconds(100)
        page.mouse(.drag, 30, 4)
        page.now += .seconds(1)
        page.send(event)
        page.mouse(.release(.left), 30, 8)
        page.wait(.seconds(1))
        #expect(page.state.pager.position == 1 && page.state.current == 1)
        #expect(page.press(.down).contains(.play("v3")))
    }

    @Test func aLostReleaseCommitsTheScrub() {
        let page = playing()
        let bar = PageLayout(page.state, index: 0).bar
        page.mouse(.press(.left), bar.column + bar.columns / 2, bar.row)
        #expect(page.state.seeking.scrub != nil)
        let orders = page.send(.resumed)
        #expect(orders.contains { if case .seek("v1", _) = $0 { true } else { false } })
        #expect(page.state.seeking.scrub == nil)
    }

    /// The page keeps its height, and with it its place, until the move ends.
    @Test func resizeDuringADragKeepsThePageInPlace() {
        let page = playing()
        page.mouse(.press(.left), 30, 20)
        page.now += .milliseconds(100)
        page.mouse(.drag, 30, 14)
        for rows in [40, 30] {
            #expect(page.send(.resized(GridSize(columns: 100, rows: rows))) == [])
            #expect(page.state.pager.position == 0.25 && page.state.pager.rows == 24)
        }
        page.now += .seconds(1)
        page.mouse(.drag, 30, 8)
        #expect(page.state.pager.position == 0.5 && page.state.current == 0)
        page.mouse(.drag, 30, 6)
        #expect(page.mouse(.release(.left), 30, 6).contains(.play("v2")))
        #expect(page.state.pager.rows == 24)
        page.wait(.seconds(1))
        #expect(page.state.pager.position == 1 && page.state.pager.rows == 30)
    }

    @Test func scrubSurvivesAResize() {
        let page = playing()
        let bar = PageLayout(page.state, index: 0).bar
        page.mouse(.press(.left), bar.column, bar.row)
        #expect(page.send(.resized(GridSize(columns: 120, rows: 40))) == [])
        let wider = PageLayout(page.state, index: 0).bar
        #expect(page.mouse(.drag, wider.column + wider.columns - 1, wider.row) == [.preview("v1", to: .seconds(20))])
        #expect(page.mouse(.release(.left), 0, 0) == [.seek("v1", to: .seconds(20))])
    }

    /// The mouse does nothing while the terminal is too small for a page, so its release would be lost.
    @Test func tooSmallTerminalEndsADrag() {
        let page = playing()
        page.mouse(.press(.left), 30, 20)
        page.mouse(.drag, 30, 4)
        #expect(page.send(.resized(GridSize(columns: 30, rows: 10))).contains(.play("v2")))
        #expect(!page.state.pager.isDragging)
    }

    @Test func pressBeforeAResizeDoesNotClickAfterIt() throws {
        let page = playing()
        page.mouse(.press(.left), 30, 8)
        page.send(.resized(GridSize(columns: 60, rows: 20)))
        #expect(page.mouse(.release(.left), 30, 8) == [] && page.wait(.seconds(1)) == [])
    }

    @Test func aKeyEndsADrag() {
        let page = playing()
        page.mouse(.press(.left), 30, 20)
        page.mouse(.drag, 30, 15)
        #expect(page.press(.down).contains(.play("v2")))
        page.mouse(.drag, 30, 20)
        page.mouse(.release(.left), 30, 20)
        page.wait(.seconds(1))
        #expect(page.state.pager.position == 1)
    }

    @Test func pageThatIsPulledIntoViewPlaysFromThreeTenthsOnIfItIsOpen() {
        let page = playing()
        let facts = ClipFacts(duration: .seconds(9), isSeekable: true, hasVideo: true, hasAudio: true)
        page.mouse(.press(.left), 30, 20)
        // 24 rows: 7 are less than three tenths.
        #expect(page.mouse(.drag, 30, 13) == [])
        #expect(page.mouse(.drag, 30, 12) == [])
        #expect(page.send(.player("v2", .opened(facts))) == [.peek("v2")])
        #expect(page.mouse(.drag, 30, 10) == [])
        #expect(page.mouse(.drag, 30, 19) == [.peek(nil)])
        #expect(page.mouse(.drag, 30, 5) == [.peek("v2")])
        #expect(page.mouse(.release(.left), 30, 5) == [.play("v2"), .keepWarm(["v2", "v3", "v1"]), .peek(nil)])
    }

    @Test func aDragThatGoesBackChangesNothing() {
        let page = playing()
        page.mouse(.press(.left), 30, 20)
        page.mouse(.drag, 30, 17)
        page.now += .seconds(1)
        #expect(page.mouse(.release(.left), 30, 17) == [])
        page.wait(.seconds(1))
        #expect(page.state.pager.position == 0)
    }

    @Test func withoutMotionASwipeTurnsThePageAtItsEnd() {
        var options = Options()
        options.reducedMotion = true
        let page = playing(options)
        page.mouse(.press(.left), 30, 20)
        page.mouse(.drag, 30, 12)
        #expect(page.state.pager.position == 0)
        #expect(page.mouse(.release(.left), 30, 12) == [.play("v2"), .keepWarm(["v2", "v3", "v1"])])
    }

    @Test func aPressThatMovesAwayIsNoClick() {
        let page = playing()
        page.mouse(.press(.left), 30, 8)
        page.mouse(.release(.left), 50, 8)
        #expect(page.wait(.seconds(1)) == [])
    }

    @Test func aLongPressOpensTheMenu() {
        let page = playing()
        page.mouse(.press(.left), 30, 8)
        page.wait(.milliseconds(401))
        #expect(page.state.view.sheet == .menu)
        page.mouse(.release(.left), 30, 8)
        #expect(page.state.view.sheet == .menu)
        page.mouse(.press(.right), 1, 1)
        #expect(page.state.view.sheet == nil)
    }

    @Test func aDragAcrossIsNoLongPress() {
        let page = playing()
        page.mouse(.press(.left), 30, 8)
        page.mouse(.drag, 50, 8)
        page.wait(.seconds(1))
        #expect(page.state.view.sheet == nil)
    }

    @Test func theWheelTurnsOnePageAtATime() {
        let page = playing()
        #expect(page.mouse(.wheelDown, 1, 1).contains(.play("v2")))
        for _ in 0..<5 { #expect(page.mouse(.wheelDown, 1, 1) == []) }
        page.wait(.seconds(1))
        #expect(page.mouse(.wheelUp, 1, 1).contains(.play("v1")))
    }

    /// A touchpad sends notches without a pause for as long as its gesture lasts.
    @Test func notchesWithoutAPauseTurnOnePage() {
        let page = playing()
        page.mouse(.wheelDown, 1, 1)
        page.send(.player("v3", .opened(ClipFacts(duration: nil, isSeekable: true, hasVideo: true, hasAudio: true))))
        for _ in 0..<20 {
            page.wait(.milliseconds(100))
            #expect(page.mouse(.wheelDown, 1, 1) == [])
        }
        #expect(page.state.pager.position == 1)
        page.wait(Pointer.notchPause)
        #expect(page.mouse(.wheelDown, 1, 1).contains(.play("v3")))
        page.wait(.seconds(1))
        #expect(page.state.pager.position == 2)
    }

    @Test func theWheelBetweenTwoPagesTurnsBackFromWhereThePageIs() {
        let page = playing()
        page.mouse(.wheelDown, 1, 1)
        page.wait(.milliseconds(60))
        #expect(page.mouse(.wheelUp, 1, 1).contains(.play("v1")))
        #expect(abs(page.state.pager.position - 0.4) < 0.001)
        page.wait(.seconds(1))
        #expect(page.state.pager.position == 0)
    }

    @Test func theWheelScrollsASheet() {
        let page = playing()
        page.type("?")
        for _ in 0..<3 { page.mouse(.wheelDown, 1, 1) }
        page.mouse(.wheelUp, 1, 1)
        #expect(page.state.view.line == 2)
        #expect(page.state.current == 0)
    }

    @Test func clickingALineOfTheMenuDoesIt() {
        let page = playing()
        page.type("M")
        let body = SheetLayout(page.state).body
        _ = click(page, body.column + 2, body.row + 3)
        #expect(page.state.view.sheet == nil)
        #expect(page.state.reactions["v1"].isSaved == true)
    }

    @Test func aClickOnAnErrorPageTriesAgain() {
        let page = playing()
        page.send(.player("v1", .failed("no")))
        #expect(click(page, 30, 8) == [.retry("v1"), .play("v1")])
    }
}
