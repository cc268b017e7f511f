import Feeds
import Foundation
import Model
import TestSupport
import Testing

@testable import App

/// What `flick browse` does before its page opens, and after the page is closed.
@Suite struct BrowseTests {
    private let folder = TemporaryFolder()

    // MARK: Before

    private func notices(_ inbox: Inbox<LoopMessage>) -> [String] {
        inbox.drain().compactMap { if case .event(.notice(let text, _)) = $0 { text } else { nil } }
    }

    /// Two messages for the page, and between them the result of reading the feed.
    private func inbox(_ result: Result<LoadedFeed, AppError>) throws -> Inbox<LoopMessage> {
        let inbox = try Inbox<LoopMessage>()
        inbox.post(.event(.notice("1")))
        inbox.post(.feed(.read(.source, result)))
        inbox.post(.event(.notice("2")))
        return inbox
    }

    @Test func firstFeedLeavesOtherMessagesInOrder() throws {
        var point = ReturnPoint()
        point.start = .resumed(3)
        let inbox = try inbox(.success((Feed(title: "First", items: [Item](), source: "a"), point)))
        let found = try firstFeed(from: inbox, within: .seconds(20))
        #expect(found?.feed.title == "First" && found?.point.start == .resumed(3))
        #expect(notices(inbox) == ["1", "2"])
    }

    @Test func feedThatCannotBeReadIsAnErrorBeforeThePage() throws {
        let inbox = try inbox(.failure(AppError("no feed")))
        #expect(throws: AppError("no feed")) { try firstFeed(from: inbox, within: .seconds(20)) }
        #expect(notices(inbox) == ["1", "2"])
    }

    @Test func lateFeedIsLeftToThePage() throws {
        let inbox = try Inbox<LoopMessage>()
        inbox.post(.event(.notice("1")))
        let found = try firstFeed(from: inbox, within: .milliseconds(50))
        let isThere = found != nil
        #expect(!isThere && notices(inbox) == ["1"])
    }

    // MARK: After

    private var path: String { folder.path + "/state/" + PageMemory.fileName }

    /// Ends a run in which the page was set from `start` to `end`.
    private func finish(
        _ memory: PageMemory, from start: PageMemory, to end: PageMemory, theme: Automatic<ThemeName>? = nil,
        config: String = ""
    ) throws {
        let setup = try Setup(
            config: folder.write("config.toml", config.utf8), cacheFolder: folder.path, keepsCache: false)
        let report = ReportSettings(stateFolder: folder.path + "/state")
        let settings = BrowseSettings(
            sources: ["/a"], pictureMode: nil, color: nil, output: nil, fit: nil, fps: nil, muted: false, audio: true,
            start: nil, shuffle: false, order: nil, loop: nil, autoAdvance: false, reducedMotion: nil, theme: theme,
            report: report, setup: setup)
        let journal = try Journal(report, file: LogFile(path: folder.path + "/log"), clock: ProcessClock())
        remember(memory, from: start, to: end, of: settings, journal)
    }

    /// How the page is set, beside what an earlier run has changed.
    private var page: (memory: PageMemory, start: PageMemory) {
        var (memory, start) = (PageMemory(), PageMemory())
        memory.volume = 0.5
        memory.theme = .dark
        (start.volume, start.isMuted, start.speed) = (0.5, false, 1)
        return (memory, start)
    }

    @Test func whatTheUserChangedIsRemembered() throws {
        var (memory, end) = (page.memory, page.start)
        (end.isMuted, end.speed) = (true, 2)
        try finish(page.memory, from: page.start, to: end)
        (memory.isMuted, memory.speed) = (true, 2)
        #expect(PageMemory(at: path) == memory)
    }

    @Test func unchangedPageIsNotWritten() throws {
        try finish(page.memory, from: page.start, to: page.start)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func nothingIsRememberedWhereTheConfigurationForbidsIt() throws {
        var end = page.start
        end.speed = 2
        try finish(page.memory, from: page.start, to: end, config: "[engagement]\nremember = false\n")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [("light", ThemeName.light), ("auto", nil)] as [(String, ThemeName?)])
    func themeOfTheCommandLineIsRemembered(name: String, theme: ThemeName?) throws {
        try finish(page.memory, from: page.start, to: page.start, theme: Automatic(name))
        var memory = page.memory
        memory.theme = theme
        #expect(PageMemory(at: path) == memory)
    }
}
