import Foundation
import Model
import TestSupport
import Testing

@testable import App
@testable import Player
@testable import Screen
@testable import UI

/// What wakes the loop.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct LoopWakeTests {
    private func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    @Test func messageWakesTheLoopOnce() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        #expect(!isReadable(stage.inbox.descriptor))
        stage.inbox.post(.event(.notice("x", .news)))
        #expect(isReadable(stage.inbox.descriptor))
        stage.step()
        #expect(!isReadable(stage.inbox.descriptor))
    }

    @Test func keyEndsTheWait() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.settle()
        try stage.type("?")
        #expect(stage.loop.wait() == .input)
    }

    @Test func messageEndsTheWaitAndTheTerminalIsNotRead() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.settle()
        stage.inbox.wake()
        #expect(stage.loop.wait() == [])
    }

    @Test func signalEndsTheWait() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.settle()
        raise(SIGWINCH)
        #expect(stage.loop.wait() == .signals)
        stage.step()
    }

    @Test func pageAtRestHasNoWakes() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        try stage.type(" ")
        stage.settle()
        stage.run(for: .seconds(20))
        let now = stage.now
        #expect(stage.loop.output.nextWake(now: now) == nil)
        #expect(stage.loop.library.nextWake == nil)
        // The pool looks at its decoders from time to time all the same.
        #expect(stage.nextWake.map { $0 > now + .seconds(1) } ?? true)
    }

    @Test func clipWakesForItsNextPicture() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        let due = try #require(stage.nextWake)
        #expect(due > stage.now && due <= stage.now + .milliseconds(40))
    }

    @Test func pageThatSlidesWakesForEachFrame() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type("j")
        stage.settle()
        #expect(stage.state.pager.isMoving)
        let due = try #require(stage.loop.output.nextWake(now: stage.now))
        #expect(due <= stage.now + State.frame)
    }

    /// Otherwise the loop would spin until the terminal has taken the update.
    @Test func drawingThatWaitsForTheTerminalIsNoDeadline() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.blockTerminal()
        try stage.type("?")
        stage.step()
        #expect(!stage.loop.output.isUpToDate)
        #expect(stage.nextWake.map { $0 > stage.now } ?? true)
    }

    @Test func terminalThatHasTakenTheUpdateEndsTheWait() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.blockTerminal()
        try stage.type("?")
        stage.step()
        #expect(stage.loop.output.wantsWakeWhenWritten(now: stage.now))
        #expect(stage.terminal.wakeWhenWritten())
        #expect(!isReadable(stage.inbox.descriptor))
        stage.reads = true
        _ = stage.takeWritten()
        #expect(holds(within: .seconds(10)) { isReadable(stage.inbox.descriptor) })
    }

    /// The loop has no deadline for this: while a clip plays, its next picture wakes it soon enough.
    @Test func unawaitedUpdateDoesNotWake() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        stage.blockTerminal()
        #expect(!stage.loop.output.wantsWakeWhenWritten(now: stage.now))
    }

    @Test func answerThatIsOverdueIsADeadline() throws {
        let stage = try LoopStage.awaitingAnswer()
        defer { stage.close() }
        #expect(!stage.loop.output.isUpToDate)
        let due = try #require(stage.loop.output.nextWake(now: stage.now))
        #expect(due > stage.now && due <= stage.now + .seconds(1))
    }

    @Test func impressionWakesTheLibrary() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        let due = try #require(stage.loop.library.nextWake)
        #expect(due > stage.now && due <= .seconds(5))
        stage.run(for: due - stage.now + .milliseconds(10))
        #expect(stage.loop.library.nextWake != due)
    }
}
