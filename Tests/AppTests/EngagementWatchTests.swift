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
}
