import Foundation
import Model
import TestSupport
import Testing

@testable import App
@testable import Player
@testable import Screen
@testable import UI

/// The loop and a terminal that changes, stops and goes.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct LoopTerminalTests {
    @Test func newSizeIsDrawnWhole() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let before = stage.pool.generation
        try stage.pty.resize(to: GridSize(columns: 60, rows: 20))
        raise(SIGWINCH)
        stage.step()
        #expect(stage.state.size == GridSize(columns: 60, rows: 20))
        #expect(stage.pool.generation == before + 1)
        stage.run(for: .milliseconds(20))
        #expect(stage.takeText().contains("Title-a"))
    }

    @Test func backdropFollowsTheSizeOfTheTerminal() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let presenter = Presenter(terminal: stage.terminal)
        let page = Scene.Page(item: "a", top: 0, hasBackdrop: true)
        func size() -> PixelSize? {
            Picture(size: PixelSize(width: 2, height: 2), pixels: [1, 2, 3, 4]).withView { picture in
                presenter.withBackdrop(of: page, picture, now: stage.now) { $0?.size }
            }
        }
        #expect(size() == presenter.pictures.pictureSize(for: GridSize(columns: 80, rows: 24)))
        try stage.pty.resize(to: GridSize(columns: 60, rows: 20))
        raise(SIGWINCH)
        stage.step()
        presenter.terminalChanged()
        #expect(size() == presenter.pictures.pictureSize(for: GridSize(columns: 60, rows: 20)))
    }

    @Test(arguments: [(ColorMode.truecolor, true), (.palette256, true), (.palette16, false), (.mono, false)])
    func backdropNeedsManyColors(_ color: ColorMode, _ hasBackdrop: Bool) throws {
        let stage = try LoopStage(color: color)
        defer { stage.close() }
        stage.start()
        #expect(stage.state.options.hasBackdrop == hasBackdrop)
    }

    @Test func sameSizeRequestsNoNewPictures() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let before = stage.pool.generation
        raise(SIGWINCH)
        stage.step()
        #expect(stage.pool.generation == before)
        stage.run(for: .milliseconds(20))
        #expect(stage.takeText().contains("Title-a"), "what did not fit meanwhile is gone")
    }

    @Test func sizeThatChangesDuringAnUpdateIsDrawnAfterIt() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        stage.blockTerminal()
        try stage.pty.resize(to: GridSize(columns: 60, rows: 20))
        raise(SIGWINCH)
        stage.step()
        #expect(stage.state.size == GridSize(columns: 60, rows: 20))
        #expect(!stage.loop.output.isUpToDate)
        stage.reads = true
        _ = stage.takeWritten()
        stage.run(for: .milliseconds(20))
        #expect(stage.takeText().contains("Title-a"))
    }

    // MARK: The pointer

    @Test func pointerIsFollowedOnceTheTerminalAnswersSoon() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        #expect(stage.takeWritten().contains("\u{1B}[?1003h") && stage.terminal.tracksMotion)
    }

    @Test func pointerIsNotFollowedOnASilentTerminal() throws {
        let stage = try LoopStage(answers: false)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(2))
        #expect(!stage.terminal.tracksMotion)
    }

    @Test func pointerOverNothingDrawsNothing() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        let like = PageLayout(stage.state, index: 0).buttons[0].frame
        func move(_ column: Int, _ row: Int) throws -> String {
            try stage.type("\u{1B}[<35;\(column + 1);\(row + 1)M")
            stage.run(for: .milliseconds(100))
            return stage.takeWritten()
        }
        for column in 20..<40 { #expect(try move(column, 8) == "") }
        #expect(try !move(like.column, like.row).isEmpty)
        #expect(try move(like.column + 1, like.row) == "")
        #expect(try !move(30, 8).isEmpty)
    }

    @Test func misplacedOctantsGiveWayToBlocks() throws {
        let stage = try LoopStage(pictureMode: .octant)
        defer { stage.close() }
        stage.start()
        #expect(stage.state.options.pictureMode == .octant)
        try stage.type("\u{1B}[3;1R")
        stage.settle()
        #expect(stage.state.options.pictureMode != .octant)
        #expect(stage.state.toasts.current?.text.text == "No octants in this terminal; using blocks")
    }

    @Test func capabilitiesOfALateAnswerChangeThePage() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        #expect(!stage.state.options.knowsCellAspect)
        let before = stage.pool.generation
        try stage.type("\u{1B}[6;20;11t")
        stage.step()
        #expect(stage.state.options.knowsCellAspect)
        #expect(stage.pool.generation == before + 1)
        stage.settle()
        #expect(stage.pool.generation == before + 1)
    }

    /// Stopped by SIGSTOP and continued: the shell has had the terminal meanwhile.
    @Test func continuedProcessDrawsAllAgain() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        raise(SIGCONT)
        stage.step()
        stage.run(for: .milliseconds(20))
        #expect(stage.takeText().contains("Title-a"))
        #expect(stage.state.clips["a"]?.isPlaying == true)
    }

    @Test func pausedClipStaysPausedWhenTheProcessIsContinued() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        try stage.type(" ")
        stage.settle()
        raise(SIGCONT)
        stage.settle()
        #expect(stage.state.clips["a"]?.isPlaying == false)
        #expect(!stage.state.playback.wantsPlay)
    }

    /// All pictures of the next update count as new: one that was on its way has not arrived.
    @Test func screenThatIsLostForgetsTheUpdateInFlight() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        stage.loop.output.screenLost()
        #expect(stage.loop.output.arrived() == nil)
        stage.settle()
        _ = stage.takeWritten()
        stage.run(for: .milliseconds(100))
        #expect(stage.loop.output.isUpToDate)
    }

    /// Nothing answers what the lost screen was asked.
    @Test func screenThatIsLostForgetsItsQuestions() throws {
        let stage = try LoopStage.awaitingAnswer()
        defer { stage.close() }
        let output = stage.loop.output
        #expect(output.budget(now: stage.now) == nil)
        output.screenLost()
        #expect(output.budget(now: stage.now) != nil)
    }

    @Test func terminalThatIsGoneEndsTheLoop() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        stage.reads = false
        try stage.pty.hangUp()
        stage.loop.step()
        guard case .ended(.hungUp) = stage.loop.exit else {
            Issue.record("the loop has not ended")
            return
        }
    }
}
