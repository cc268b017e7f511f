import Engagement
import Model
import TerminalInput
import Testing
import UI

@testable import App

/// What the loop passes to the tracker. `TrackerTests` cover its rules.
@Suite struct EngagementWatchTests {
    private static let items = ["a", "b", "c"].map {
        Item(id: $0, url: "file:///\($0).mp4", creator: .init(id: "c", name: "Creator"))
    }

    /// A page, and the watch that looks at it after each event.
    private struct Session {
        var state = State(size: GridSize(columns: 80, rows: 24), items: EngagementWatchTests.items)
        var watch = EngagementWatch()
        var now = Duration.zero
        var events: [String] = []

        init() {
            _ = begin(&state, now: now)
            take(watch.look(at: state, now: now))
        }

        mutating func take(_ engaged: [EngagementEvent]) { events += engaged.map { "\($0.item) \($0.name)" } }

        mutating func send(_ event: Event) {
            let effects = update(&state, event, now: now)
            take(watch.look(at: state, now: now))
            if case .player(let item, let report) = event {
                let isPlaying = state.clips[item]?.isPlaying ?? false
                take(watch.note(report, of: item, isPlaying: isPlaying, now: now))
            }
            for effect in effects { take(watch.note(effect, now: now)) }
        }

        /// Time passes, in which the clip in view plays if it does.
        mutating func wait(_ time: Duration) {
            let end = now + time
            while now < end {
                now += .milliseconds(100)
                if state.clip.isPlaying, let id = state.currentID {
                    let position = state.clip.position(now: now, speed: 1)
                    send(.player(id, .position(position, duration: .seconds(10))))
                }
                send(.tick)
                take(watch.tick(now: now))
            }
        }

        /// Time passes without a report of a player.
        mutating func rest(_ time: Duration) {
            let end = now + time
            while now < end {
                now += .milliseconds(100)
                send(.tick)
                take(watch.tick(now: now))
            }
        }

        /// Ends the visit of the page in view, and returns its summary.
        mutating func summary() -> EngagementEvent.Summary? {
            for event in watch.finish(now: now) { if case .summary(let summary) = event.what { return summary } }
            return nil
        }

        /// The current page's clip plays, and its first picture is there.
        mutating func play() {
            let id = state.currentID ?? ""
            send(.player(id, .playing))
            send(.player(id, .position(.zero, duration: .seconds(10))))
            take(watch.note(.started(pts: .zero, sincePage: .milliseconds(40), how: .pool), of: id, now: now))
        }
    }

    @Test func aPageThatIsWatchedAndLeft() {
        var session = Session()
        session.play()
        session.wait(.seconds(3))
        session.send(.key(Key(.down)))
        session.wait(.seconds(1))
        #expect(
            session.events == [
                "a start", "a impression", "a view", "a milestone", "a skip", "a summary", "b impression",
            ])
    }

    /// A page behind the stills of a grid is not seen, and a still is no page.
    @Test func stillsOfAGridDoNotCount() {
        var session = Session()
        session.send(.key(.character("u")))
        session.send(.part(.creator(key: "c", id: "c", name: "Creator"), Self.items))
        #expect(session.state.feed.grid != nil)
        session.wait(.seconds(2))
        #expect(!session.events.contains { $0.contains("impression") })
        session.send(.key(.right))
        session.send(.key(.enter))
        session.play()
        session.wait(.seconds(1))
        #expect(session.events.filter { $0.contains("impression") } == ["b impression"])
    }

    @Test func pagesThatPassDoNotCount() {
        var session = Session()
        session.wait(.milliseconds(500))
        session.send(.key(Key(.down)))
        session.now += .milliseconds(50)
        session.send(.key(Key(.down)))
        session.wait(.seconds(1))
        #expect(session.events == ["a impression", "a summary", "c impression"])
    }

    @Test func playingAgainWhatHadEndedIsAReplay() {
        var session = Session()
        session.play()
        session.wait(.seconds(10))
        session.send(.player("a", .ended))
        session.play()
        session.wait(.seconds(1))
        var replays: [Int] = []
        for event in session.watch.finish(now: session.now) {
            if case .summary(let summary) = event.what { replays.append(summary.replays) }
        }
        #expect(replays == [1])
    }

    /// It has reported the stall while another page was in view.
    @Test func stallOfAClipBeforeItsPageCounts() {
        var session = Session()
        session.play()
        session.wait(.seconds(1))
        session.send(.player("b", .stalled(true)))
        session.send(.key(Key(.down)))
        session.send(.player("b", .playing))
        session.wait(.seconds(2))
        var stalls: [Duration] = []
        for event in session.watch.finish(now: session.now) {
            if case .summary(let summary) = event.what { stalls.append(summary.stallTime) }
        }
        #expect(stalls == [.seconds(2)])
    }

    @Test func theEndOfTheSessionIsALeaving() {
        var session = Session()
        session.play()
        session.wait(.seconds(1))
        session.take(session.watch.finish(now: session.now))
        #expect(session.events.suffix(2) == ["a skip", "a summary"])
    }

    // MARK: What each signal passes on

    private static func facts(duration: Duration?, isStill: Bool = false) -> ClipFacts {
        ClipFacts(
            duration: duration, isSeekable: true, hasVideo: true, hasAudio: !isStill, isStill: isStill)
    }

    /// A player reports once that its clip is a still, perhaps before its page is in view.
    @Test(arguments: [false, true]) func stillIsViewedWithoutPositions(isOpenBefore: Bool) {
        var session = Session()
        let opened = Event.player("b", .opened(Self.facts(duration: nil, isStill: true)))
        if isOpenBefore { session.send(opened) }
        session.send(.key(Key(.down)))
        if !isOpenBefore { session.send(opened) }
        session.send(.player("b", .playing))
        session.take(session.watch.note(.started(pts: .zero, sincePage: .zero, how: .warm), of: "b", now: session.now))
        session.rest(.milliseconds(2_500))
        #expect(session.events.contains("b view"))
    }

    @Test func clipWithoutPositionsIsNotViewed() {
        var session = Session()
        session.send(.player("a", .opened(Self.facts(duration: .seconds(10)))))
        session.play()
        session.rest(.milliseconds(2_500))
        #expect(session.events == ["a start", "a impression"])
    }

    /// The duration of a clip that was opened ahead is known before its first position.
    @Test func clipThatIsLeftBeforeItsFirstPositionIsSkipped() {
        var session = Session()
        session.send(.player("b", .opened(Self.facts(duration: .seconds(10)))))
        session.send(.key(Key(.down)))
        session.take(session.watch.note(.started(pts: .zero, sincePage: .zero, how: .warm), of: "b", now: session.now))
        session.rest(.seconds(1))
        session.send(.key(Key(.down)))
        #expect(session.events == ["b start", "b impression", "b skip", "b summary"])
    }

    /// The page stands where the one before stood.
    @Test func itemInPlaceOfAnotherHasItsOwnImpression() {
        var session = Session()
        session.rest(.seconds(1))
        let items = ["d", "e"].map { Item(id: $0, url: "file:///\($0).mp4") }
        session.send(.feed(items, title: nil))
        session.rest(.seconds(1))
        #expect(session.events == ["a impression", "a summary", "d impression"])
    }

    @Test func startHasTheTimeSinceThePageAndTheClaim() {
        var session = Session()
        session.now = .seconds(3)
        let event = PlaybackEvent.started(pts: .seconds(7), sincePage: .milliseconds(40), how: .resume)
        let events = session.watch.note(event, of: "a", now: session.now)
        let start = EngagementEvent.What.start(how: .resume, after: .milliseconds(40))
        #expect(events == [EngagementEvent(item: "a", at: .seconds(3), what: start)])
    }

    @Test(arguments: [PlayerReport.paused, .failed("damaged"), .stalled(false)])
    func stallEndsWithTheReport(report: PlayerReport) {
        var session = Session()
        session.play()
        session.wait(.seconds(1))
        session.send(.player("a", .stalled(true)))
        session.rest(.seconds(1))
        session.send(.player("a", report))
        session.rest(.seconds(2))
        let summary = session.summary()
        #expect(summary?.stallTime == .seconds(1))
    }

    /// Before the player has reported anything.
    @Test func pauseOfTheUserEndsTheWatchTime() {
        var session = Session()
        session.send(.player("a", .opened(Self.facts(duration: nil, isStill: true))))
        session.play()
        session.rest(.seconds(1))
        session.send(.key(.character(" ")))
        session.rest(.seconds(2))
        let summary = session.summary()
        #expect(summary?.watchTime == .seconds(1))
    }

    @Test func timeOfASuspensionIsNotWatched() {
        var session = Session()
        session.send(.player("a", .opened(Self.facts(duration: nil, isStill: true))))
        session.play()
        session.rest(.seconds(1))
        session.take(session.watch.suspend(now: session.now))
        session.rest(.seconds(4))
        session.take(session.watch.resume(now: session.now))
        session.rest(.milliseconds(500))
        let summary = session.summary()
        #expect(summary?.watchTime == .milliseconds(1_500))
    }

    /// A jump from the end of a clip to its beginning looks like a loop.
    @Test(arguments: [Effect.seek("a", to: .zero), .preview("a", to: .zero), .pause("b")])
    func seekToTheBeginningIsNoReplay(effect: Effect) {
        var session = Session()
        session.play()
        session.wait(.milliseconds(9_600))
        session.take(session.watch.note(effect, now: session.now))
        session.now += .milliseconds(100)
        session.send(.player("a", .position(.milliseconds(100), duration: .seconds(10))))
        let summary = session.summary()
        #expect(summary?.replays == (effect == .pause("b") ? 1 : 0))
    }

    /// What plays from there on counts.
    @Test func frameStepWhilePausedMovesThePlace() {
        var session = Session()
        session.play()
        session.wait(.seconds(3))
        session.send(.key(.character(" ")))
        session.send(.player("a", .sought(.seconds(6))))
        session.send(.player("a", .playing))
        session.now += .milliseconds(100)
        session.send(.player("a", .position(.milliseconds(6_100), duration: .seconds(10))))
        let watched = session.summary()?.watchTime ?? .zero
        #expect(watched > .milliseconds(3_050) && watched < .milliseconds(3_150))
    }

    /// Nothing is known of what the clip did until the new decoder reports.
    @Test func timeOfARecoveryIsNotWatched() {
        var session = Session()
        session.play()
        session.wait(.seconds(1))
        let recovering = PlaybackEvent.recovering(check: "hung", attempt: 1, why: "")
        session.take(session.watch.note(recovering, of: "a", now: session.now))
        session.now += .milliseconds(100)
        session.send(.player("a", .position(.milliseconds(1_100), duration: .seconds(10))))
        let watched = session.summary()?.watchTime ?? .zero
        #expect(watched > .milliseconds(950) && watched < .milliseconds(1_050))
    }

    @Test func clipAtFourTimesItsSpeedIsWatchedInRealTime() {
        var session = Session()
        session.send(.external(.setSpeed(4)))
        session.play()
        for step in 1...30 {
            session.now += .milliseconds(100)
            session.send(.player("a", .position(.milliseconds(400 * step), duration: .seconds(20))))
        }
        let summary = session.summary()
        #expect(session.events.contains("a view") && summary?.watchTime == .seconds(3))
        #expect(summary?.completion == 0.6)
    }
}
