import Model
import Testing

@testable import UI

/// `nextWake` names each deadline, because the page only gets the ticks that it asks for.
struct WakeTests {
    private static let frame = Duration.milliseconds(16)

    /// A page on which nothing is due: paused, without a date, long after it opened.
    private func still(_ options: Options = Options(), _ items: [Item]? = nil) -> Page {
        let page = Page(
            items ?? [Item(id: "a", url: "file:///a.mp4"), Item(id: "b", url: "file:///b.mp4")], options: options)
        page.play(duration: .seconds(20))
        page.type(" ")
        page.send(.player("a", .paused))
        page.wait(.seconds(5))
        return page
    }

    /// When the page wants its next tick, counted from now.
    private func wake(_ page: Page) -> Duration? { page.state.nextWake(after: page.now).map { $0 - page.now } }

    private func playing(_ items: [Item] = [Item(id: "a", url: "file:///a.mp4")]) -> Page {
        let page = Page(items)
        page.play(duration: .seconds(20))
        page.wait(.seconds(3))
        page.send(.player("a", .position(.seconds(3), duration: .seconds(20))))
        return page
    }

    @Test func nothingIsDueOnAPausedPage() {
        #expect(wake(still()) == nil)
    }

    @Test func aClickIsDueAfterTheDoubleClickTime() {
        let page = still()
        page.mouse(.press(.left), 30, 8)
        page.mouse(.release(.left), 30, 8)
        #expect(wake(page) == .milliseconds(250))
    }

    @Test func theDoubleClickTimeIsTheOptions() {
        var options = Options()
        options.doubleClick = .milliseconds(400)
        let page = still(options)
        page.mouse(.press(.left), 30, 8)
        page.mouse(.release(.left), 30, 8)
        #expect(wake(page) == .milliseconds(400))
    }

    @Test func aPressedButtonIsDueWhenItOpensTheMenu() {
        let page = still()
        page.mouse(.press(.left), 30, 8)
        #expect(wake(page) == .milliseconds(400))
        page.wait(.milliseconds(150))
        #expect(wake(page) == .milliseconds(250))
        page.wait(.milliseconds(250))
        #expect(page.state.view.sheet == .menu)
        #expect(wake(page) == nil)
    }

    @Test func aScrubIsDueWhenItCommits() {
        let page = still()
        page.press(.right)
        #expect(wake(page) == .milliseconds(200))
        page.wait(.milliseconds(150))
        page.press(.right)
        #expect(wake(page) == .milliseconds(200))
    }

    @Test func aScrubThatIsDraggedIsNeverDue() {
        let page = still()
        let bar = PageLayout(page.state, index: 0).bar
        page.mouse(.press(.left), bar.column + 5, bar.row)
        #expect(page.state.seeking.scrub != nil)
        #expect(wake(page) == nil)
    }

    @Test func aSeekIsDueWhenItsTargetIsNoLongerShown() {
        let page = still()
        page.type("5")
        #expect(wake(page) == Seeking.shown)
        page.wait(Seeking.shown)
        #expect(page.state.seeking.isShown && wake(page) == .seconds(2) - Seeking.shown)
        page.wait(.seconds(2) - Seeking.shown)
        #expect(page.state.seeking.target == nil)
        #expect(wake(page) == nil)
    }

    @Test func aToastIsDueWhileItSlidesAndWhenItGoes() throws {
        let page = still()
        page.send(.notice("hello"))
        #expect(wake(page) == Self.frame)
        page.now += .milliseconds(150)
        let leaves = try #require(page.state.nextWake(after: page.now))
        #expect(leaves - page.now == .milliseconds(1_800))
        page.now = leaves
        #expect(wake(page) == Self.frame)
        page.wait(.milliseconds(200))
        #expect(page.state.toasts.current == nil)
        #expect(wake(page) == nil)
    }

    @Test func remarksThatWaitAllGetTheirTurn() {
        let page = still()
        for text in ["one", "two", "three"] { page.send(.notice(text, .remark)) }
        for text in ["One", "Two", "Three"] {
            #expect(page.state.toasts.current?.text == GlyphLine(text))
            page.wait(.milliseconds(3_600 + 350))
        }
        #expect(page.state.toasts.current == nil)
        #expect(wake(page) == nil)
    }

    @Test func aRemarkIsDueOnceTheFirstClipHasPlayed() {
        let page = Page([Item(id: "a", url: "file:///a.mp4")])
        page.send(.notice("left out", .remark))
        page.wait(.seconds(5))
        page.play(duration: .seconds(20))
        page.type(" ")
        page.wait(.milliseconds(1_990))
        #expect(page.state.toasts.current == nil)
        #expect(wake(page) == .milliseconds(10))
        page.wait(.milliseconds(10))
        #expect(page.state.toasts.current?.text == GlyphLine("Left out"))
    }

    @Test func theKeyHintIsDueWhenItGoes() {
        let page = still()
        page.press(.function(12))
        #expect(wake(page) == .seconds(4))
        page.wait(.seconds(4))
        #expect(page.state.keyHint == nil && wake(page) == nil)
    }

    @Test func aPlayerIsDueOnceNoOtherKeyComes() {
        let page = Page((0..<9).map { Item(id: "\($0)", url: "file:///\($0).mp4") })
        page.play()
        for _ in 0..<5 { page.press(.down) }
        page.now += .milliseconds(119)
        #expect(wake(page) == .milliseconds(1))
    }

    @Test func theCoverIsDueWhenItComesAndWhileItGoes() {
        let page = Page([Item(id: "a", url: "file:///a.mp4")])
        #expect(wake(page) == .milliseconds(180))
        page.wait(.milliseconds(180))
        #expect(page.state.loading.cover.isShown(now: page.now))
        // The dots move in turn.
        #expect(wake(page).map { $0 <= .milliseconds(160) } == true)
        page.play()
        page.type(" ")
        page.state.playback.hidePop(at: .seconds(1_000_000))
        #expect(wake(page) == .milliseconds(50))
        page.wait(.milliseconds(50))
        #expect(wake(page) == Self.frame)
        page.wait(.milliseconds(300))
        #expect(wake(page) == nil)
    }

    @Test func aStallIsDueWhenItIsShown() {
        let page = still()
        page.type(" ")
        page.send(.player("a", .playing))
        page.wait(.seconds(2))
        page.send(.player("a", .stalled(true)))
        #expect(wake(page) == .milliseconds(300))
        page.wait(.milliseconds(300))
        #expect(page.state.loading.stall.isShown(now: page.now))
    }

    @Test func theLoadingDotsMoveAtMultiplesOf160Milliseconds() throws {
        let page = Page([Item(id: "a", url: "file:///a.mp4")])
        page.wait(.milliseconds(180))
        var seen: Set<String> = []
        for _ in 0..<4 {
            let due = try #require(page.state.nextWake(after: page.now))
            #expect(due / Loading.step == (due / Loading.step).rounded())
            page.now = due
            page.send(.tick)
            seen.insert(page.screen.first { $0.contains("·") } ?? "")
        }
        #expect(seen.count == 4)
    }

    @Test(arguments: [" ", "l"]) func aMarkIsDueWhileItMoves(key: Character) {
        let page = still()
        page.type(key)
        #expect(wake(page) == Self.frame)
        page.wait(.seconds(1))
        #expect(page.state.playback.pop == nil && page.state.reactions.burst == nil)
    }

    @Test func aSnapIsDueWhileItMovesAndEndsByItself() {
        let page = still()
        page.press(.down)
        #expect(wake(page) == Self.frame)
        page.wait(.milliseconds(170))
        #expect(page.traces == ["settled"])
        #expect(!page.state.pager.isMoving)
    }

    @Test func aDragWaitsForThePointer() {
        let page = still()
        page.mouse(.press(.left), 30, 20)
        page.mouse(.drag, 30, 10)
        #expect(wake(page) == nil)
    }

    @Test(arguments: [(-190.0, 10.0), (-7_150, 1), (-5, 1)])
    func anAgeIsDueWhenItsLabelChanges(published: Double, due: Double) throws {
        let item = Item(id: "a", url: "file:///a.mp4", published: Page.midnight.addingTimeInterval(published))
        let page = Page([item])
        page.play()
        page.type(" ")
        page.send(.player("a", .paused))
        page.wait(.seconds(5))
        let age = try #require(page.state.age(of: item, now: page.now))
        let change = try #require(wake(page))
        #expect(change == RelativeTime(age: age).nextChange)
        #expect(change >= .seconds(due))
        let label = RelativeTime(age: age).label
        #expect(RelativeTime(age: age + change).label != label || published == -5)
    }

    @Test func aShortClipIsDueTenTimesASecondWhileItIsReported() {
        let page = Page([Item(id: "a", url: "file:///a.mp4")])
        page.play(duration: .seconds(6))
        page.wait(.seconds(3))
        page.send(.player("a", .position(.seconds(2), duration: .seconds(6))))
        #expect(wake(page) == State.scrubberStep)
        page.now += .milliseconds(600)
        #expect(wake(page) == nil)
    }

    /// Also at another speed: the next cell, or the next second if that comes first.
    @Test(arguments: [(400, 1.0), (400, 1.25), (30, 1), (4_000, 1)])
    func theScrubberIsDueWithItsNextCellOrSecond(length: Int, speed: Double) throws {
        let page = Page([Item(id: "a", url: "file:///a.mp4")])
        page.play(duration: .seconds(length))
        if speed == 1.25 { page.type("]") }
        page.wait(.seconds(3))
        page.send(.player("a", .position(.milliseconds(3_200), duration: .seconds(length))))
        let row = page.state.size.rows - 1
        let due = try #require(wake(page))
        let before = draw(page.state, now: page.now).overlay
        let just = draw(page.state, now: page.now + due - .milliseconds(2)).overlay
        let after = draw(page.state, now: page.now + due).overlay
        let cells = { (grid: CellGrid) in (0..<80).map { grid[$0, row] } }
        #expect(cells(just) == cells(before))
        // Reports come more often than every second; a position is not drawn further ahead than half a second.
        if due <= .milliseconds(500) { #expect(cells(after) != cells(before)) }
        #expect(due >= State.scrubberStep && due <= .seconds(1))
    }

    @Test func aLongSoundIsDueWithItsNextStep() {
        let title = String(repeating: "paper lanterns ", count: 20)
        let page = Page([Item(id: "a", url: "file:///a", sound: .init(title: title))])
        page.play()
        page.state.loading.arrive(isComing: false, now: page.now)
        #expect(
            page.state.nextWake(after: page.now).map { $0 <= page.state.loading.pageShownAt + Marquee.pause } == true)
        page.wait(.seconds(3))
        let due = page.state.nextWake(after: page.now)
        #expect(due.map { $0 - page.now <= Marquee.step } == true)
        let before = page.screen
        page.wait(Marquee.step)
        #expect(page.screen != before)
    }

    @Test func aTerminalThatIsTooSmallAsksForNoTicks() {
        let page = Page(columns: 30, rows: 10)
        #expect(page.state.nextWake(after: page.now) == nil)
    }
}
