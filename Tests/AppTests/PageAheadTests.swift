import Testing

@testable import App

@Suite struct PageAheadTests {
    @Test func theNextPageIsLoadedOnceNearTheEnd() {
        var ahead = PageAhead(distance: 5)
        let far = ahead.begins(left: 6, now: .zero)
        let near = ahead.begins(left: 5, now: .zero)
        let again = ahead.begins(left: 0, now: .seconds(99))
        #expect(!far && near && !again)
        ahead.loaded()
        let next = ahead.begins(left: 5, now: .zero)
        #expect(next)
    }

    @Test func aFailureIsShownOnceAndTriedAgainLater() {
        var ahead = PageAhead()
        _ = ahead.begins(left: 5, now: .zero)
        let isFirst = ahead.failed(left: 5, now: .zero)
        #expect(isFirst && ahead.nextWake(left: 5) == .seconds(2) && ahead.nextWake(left: 9) == nil)
        let early = ahead.begins(left: 5, now: .milliseconds(1_999))
        let late = ahead.begins(left: 5, now: .seconds(2))
        #expect(!early && late)
        let isSecond = ahead.failed(left: 5, now: .seconds(2))
        #expect(!isSecond && ahead.nextWake(left: 5) == .seconds(6))
        for time in stride(from: 10, to: 2_000, by: 100) {
            _ = ahead.begins(left: 5, now: .seconds(time))
            _ = ahead.failed(left: 5, now: .seconds(time))
        }
        #expect(ahead.nextWake(left: 5) == .seconds(1_910 + 60))
    }

    @Test func pauseIsShortAgainAfterAPage() {
        var ahead = PageAhead()
        for time in [0, 10] {
            _ = ahead.begins(left: 5, now: .seconds(time))
            _ = ahead.failed(left: 5, now: .seconds(time))
            #expect(ahead.nextWake(left: 5) == .seconds(time + 2))
            _ = ahead.begins(left: 5, now: .seconds(time + 2))
            ahead.loaded()
        }
    }

    @Test func askingForThePageEndsTheWait() {
        var ahead = PageAhead()
        _ = ahead.begins(left: 0, now: .zero)
        _ = ahead.failed(left: 0, now: .zero)
        ahead.hurry()
        let asked = ahead.begins(left: 0, now: .milliseconds(1))
        let isFirst = ahead.failed(left: 0, now: .milliseconds(2))
        #expect(asked && !isFirst)
    }

    @Test func comingNearerToTheEndEndsTheWait() {
        var ahead = PageAhead()
        _ = ahead.begins(left: 5, now: .zero)
        _ = ahead.failed(left: 5, now: .zero)
        let nearer = ahead.begins(left: 4, now: .milliseconds(1))
        #expect(nearer)
        ahead.loaded()
        _ = ahead.begins(left: 3, now: .seconds(1))
        let isFirstAgain = ahead.failed(left: 3, now: .seconds(1))
        #expect(isFirstAgain)
    }

    @Test func pageThatIsBeingLoadedWakesNothing() {
        var ahead = PageAhead()
        #expect(ahead.nextWake(left: 0) == nil)
        _ = ahead.begins(left: 5, now: .zero)
        _ = ahead.failed(left: 5, now: .zero)
        let isTriedAgain = ahead.begins(left: 5, now: .seconds(2))
        #expect(isTriedAgain && ahead.nextWake(left: 5) == nil)
        ahead.loaded()
        #expect(ahead.nextWake(left: 5) == nil)
    }

    @Test func pauseHoldsFromTheItemOfTheLastFailureOn() {
        var ahead = PageAhead()
        for left in [5, 3] {
            _ = ahead.begins(left: left, now: .zero)
            _ = ahead.failed(left: left, now: .zero)
        }
        let (further, same) = (ahead.begins(left: 4, now: .zero), ahead.begins(left: 3, now: .zero))
        let nearer = ahead.begins(left: 2, now: .zero)
        #expect(!further && !same && nearer)
    }
}
