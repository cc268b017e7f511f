import Model
import Testing

@testable import UI

@Suite struct SeekingTests {
    private let length = Duration.seconds(100)

    @Test func stepsOfAScrubAddUpAndStayInTheClip() {
        var seeking = Seeking()
        func step(_ seconds: Int, _ now: Int) -> Duration {
            seeking.scrub("a", by: .seconds(seconds), from: .seconds(90), within: length, now: .seconds(now))
        }
        let targets = [step(5, 1), step(3, 2), step(30, 3), step(-500, 4)]
        #expect(targets == [.seconds(95), .seconds(98), .seconds(100), .zero])
        #expect(seeking.due == .seconds(4) + Scrub.commit)
    }

    @Test func dragReportsOnlyPlacesThatAreNew() {
        var seeking = Seeking()
        func drag(_ seconds: Int) -> Duration? {
            seeking.drag("a", to: .seconds(seconds), from: .seconds(7), within: length)
        }
        let targets = [drag(7), drag(7), drag(8), drag(200), drag(300)]
        #expect(targets == [.seconds(7), nil, .seconds(8), .seconds(100), nil])
        // The pointer may rest for as long as it likes.
        #expect(seeking.due == nil && seeking.holdsPosition)
    }

    @Test func takenScrubIsGone() {
        var seeking = Seeking()
        _ = seeking.drag("a", to: .seconds(7), from: .zero, within: length)
        let taken = [seeking.takeScrub(), seeking.takeScrub()]
        #expect(taken == [.seconds(7), nil] && !seeking.isShown)
    }

    @Test func showsTheTargetUntilItsPictureIsThere() {
        var seeking = Seeking()
        seeking.seek(to: .seconds(40), now: .seconds(1))
        #expect(seeking.position(of: "a", now: .seconds(2)) == .seconds(40))
        seeking.arrive()
        #expect(seeking.position(of: "a", now: .seconds(2)) == nil)
        // Its time can be read a while longer.
        #expect(seeking.isShown && seeking.due == .seconds(1) + Seeking.shown)
        seeking.advance(to: .seconds(1) + Seeking.shown, isWaiting: false)
        #expect(!seeking.isShown)
    }

    @Test func scrubBelongsToItsItem() {
        var seeking = Seeking()
        _ = seeking.drag("a", to: .seconds(7), from: .zero, within: length)
        #expect(seeking.position(of: "a", now: .zero) == .seconds(7))
        #expect(seeking.position(of: "b", now: .zero) == nil)
    }

    @Test(arguments: [true, false])
    func seekThatWaitsForBytesIsShownForLonger(isWaiting: Bool) {
        var seeking = Seeking()
        seeking.seek(to: .seconds(40), now: .zero)
        seeking.advance(to: Seeking.patience, isWaiting: isWaiting)
        #expect((seeking.position(of: "a", now: Seeking.patience) != nil) == isWaiting)
    }

    @Test func anotherPageEndsTheSeek() {
        var seeking = Seeking()
        seeking.seek(to: .seconds(40), now: .zero)
        seeking.leave()
        #expect(!seeking.isShown && seeking.due == nil)
    }
}
