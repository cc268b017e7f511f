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

    @Test func coverStaysFor50MillisecondsAfterItsNeed() {
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
