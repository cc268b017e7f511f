import Model
import TerminalInput
import Testing

@testable import UI

/// The position of a clip between two reports of its player.
struct ClipPositionTests {
    private func playing(at position: Duration = .seconds(4), duration: Duration? = .seconds(20)) -> Clip {
        var clip = Clip()
        clip.isPlaying = true
        clip.report(position: position, duration: duration, now: .seconds(10))
        return clip
    }

    /// The pool closes clips when pages turn fast: to play one of them would start a decoder for a page that passes.
    @Test(arguments: [false, true]) func onlyAnOpenClipIsPlayedWhilePagesPass(isClosed: Bool) {
        let page = Page()
        page.play()
        let facts = ClipFacts(duration: .seconds(9), isSeekable: true, hasVideo: true, hasAudio: true)
        let third = Page.feed[2].id
        page.press(.down)
        page.send(.player(third, .opened(facts)))
        if isClosed { page.send(.player(third, .closed)) }
        #expect(page.press(.down).contains(.play(third)) == !isClosed)
    }

    @Test func aPlayingClipMovesOnWithItsSpeed() {
        let clip = playing()
        #expect(clip.position(now: .milliseconds(10_200), speed: 1) == .milliseconds(4_200))
        #expect(clip.position(now: .milliseconds(10_200), speed: 2) == .milliseconds(4_400))
        #expect(clip.position(now: .milliseconds(10_200), speed: 0.5) == .milliseconds(4_100))
    }

    @Test func withoutReportsItMovesHalfASecondAtMost() {
        #expect(playing().position(now: .seconds(60), speed: 1) == .milliseconds(4_500))
        #expect(playing().position(now: .seconds(9), speed: 1) == .seconds(4))
    }

    @Test func aPausedOrStalledClipStandsStill() {
        var clip = playing()
        clip.isStalled = true
        #expect(clip.position(now: .milliseconds(10_200), speed: 1) == .seconds(4))
        clip.isStalled = false
        clip.isPlaying = false
        #expect(clip.position(now: .milliseconds(10_200), speed: 1) == .seconds(4))
    }

    @Test func positionNeverPassesTheEnd() {
        let clip = playing(at: .milliseconds(19_900))
        #expect(clip.position(now: .milliseconds(10_400), speed: 1) == .seconds(20))
        #expect(
            playing(at: .seconds(4), duration: nil).position(now: .milliseconds(10_400), speed: 1)
                == .milliseconds(4_400))
    }

    @Test func positionIsNeverNegative() {
        var clip = playing(at: .seconds(10))
        clip.report(position: .seconds(-2), duration: nil, now: .seconds(11))
        #expect(clip.position(now: .seconds(11), speed: 1) == .zero)
    }
}

/// What a clip makes of its player's reports.
struct ClipReportTests {
    private func clip(_ reports: PlayerReport..., isUnasked: Bool = false) -> Clip {
        var clip = Clip()
        for report in reports { clip.note(report, isUnasked: isUnasked, speed: 1, now: .seconds(10)) }
        return clip
    }

    @Test func unrequestedPauseStopsTheClip() {
        for isUnasked in [true, false] {
            let paused = clip(.playing, .paused, isUnasked: isUnasked)
            #expect(!paused.isPlaying && paused.wasStopped == isUnasked)
            #expect(!clip(.playing, .paused, .playing, isUnasked: isUnasked).wasStopped)
        }
    }

    @Test func endedClipStandsAtItsEndUntilItPlaysAgain() {
        let ended = clip(.position(.seconds(3), duration: .seconds(20)), .playing, .ended)
        #expect(ended.hasEnded && !ended.isPlaying && ended.position(now: .seconds(11), speed: 1) == .seconds(20))
        #expect(!clip(.playing, .ended, .playing).hasEnded)
    }

    @Test func stallHoldsThePosition() {
        var clip = clip(.position(.seconds(3), duration: .seconds(20)), .playing)
        clip.note(.stalled(true), isUnasked: false, speed: 2, now: .milliseconds(10_200))
        #expect(clip.position(now: .seconds(60), speed: 2) == .milliseconds(3_400))
    }

    @Test func failureEndsWhatWasShownAndOpeningEndsTheFailure() {
        let failed = clip(.firstFrame, .playing, .failed("gone"))
        #expect(failed.failure != nil && !failed.isPlaying && !failed.isRendering && failed.isSettled)
        let facts = ClipFacts(
            duration: .seconds(4), isSeekable: true, hasVideo: true, hasAudio: true, container: "mp4", video: nil,
            audio: nil, displaySize: nil)
        let open = clip(.failed("gone"), .opened(facts))
        #expect(open.failure == nil && open.duration == .seconds(4) && !open.isSettled)
    }

    @Test func levelsAreClampedAndTheOldestDropped() {
        var clip = Clip()
        for level in [Float.nan, 7, -1] + Array(repeating: 0.5, count: Clip.levelCount - 1) {
            clip.note(.level(level), isUnasked: false, speed: 1, now: .zero)
        }
        #expect(clip.levels.count == Clip.levelCount && clip.levels.first == 0 && clip.levels.last == 0.5)
    }
}

/// Actions on the current clip, step by step.
struct ClipActionTests {
    private func playing() -> Page {
        let page = Page()
        page.play()
        return page
    }

    @Test func speedGoesInQuartersToTwoAndInHalvesAbove() {
        let page = playing()
        var speeds: [Double] = []
        for _ in 0..<9 {
            page.type("]")
            speeds.append(page.state.playback.speed)
        }
        #expect(speeds == [1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4])
        speeds = []
        for _ in 0..<12 {
            page.type("[")
            speeds.append(page.state.playback.speed)
        }
        #expect(speeds == [3.5, 3, 2.5, 2, 1.75, 1.5, 1.25, 1, 0.75, 0.5, 0.25, 0.25])
    }

    @Test func volumeGoesInTwentiethsAndLouderUnmutes() {
        let page = playing()
        #expect(page.type("-") == [.setVolume(0.95)])
        #expect(page.type("m") == [.setVolume(0)])
        #expect(page.type("-") == [.setVolume(0)])
        #expect(page.state.playback.sound.isMuted)
        #expect(page.type("+") == [.setVolume(0.95)])
        #expect(page.type("m") == [.setVolume(0)])
        #expect(page.type("m") == [.setVolume(0.95)])
    }

    @Test func anotherSpeedLeavesTheScrubberWhereThePictureIs() {
        let page = playing()
        page.now += .milliseconds(400)
        page.type("]")
        #expect(page.state.shownPosition(now: page.now) == .milliseconds(400))
        page.now += .milliseconds(80)
        #expect(page.state.shownPosition(now: page.now) == .milliseconds(500))
    }

    @Test func aClipThatFailedAndIsOpenedAgainIsCoveredUntilItsPicture() {
        let page = playing()
        page.send(.player("v1", .failed("no")))
        let facts = ClipFacts(
            duration: .seconds(20), isSeekable: true, hasVideo: true, hasAudio: true, container: "mp4", video: "h264",
            audio: "aac", displaySize: nil)
        page.send(.player("v1", .opened(facts)))
        page.wait(.milliseconds(200))
        #expect(draw(page.state, now: page.now).pages[0].cover > 0)
        page.send(.player("v1", .firstFrame))
        page.wait(.seconds(1))
        #expect(draw(page.state, now: page.now).pages[0].cover == 0)
    }

    @Test func pausingLeavesTheScrubberWhereThePictureIs() {
        let page = playing()
        page.now += .milliseconds(300)
        page.type(" ")
        #expect(page.state.shownPosition(now: page.now) == .milliseconds(300))
        page.now += .seconds(5)
        #expect(page.state.shownPosition(now: page.now) == .milliseconds(300))
    }

    @Test func pausingInTheMiddleOfAScrubGoesThereFirst() {
        let page = playing()
        page.press(.right)
        #expect(page.type(" ") == [.seek("v1", to: .seconds(5)), .pause("v1")])
        #expect(page.wait(.seconds(1)) == [])
    }

    @Test func scrubContinuesFromItsPlaceAndStaysInTheClip() {
        let page = playing()
        page.press(.right)
        page.press(.right)
        #expect(page.press(.shiftLeft) == [.preview("v1", to: .seconds(9))])
        #expect(page.press(.altLeft) == [.preview("v1", to: .zero)])
        #expect(page.press(.left) == [.preview("v1", to: .zero)])
    }

    @Test func aClipWithoutADurationCannotBeSoughtIn() {
        let page = Page()
        page.send(
            .player("v1", .opened(ClipFacts(duration: nil, isSeekable: false, hasVideo: true, hasAudio: false))))
        for key in [Key.right, .character("5"), .altLeft] { #expect(page.press(key) == []) }
        page.wait(.milliseconds(300))
        #expect(page.screen.contains { $0.contains("Cannot seek in this clip") })
    }

    @Test func aShortCaptionDoesNotOpen() {
        let page = Page([Item(id: "a", url: "file:///a.mp4", title: "short", creator: .init(name: "A"))])
        page.play()
        page.type("e")
        #expect(!page.state.view.isExpanded)
    }

    @Test func openingElsewherePausesFirst() {
        let page = playing()
        // It plays on until something has opened.
        #expect(page.type("o") == [.openElsewhere("https://example.org/v1")])
        #expect(!page.state.isPaused)
        #expect(page.send(.openedElsewhere("https://example.org/other")) == [])
        #expect(!page.state.isPaused)
        #expect(page.send(.openedElsewhere("https://example.org/v1")) == [.pause("v1")])
        #expect(page.state.isPaused)
        page.wait(.milliseconds(400))
        #expect(page.screen.contains { $0.contains("Opened in another program") })
        #expect(page.send(.openedElsewhere("https://example.org/v1")) == [])
    }

    @Test func fitGoesFromAutoToFillAndToTheWholePicture() {
        let page = playing()
        #expect(page.type("z") == [.setFit(.fill)])
        #expect(page.type("z") == [.setFit(.fit)])
        #expect(page.type("z") == [.setFit(.auto)])
    }
}

/// What a click at a place hits.
struct HitAreaTests {
    private func layout(_ columns: Int, _ rows: Int) -> PageLayout {
        let page = Page(columns: columns, rows: rows)
        page.play()
        return PageLayout(page.state, index: 0)
    }

    @Test(arguments: [(80, 24), (200, 60), (40, 12)])
    func everyCellOfAButtonIsThatButton(columns: Int, rows: Int) {
        let layout = layout(columns, rows)
        #expect(layout.buttons.map(\.button) == [.like, .dislike, .comments, .save, .share])
        for (button, frame) in layout.buttons {
            for row in frame.row..<frame.row + frame.rows {
                for column in frame.column..<frame.column + frame.columns {
                    #expect(layout.button(at: GridPoint(column: column, row: row)) == button)
                }
            }
        }
    }

    @Test func aButtonIsHitOneCellAroundItAndNoFurther() throws {
        let layout = layout(200, 60)
        let like = try #require(layout.buttons.first { $0.button == .like }).frame
        #expect(layout.button(at: GridPoint(column: like.column - 1, row: like.row)) == .like)
        #expect(layout.button(at: GridPoint(column: like.column - 2, row: like.row)) == nil)
        let share = try #require(layout.buttons.last).frame
        #expect(layout.button(at: GridPoint(column: share.column + 2, row: share.row + share.rows)) == .share)
        #expect(layout.button(at: GridPoint(column: share.column + 2, row: share.row + share.rows + 1)) == .trust)
    }

    @Test func theScrubberReachesFromTheBeginningToTheEnd() {
        let layout = layout(80, 24)
        let bar = layout.bar
        #expect(layout.share(at: GridPoint(column: bar.column, row: bar.row)) == 0)
        #expect(layout.share(at: GridPoint(column: bar.column + bar.columns - 1, row: bar.row)) == 1)
        #expect(layout.share(at: GridPoint(column: 0, row: bar.row)) == 0)
        #expect(layout.share(at: GridPoint(column: 79, row: bar.row)) == 1)
        #expect(layout.scrubberHit.contains(GridPoint(column: bar.column, row: bar.row)))
        #expect(!layout.scrubberHit.contains(GridPoint(column: bar.column, row: layout.floor - 1)))
    }

    @Test func theCaptionHasNoHitAreaAroundIt() {
        let layout = layout(80, 24)
        let caption = layout.caption
        #expect(layout.button(at: GridPoint(column: caption.column, row: caption.row)) == .caption)
        #expect(layout.button(at: GridPoint(column: caption.column, row: caption.row + caption.rows)) == nil)
    }
}
