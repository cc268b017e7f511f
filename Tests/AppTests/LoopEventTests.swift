import Feeds
import Foundation
import Model
import TestSupport
import Testing

@testable import App
@testable import Player
@testable import UI

/// In which order the loop handles what has come, and how soon it shows.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct LoopEventTests {
    private func feed(_ items: [Item]) -> LoopMessage {
        .feed(.read(.source, .success((Feed(title: nil, items: items, source: "file:///clips"), ReturnPoint()))))
    }

    // MARK: Order

    @Test func messagesAreHandledInOrder() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        for name in ["1", "2", "3"] { stage.inbox.post(.event(.notice(name, .news))) }
        stage.step()
        #expect(stage.state.toasts.current?.text.text == "3")
    }

    @Test func messagesComeBeforeKeys() throws {
        let stage = try LoopStage(nil)
        defer { stage.close() }
        stage.start()
        stage.inbox.post(feed(LoopStage.items))
        try stage.type("j")
        stage.step()
        #expect(stage.state.items.count == 5)
        #expect(stage.state.current == 1)
    }

    @Test func eventsOfAnEffectAreHandledInTheSameStep() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        var items = LoopStage.items
        items[0].link = "https://example.org/a"
        stage.inbox.post(feed(items))
        try stage.type("y")
        stage.step()
        #expect(stage.state.toasts.current?.text.text.contains("ink copied") == true)
    }

    @Test func keysAreHandledInOrder() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        try stage.type("jjk")
        stage.step()
        #expect(stage.state.current == 1)
    }

    @Test func quittingEndsTheLoopAndDrawsNothingMore() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.inbox.post(.event(.notice("unseen", .news)))
        try stage.type("q")
        stage.step()
        guard case .quit = stage.loop.exit else {
            Issue.record("the loop has not ended")
            return
        }
        #expect(stage.takeWritten() == "")
    }

    @Test func feedThatCannotBeReadEndsALoopWithoutItems() throws {
        let stage = try LoopStage(nil)
        defer { stage.close() }
        stage.start()
        stage.inbox.post(.feed(.read(.source, .failure(AppError("no feed")))))
        stage.step()
        guard case .failed(let error) = stage.loop.exit else {
            Issue.record("the loop has not ended")
            return
        }
        #expect("\(error)" == "no feed")
    }

    @Test func feedThatCannotBeReadAgainIsANotice() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.inbox.post(.feed(.read(.source, .failure(AppError("no feed")))))
        stage.step()
        #expect(stage.loop.exit == nil && stage.state.items.count == 5)
        #expect(stage.state.toasts.current?.text.text == "No feed")
    }

    // MARK: Ticks

    @Test func tickEndsWhatIsOver() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.inbox.post(.event(.notice("Passing", .news)))
        stage.settle()
        #expect(stage.state.toasts.current != nil)
        stage.run(for: .seconds(10))
        #expect(stage.state.toasts.current == nil)
        stage.settle()
        #expect(stage.loop.output.isUpToDate)
    }

    @Test func tickOfAMotionIsDrawnWithoutWaitingForAPicture() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        try stage.type("j")
        stage.settle()
        let due = try #require(stage.loop.output.nextWake(now: stage.now))
        stage.skip(max(due - stage.now, FrameScheduler.frame))
        _ = stage.takeWritten()
        stage.step()
        #expect(stage.takeWritten() != "")
    }

    @Test func tickOfTextWaitsForTheNextPicture() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        // The toast of the beginning is over, and the scrubber moves by text only.
        stage.run(for: .seconds(3))
        let text = try stage.nextTextBeforeMotion()
        let picture = try #require(stage.pool.nextPicture)
        // The tick itself would be due before the picture: the loop sleeps until the picture.
        let output = try #require(stage.loop.output.nextWake(now: stage.now))
        #expect(output >= min(text, picture))
        #expect(text >= picture || output >= picture)
    }

    // MARK: Urgency

    @Test func noticeIsDrawnAtOnce() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.inbox.post(.event(.notice("Now", .news)))
        stage.step()
        #expect(stage.loop.output.isUpToDate)
        #expect(stage.takeWritten() != "")
    }

    @Test func reportOfAClipOutOfViewIsNotDrawn() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.inbox.post(.event(.player("c", .stalled(true))))
        stage.step()
        #expect(stage.loop.output.isUpToDate && stage.takeWritten() == "")
        stage.inbox.post(.event(.player("a", .picture(PixelSize(width: 10, height: 30)))))
        stage.skip(.milliseconds(1))
        stage.loop.handle(Event.player("a", .stalled(true)))
        #expect(!stage.loop.output.isUpToDate)
    }

    @Test func positionOfAPlayingClipWaitsForItsPicture() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        #expect(stage.loop.output.isUpToDate)
        stage.loop.handle(Event.player("a", .position(.seconds(1), duration: .seconds(4))))
        #expect(!stage.loop.output.isUpToDate)
        #expect(stage.loop.output.budget(now: stage.now + .milliseconds(20)) == nil)
        #expect(stage.loop.output.budget(now: stage.now + .milliseconds(101)) != nil)
    }

    @Test func failureToLoadMoreChangesNothingVisible() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.inbox.post(.event(.moreFailed))
        stage.step()
        #expect(stage.takeWritten() == "")
    }

    @Test(arguments: [
        (Event.key(.character("x")), Event.Urgency.answer), (.paste(""), .answer), (.focus(true), .answer),
        (.resized(GridSize(columns: 1, rows: 1)), .answer), (.resumed, .answer), (.notice(""), .answer),
        (.captions("a", 0, []), .answer), (.commentsUnavailable("a", why: ""), .answer), (.chapters("a", []), .answer),
        (.service(takesComments: true), .answer), (.wholeFeed([Item](), title: nil, at: 0), .answer),
        (.avatars([]), .motion), (.player("a", .firstFrame), .motion), (.player("a", .stalled(true)), .motion),
        (.player("a", .position(.zero, duration: nil)), .text), (.player("a", .buffered(until: .zero)), .text),
        (.player("a", .cached([])), .text), (.player("a", .diagnostics(Diagnostics())), .text),
        (.remembered([:], follows: []), .text), (.tick, .none), (.moreFailed, .none),
    ])
    func eventsStateHowSoonTheyShow(_ event: Event, _ urgency: Event.Urgency) {
        #expect(event.urgency == urgency)
    }

    @Test(arguments: [("01 - foo", true), ("Foo", false), (nil, true)] as [(String?, Bool)])
    func tagsNameAnItemWhoseTitleIsItsFilesName(_ title: String?, _ areTaken: Bool) {
        let item = Item(id: "a", url: "file:///music/01%20-%20foo.mp3", title: title)
        let facts = ClipFacts(duration: nil, isSeekable: true, hasVideo: false, hasAudio: true)
        var wanted = facts
        wanted.tags.nameItem = areTaken
        #expect(PlayerReport.opened(facts).naming(item) == .opened(wanted))
        #expect(PlayerReport.opened(facts).naming(nil) == .opened(facts))
        #expect(PlayerReport.firstFrame.naming(item) == .firstFrame)
    }
}
