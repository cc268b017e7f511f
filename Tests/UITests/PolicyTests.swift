import Model
import Testing

@testable import UI

struct ClickTests {
    let place = GridPoint(column: 10, row: 5)

    @Test func aClickWaitsForASecondOne() {
        var clicks = Clicks()
        let isSecond = clicks.click(at: place, now: .zero)
        #expect(!isSecond)
        let early = clicks.single(now: .milliseconds(249))
        #expect(early == nil)
        let alone = clicks.single(now: .milliseconds(250))
        #expect(alone == place)
        let again = clicks.single(now: .seconds(1))
        #expect(again == nil)
    }

    @Test func twoQuickClicksAreOneDoubleClick() {
        var clicks = Clicks()
        _ = clicks.click(at: place, now: .zero)
        let isSecond = clicks.click(at: GridPoint(column: 11, row: 5), now: .milliseconds(200))
        #expect(isSecond)
        #expect(clicks.due == nil)
    }

    @Test func aSecondClickThatComesTooLateIsAFirstOne() {
        var clicks = Clicks()
        _ = clicks.click(at: place, now: .zero)
        let isSecond = clicks.click(at: place, now: .milliseconds(250))
        #expect(!isSecond)
        #expect(clicks.due == .milliseconds(500))
    }

    @Test func clicksFarApartAreNoPair() {
        var clicks = Clicks()
        _ = clicks.click(at: place, now: .zero)
        let isSecond = clicks.click(at: GridPoint(column: 30, row: 5), now: .milliseconds(100))
        #expect(!isSecond)
    }

    @Test(arguments: [(13, 5, true), (14, 5, false), (10, 8, true), (10, 9, false)])
    func aPairOfClicksIsThreeCellsApartAtMost(column: Int, row: Int, isPair: Bool) {
        var clicks = Clicks()
        _ = clicks.click(at: place, now: .zero)
        let isSecond = clicks.click(at: GridPoint(column: column, row: row), now: .milliseconds(100))
        #expect(isSecond == isPair)
    }
}

struct DebounceTests {
    @Test func aBriefNeedIsNeverShown() {
        var cover = Debounce()
        cover.reset(needed: true, now: .zero)
        #expect(cover.nextChange(after: .zero) == .milliseconds(180))
        cover.set(false, now: .milliseconds(179))
        #expect(!cover.isShown(now: .milliseconds(179)))
        #expect(!cover.isShown(now: .seconds(1)))
        #expect(cover.hiddenAt == nil)
    }

    @Test func whatIsNoLongerNeededStaysFor50Milliseconds() {
        var cover = Debounce()
        cover.reset(needed: true, now: .zero)
        #expect(cover.isShown(now: .milliseconds(180)))
        cover.set(false, now: .milliseconds(300))
        #expect(cover.isShown(now: .milliseconds(349)))
        #expect(!cover.isShown(now: .milliseconds(350)))
        #expect(cover.hiddenAt == .milliseconds(350))
    }

    @Test func aNeedThatReturnsAtOnceDoesNotBlink() {
        var cover = Debounce()
        cover.reset(needed: true, now: .zero)
        cover.set(false, now: .milliseconds(300))
        cover.set(true, now: .milliseconds(320))
        #expect(cover.isShown(now: .milliseconds(320)))
        #expect(cover.isShown(now: .milliseconds(360)))
    }
}

struct ToastTests {
    @Test func toastsComeOneAtATime() {
        var toasts = Toasts()
        toasts.show("one", now: .zero)
        toasts.show("two", now: .milliseconds(10))
        #expect(toasts.current?.text == GlyphLine("one"))
        toasts.advance(to: .milliseconds(2_099))
        #expect(toasts.current?.text == GlyphLine("one"))
        toasts.advance(to: .milliseconds(2_100))
        #expect(toasts.current?.text == GlyphLine("two"))
        toasts.advance(to: .seconds(9))
        #expect(toasts.current == nil)
    }

    @Test func aToastSlidesInAndOut() {
        var toasts = Toasts()
        toasts.show("one", now: .zero)
        #expect(toasts.exposure(now: .zero) == 0)
        #expect(abs(toasts.exposure(now: .milliseconds(75)) - 0.5) < 0.01)
        #expect(toasts.exposure(now: .seconds(1)) == 1)
        #expect(abs(toasts.exposure(now: .milliseconds(2_025)) - 0.5) < 0.01)
    }

    @Test func aToastOfTheSameKindIsReplacedInPlace() {
        var toasts = Toasts()
        toasts.show("volume 60 %", kind: "volume", now: .zero)
        toasts.show("volume 65 %", kind: "volume", now: .seconds(1))
        #expect(toasts.current?.text == GlyphLine("volume 65 %"))
        #expect(toasts.exposure(now: .milliseconds(2_500)) == 1)
    }

    @Test func aFloodOfToastsIsBounded() {
        var toasts = Toasts()
        for number in 0..<100 { toasts.show("\(number)", now: .zero) }
        var seen = 0
        var now = Duration.zero
        while toasts.current != nil {
            seen += 1
            now += .milliseconds(2_100)
            toasts.advance(to: now)
        }
        #expect(seen == 1 + Toasts.limit)
    }

    @Test func ofTooManyToastsTheNewestAreSeen() {
        var toasts = Toasts()
        for number in 0..<10 { toasts.show("\(number)", now: .zero) }
        var seen: [GlyphLine] = []
        var now = Duration.zero
        while let toast = toasts.current {
            seen.append(toast.text)
            now += .milliseconds(2_100)
            toasts.advance(to: now)
        }
        #expect(seen == ["0", "7", "8", "9"].map { GlyphLine($0) })
    }
}

struct ScrubTests {
    @Test func aScrubCommitsAWhileAfterItsLastKey() {
        var scrub = Scrub(item: "v1", at: .seconds(10))
        scrub.move(by: .seconds(5), within: .seconds(20), now: .zero)
        scrub.move(by: .seconds(5), within: .seconds(20), now: .milliseconds(100))
        #expect(!scrub.isDue(now: .milliseconds(299)))
        #expect(scrub.isDue(now: .milliseconds(300)))
        #expect(scrub.target == .seconds(20))
        scrub.move(by: .seconds(-60), within: .seconds(20), now: .milliseconds(100))
        #expect(scrub.target == .zero)
    }

    @Test func aDraggedScrubNeverCommitsByItself() {
        var scrub = Scrub(item: "v1", at: .zero)
        scrub.drag(to: .seconds(4), within: .seconds(20))
        #expect(!scrub.isDue(now: .seconds(60)))
    }
}
