import Model
import TestSupport
import Testing

@testable import App
@testable import UI

@MainActor @Suite(.serialized) struct DesktopSessionTests {
    private func session(_ stage: LoopStage) throws -> DesktopSession {
        let journal = try Journal(
            ReportSettings(stateFolder: stage.folder.path), file: LogFile(path: stage.folder.path + "/desktop.log"),
            clock: ProcessClock())
        return DesktopSession(.off, inbox: stage.inbox, journal: journal)
    }

    /// It neither plays nor can be paused.
    @Test func clipThatFailedOrEndedCountsAsPaused() throws {
        for report in [PlayerReport.failed("damaged"), .ended] {
            let stage = try LoopStage()
            defer { stage.close() }
            stage.start()
            stage.run(for: .seconds(1))
            let session = try session(stage)
            #expect(!session.playing(stage.state, now: stage.now).isPaused)
            stage.loop.handle(Event.player("a", report))
            let playing = session.playing(stage.state, now: stage.now)
            #expect(playing.isPaused && !playing.isMoving)
        }
    }

    /// Until the user asks to see it.
    @Test func otherProgramsDoNotGetTheImageOfASensitiveClip() throws {
        var item = LoopStage.items[0]
        (item.isSensitive, item.thumbnail) = (true, "https://h.example/a.jpg")
        let stage = try LoopStage([item])
        defer { stage.close() }
        stage.start()
        let session = try session(stage)
        for (hides, image) in [(true, nil), (false, "https://h.example/a.jpg")] {
            stage.loop.state.options.coversSensitive = hides
            #expect(session.playing(stage.state, now: .zero).artwork == image)
        }
    }
}
