import Foundation
import Model
import Screen
import TestSupport
import Testing
import Wire

@testable import App
@testable import Player
@testable import UI

/// A second output of the loop's terminal and pool, which the test draws with.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct FrameOutputTests {
    /// - Parameter trace: the trace's name in the stage's folder; nil: there is no trace.
    private func output(
        _ stage: LoopStage, isPlain: Bool = false, fps: Double? = nil, bitrate: Int64? = nil, trace: String? = nil
    ) throws -> FrameOutput {
        let report = ReportSettings(
            trace: trace.map { stage.folder.path + "/" + $0 }, stateFolder: stage.folder.path)
        let journal = try Journal(
            report, file: LogFile(path: stage.folder.path + "/output.log"), clock: ProcessClock())
        return FrameOutput(
            terminal: stage.terminal, pool: stage.pool, journal: journal, isPlain: isPlain, fps: fps, bitrate: bitrate,
            now: .zero)
    }

    /// Draws the page, and has the terminal take all of it.
    @discardableResult
    private func draw(_ stage: LoopStage, with output: FrameOutput) -> PendingFrame<PictureIdentity>.Update? {
        _ = output.present(stage.state, within: .max, now: stage.now)
        _ = stage.takeWritten()
        return output.arrived()
    }

    // MARK: Limits

    /// `--link` is in bits, budgets are in bytes; `--fps` gives each picture more of them.
    @Test(arguments: [(nil, 7_200), (5, 180_000)] as [(Double?, Int)])
    func limitOfTheUserIsTheBudgetOfAPicture(fps: Double?, bytes: Int) throws {
        let stage = try LoopStage(answers: false)
        defer { stage.close() }
        _ = stage.takeWritten()
        let output = try output(stage, fps: fps, bitrate: 8_000_000)
        // The terminal has not answered in time.
        let budget = try #require(output.budget(now: .milliseconds(500)))
        #expect(abs(budget - bytes) <= 2)
    }

    // MARK: What is on the way

    @Test func updateHasItsNewPicturesBytesAndTime() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let output = try output(stage)
        let first = try #require(draw(stage, with: output))
        let picture = try #require(stage.pool.pictureIdentity(of: "a"))
        #expect(first.fresh == [picture] && first.begun == stage.now && first.cells > 0)
        #expect(output.shows("a") && !output.shows("b"))
        var figures = Diagnostics()
        output.complete(&figures, now: stage.now)
        #expect(figures.bytesPerSecond == first.bytes)
        #expect(draw(stage, with: output)?.fresh.isEmpty == true)
        stage.run(for: .milliseconds(80))
        let later = try #require(draw(stage, with: output))
        let next = try #require(stage.pool.pictureIdentity(of: "a"))
        #expect(later.fresh == [next] && next != picture)
        #expect(output.arrived() == nil)
    }

    /// Of each decoder the first picture is reported when it is on the terminal; with a trace all are.
    @Test(arguments: [(nil, false), ("trace", true)] as [(String?, Bool)])
    func arrivalOfADecodersFirstPictureIsAwaited(trace: String?, areAllAwaited: Bool) throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let output = try output(stage, trace: trace)
        func isAwaited() -> Bool {
            stage.blockTerminal()
            #expect(!output.present(stage.state, within: .max, now: stage.now), "the terminal is busy")
            return output.wantsWakeWhenWritten(now: stage.now)
        }
        #expect(isAwaited())
        stage.reads = true
        _ = stage.takeWritten()
        _ = output.arrived()
        #expect(!output.wantsWakeWhenWritten(now: stage.now))
        stage.run(for: .milliseconds(80))
        #expect(isAwaited() == areAllAwaited)
        stage.reads = true
        _ = stage.takeWritten()
    }

    @Test func firstPictureOfALostScreenIsDrawnWithoutDelay() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let output = try output(stage, fps: 1)
        draw(stage, with: output)
        stage.run(for: .milliseconds(80))
        // A later picture waits for the user's limit.
        output.notePictures()
        #expect(!output.isUpToDate && output.budget(now: stage.now) == nil)
        output.screenLost()
        output.notePictures()
        #expect(output.budget(now: stage.now) != nil)
    }

    @Test func samePictureNeedsNoUpdate() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let output = try output(stage)
        draw(stage, with: output)
        output.notePictures()
        #expect(output.isUpToDate)
    }

    // MARK: Figures of the trace

    private struct TraceLine: Decodable {
        var ev: String
        var fps: Double?
        var quality: Double?
    }

    @Test func traceHasTheRateOfNewPicturesAndTheirQuality() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let output = try output(stage, trace: "trace")
        func links() throws -> [TraceLine] {
            let text = try String(contentsOfFile: stage.folder.path + "/trace", encoding: .utf8)
            return try text.split(separator: "\n").map { try JSONDecoder().decode(TraceLine.self, from: Data($0.utf8)) }
                .filter { $0.ev == "link" }
        }
        func play(pictures: Int) {
            for _ in 0..<pictures {
                stage.run(for: .milliseconds(40))
                draw(stage, with: output)
            }
        }
        play(pictures: 30)
        let playing = try #require(try links().first)
        #expect(playing.fps.map { $0 > 20 && $0 < 27 } == true && playing.quality == 1)
        try stage.type(" ")
        stage.settle()
        play(pictures: 60)
        #expect(try links().last?.fps == 0)
    }

    // MARK: Changes of the page

    /// Text waits for the next picture, motion does not.
    @Test func tickOfTextIsNotOneOfMotion() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        // The toast of the beginning is over.
        stage.run(for: .seconds(3))
        let text = try stage.nextTextBeforeMotion()
        let output = try output(stage)
        // The second time exactly, so that nothing is left to refine.
        for earlier in [400, 150] {
            _ = output.present(stage.state, within: .max, now: stage.now - .milliseconds(earlier))
            _ = stage.takeWritten()
            _ = output.arrived()
        }
        output.expectChanges(of: stage.state, after: stage.now)
        #expect(!output.takesTick(now: text - .milliseconds(1)) && output.isUpToDate)
        #expect(output.takesTick(now: text))
        #expect(!output.isUpToDate && output.budget(now: text) == nil)
        #expect(output.budget(now: text + FrameScheduler.patience) != nil)
    }

    @Test func urgencyDecidesWhenAChangeIsDrawn() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let now = stage.now
        // Whether it is drawn 1, 2 and 9 ms after the last update.
        let cases: [(Event.Urgency, isNeeded: Bool, isDrawn: [Bool])] = [
            (.none, false, [false, false, false]), (.text, true, [false, false, false]),
            (.motion, true, [false, false, true]), (.answer, true, [false, true, true]),
        ]
        for (urgency, isNeeded, isDrawn) in cases {
            let output = try output(stage)
            draw(stage, with: output)
            output.note(urgency, now: now)
            #expect(output.isUpToDate != isNeeded, "\(urgency)")
            #expect([1, 2, 9].map { output.budget(now: now + .milliseconds($0)) != nil } == isDrawn, "\(urgency)")
        }
    }

    // MARK: The terminal

    @Test func backdropIsLeftOutOnASlowLink() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let output = try output(stage)
        for (second, hasBackdrop) in [(10, true), (20, false)] {
            stage.blockTerminal()
            #expect(output.budget(now: .seconds(second)) == nil, "the terminal is busy")
            stage.reads = true
            _ = stage.takeWritten()
            output.notePace(now: .seconds(second + 1))
            #expect(output.showsBackdrop == hasBackdrop)
        }
    }

    @Test func picturesAreRequestedForCellsSamplesAndFit() throws {
        let stage = try LoopStage(answers: false)
        defer { stage.close() }
        _ = stage.takeWritten()
        let output = try output(stage)
        let samples = output.pictures.samplesPerCell
        let size = GridSize(columns: 40, rows: 10)
        _ = output.requestPictures(size, .fit, now: .zero)
        let request = try #require(stage.pool.settings.surface)
        #expect(request.width == UInt32(40 * samples.width) && request.height == UInt32(10 * samples.height))
        #expect(request.fit == .fit && request.generation == 1)
        // A cell of unknown size is twice as high as wide.
        #expect(request.aspectNumerator == UInt32(samples.height))
        #expect(request.aspectDenominator == UInt32(2 * samples.width))
        try stage.type("\u{1B}[6;20;11t")
        _ = stage.terminal.events(now: .zero)
        _ = output.requestPictures(size, .fit, now: .zero)
        let other = try #require(stage.pool.settings.surface)
        #expect(other.aspectNumerator == UInt32(11 * samples.height) && other.generation == 2)
        #expect(other.aspectDenominator == UInt32(20 * samples.width))
        _ = output.requestPictures(size, .fit, now: .zero)
        #expect(stage.pool.generation == 2)
        _ = output.requestPictures(size, .fill, now: .zero)
        #expect(stage.pool.settings.surface?.fit == .fill && stage.pool.generation == 3)
    }

    /// Those on the terminal are of the former mode until then.
    @Test func picturesOfTheRequestForANewModeAreNotStretched() throws {
        let stage = try LoopStage(answers: false, pictureMode: .octant)
        defer { stage.close() }
        _ = stage.takeWritten()
        let output = try output(stage)
        let size = GridSize(columns: 40, rows: 10)
        _ = output.requestPictures(size, .fit, now: .zero)
        let made = Picture(size: PixelSize(width: 4, height: 8), pixels: Array(repeating: 1, count: 32))
        func isStretched(_ generation: UInt32) -> Bool {
            let identity = PictureIdentity(
                item: "a", mediaTime: .zero, isStill: false, isCorrupt: false, generation: generation, life: 1,
                number: 1, pts: 0)
            return made.withView { view in
                output.presenter.withFitting(view, identity) { $0.size != made.size }
            }
        }
        #expect(stage.pool.generation == 1 && !isStretched(1))
        try stage.type("\u{1B}[3;1R")
        _ = stage.terminal.events(now: .zero)
        #expect(output.takesNewCapabilities() && !output.takesNewCapabilities())
        output.terminalChanged()
        _ = output.requestPictures(size, .fit, now: .zero)
        #expect(stage.pool.generation == 2 && isStretched(1) && !isStretched(2))
    }

    // MARK: Plain mode

    @Test func plainModeReportsThePictureInViewAsShownAndRequestsTheSmallest() throws {
        let stage = try LoopStage.playing()
        defer { stage.close() }
        let output = try output(stage, isPlain: true)
        _ = output.requestPictures(stage.state.size, .fit, now: stage.now)
        let request = try #require(stage.pool.settings.surface)
        #expect(request.width == 16 && request.height == 16 && request.fit == .fill)
        #expect(output.present(stage.state, within: .max, now: stage.now))
        #expect(output.isUpToDate && output.shows("a") && !output.shows("b"))
        let update = try #require(output.arrived())
        #expect(update.fresh.map(\.item) == ["a"] && update.bytes == 0)
        try stage.type("j")
        stage.run(for: .seconds(1))
        _ = output.present(stage.state, within: .max, now: stage.now)
        #expect(output.arrived()?.fresh.map(\.item) == ["b"] && !output.shows("a"))
    }
}
