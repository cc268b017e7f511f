import Model
import TestSupport
import Testing

@testable import App
@testable import UI

@MainActor @Suite(.serialized) struct DesktopSessionTests {
    /// Until the user asks to see it.
    @Test func otherProgramsDoNotGetTheImageOfASensitiveClip() throws {
        var item = LoopStage.items[0]
        (item.isSensitive, item.thumbnail) = (true, "https://h.example/a.jpg")
        let stage = try LoopStage([item])
        defer { stage.close() }
        stage.start()
        let journal = try Journal(
            ReportSettings(stateFolder: stage.folder.path), file: LogFile(path: stage.folder.path + "/desktop.log"),
            clock: ProcessClock())
        let session = DesktopSession(.off, inbox: stage.inbox, journal: journal)
        for (hides, image) in [(true, nil), (false, "https://h.example/a.jpg")] {
            stage.loop.state.options.coversSensitive = hides
            #expect(session.playing(stage.state, now: .zero).artwork == image)
        }
    }
}
