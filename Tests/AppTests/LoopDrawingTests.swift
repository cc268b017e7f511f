import Foundation
import Model
import TestSupport
import Testing

@testable import App
@testable import UI

/// When the loop draws, and when it does not.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct LoopDrawingTests {
    @Test func firstPageIsDrawnAtOnce() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        #expect(stage.now == .zero)
        #expect(stage.takeText().contains("Title-a"))
    }

    @Test func unchangedPageIsNotDrawn() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.step()
        stage.skip(.seconds(1))
        stage.step()
        #expect(stage.takeWritten() == "")
        #expect(stage.loop.output.isUpToDate)
    }

    @Test func pageThatIsTheSameIsNotLaidOutAgain() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        try stage.type("?")
        stage.step()
        #expect(stage.loop.output.hasScene)
        stage.skip(.milliseconds(1))
        stage.step()
        #expect(stage.loop.output.hasScene)
        stage.inbox.post(.event(.avatars([])))
        stage.step()
        #expect(!stage.loop.output.hasScene)
    }

    @Test func keyIsDrawnInTheStepThatReadsIt() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        try stage.type("?")
        stage.step()
        #expect(stage.state.view.sheet == .help)
        #expect(stage.takeText().contains("quit"))
    }

    @Test func keysThatFollowEachOtherAtOnceShareAnUpdate() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        try stage.type("?")
        stage.step()
        try stage.type("\u{1B}[27u?")
        stage.step()
        #expect(!stage.loop.output.isUpToDate, "2 ms have to pass between two updates")
        stage.skip(FrameScheduler.answer)
        stage.step()
        #expect(stage.loop.output.isUpToDate)
    }

    @Test func updateInFlightHoldsTheNextOneBack() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.blockTerminal()
        try stage.type("?")
        stage.step()
        stage.skip(.seconds(1))
        stage.step()
        #expect(stage.state.view.sheet == .help)
        #expect(!stage.loop.output.isUpToDate)
        stage.reads = true
        _ = stage.takeWritten()
        stage.step()
        #expect(stage.loop.output.isUpToDate)
        #expect(stage.takeText().contains("quit"))
    }

    @Test func onlyTheNewestPageIsDrawnAfterAnUpdate() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.blockTerminal()
        try stage.type("?")
        stage.step()
        try stage.type("q")
        stage.inbox.post(.event(.notice("Newest", .news)))
        stage.step()
        stage.reads = true
        _ = stage.takeWritten()
        stage.skip(.milliseconds(100))
        stage.settle()
        #expect(stage.loop.exit == nil && stage.state.view.sheet == nil)
        let written = stage.takeWritten()
        #expect(written.contains("Newest") && !written.contains("Keys"))
    }

    /// The picture may come before the page is first drawn, or after it.
    @Test func pictureIsReportedWhenTheTerminalHasTakenIt() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .milliseconds(30))
        #expect(stage.pool.pictureIdentity(of: "a") != nil)
        #expect(stage.state.clips["a"]?.isRendering == true)
    }

    @Test func pictureIsNotDrawnBehindAnUpdateInFlight() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        _ = stage.takeWritten()
        stage.blockTerminal()
        stage.start()
        stage.run(for: .milliseconds(30))
        #expect(stage.pool.pictureIdentity(of: "a") != nil)
        #expect(stage.state.clips["a"]?.isRendering != true)
        #expect(!stage.loop.output.shows("a"))
        stage.reads = true
        _ = stage.takeWritten()
        stage.run(for: .milliseconds(30))
        #expect(stage.state.clips["a"]?.isRendering == true)
    }

    /// Nothing is known of the link before the terminal answers: one picture at a time.
    @Test func pictureWaitsForAnAnswerOfTheTerminal() throws {
        let stage = try LoopStage.awaitingAnswer()
        defer { stage.close() }
        #expect(!stage.loop.output.isUpToDate)
        #expect(stage.takeWritten() == "")
    }

    @Test func keyDoesNotWaitForAnAnswerOfTheTerminal() throws {
        let stage = try LoopStage.awaitingAnswer()
        defer { stage.close() }
        try stage.type("?")
        stage.step()
        #expect(stage.loop.output.isUpToDate)
        #expect(stage.takeText().contains("quit"))
    }

    @Test func terminalThatNeverAnswersIsDrawnToAllTheSame() throws {
        let stage = try LoopStage(answers: false)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(2))
        _ = stage.takeWritten()
        try stage.type(" ")
        stage.settle()
        stage.run(for: .seconds(2))
        #expect(stage.loop.output.isUpToDate)
    }

    @Test func picturesAreDrawnNoMoreOftenThanTheUserAllows() throws {
        let stage = try LoopStage(fps: 5)
        defer { stage.close() }
        stage.start()
        stage.run(for: .milliseconds(40))
        stage.skip(.milliseconds(40))
        stage.step()
        #expect(!stage.loop.output.isUpToDate)
        stage.skip(.milliseconds(200))
        stage.step()
        #expect(stage.loop.output.isUpToDate)
    }

    /// A sensitive item is hidden until the user reveals it: it has no player, so no picture moves.
    @Test func hiddenItemIsNotPlayedNorDrawnAgain() throws {
        var items = LoopStage.items
        items[0].isSensitive = true
        let stage = try LoopStage(items)
        defer { stage.close() }
        stage.start()
        #expect(stage.state.covers(items[0]))
        stage.run(for: .seconds(10))
        _ = stage.takeWritten()
        stage.skip(.milliseconds(200))
        stage.settle()
        #expect(stage.pool.pictureIdentity(of: "a") == nil)
        #expect(stage.takeWritten() == "")
    }

    @Test func pausedPictureIsRefinedUntilItIsExact() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type(" ")
        stage.settle()
        stage.run(for: .seconds(10))
        #expect(stage.loop.output.nextWake(now: stage.now) == nil)
    }

    @Test func plainModeWritesLinesAndNoCells() throws {
        let stage = try LoopStage(isPlain: true)
        defer { stage.close() }
        stage.start()
        let written = stage.takeWritten()
        #expect(written.contains("Title-a") && !written.contains("\u{1B}["))
        #expect(stage.loop.output.isPlain)
    }
}
