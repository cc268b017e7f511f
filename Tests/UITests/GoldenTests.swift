import Model
import Testing

@testable import UI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Screens kept as text. After a change that is meant, make them again with
/// `FLICK_REGENERATE=1 swift test --filter UITests`, and read the difference.
struct GoldenTests {
    static let sizes = [(80, 24), (200, 60), (40, 12)]

    private func check(_ page: Page, _ name: String, at location: SourceLocation = #_sourceLocation) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
        let file = folder.appending(path: "\(name).txt")
        let text = page.screen.map { $0.trimmingRight + "|" }.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["FLICK_REGENERATE"] == "1" {
            try text.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        #expect(
            text == golden, "\(name) looks different. If so it shall: FLICK_REGENERATE=1 swift test --filter UITests",
            sourceLocation: location)
    }

    @Test(arguments: sizes) func playing(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.play(position: .seconds(7))
        try check(page, "playing-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func wideTextPausedAndLiked(columns: Int, rows: Int) throws {
        var options = Options()
        options.startIndex = 1
        let page = Page(columns: columns, rows: rows, options: options)
        page.play(duration: .seconds(4_000), position: .seconds(3_700))
        page.type("l")
        page.type("f")
        page.type(" ")
        page.wait(.seconds(5))
        try check(page, "paused-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func hostileText(columns: Int, rows: Int) throws {
        var options = Options()
        options.startIndex = 2
        let page = Page(columns: columns, rows: rows, options: options)
        page.play()
        try check(page, "hostile-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func betweenTwoPages(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.play()
        page.press(.down)
        page.wait(.milliseconds(70))
        try check(page, "moving-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func loading(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.wait(.milliseconds(200))
        try check(page, "loading-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func failed(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.send(
            .player(index: 0, .failed("night-market.mp4: no media that can be read (it is text); choose another")))
        try check(page, "failed-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func menuInASCIIWithoutColour(columns: Int, rows: Int) throws {
        var options = Options()
        options.surface = .ascii
        options.color = .mono
        let page = Page(columns: columns, rows: rows, options: options)
        page.play(position: .seconds(12))
        page.type("l")
        page.wait(.seconds(1))
        page.type("M")
        try check(page, "menu-ascii-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func soundOnlyWithToast(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        let facts = ClipFacts(duration: .seconds(60), isSeekable: true, hasVideo: false, hasAudio: true)
        page.send(.player(index: 0, .opened(facts)))
        page.send(.player(index: 0, .playing))
        for step in 0..<60 { page.send(.player(index: 0, .level(Float(step % 17) / 17))) }
        page.type("s")
        page.wait(.milliseconds(300))
        try check(page, "sound-\(columns)x\(rows)")
    }

    @Test func tooSmall() throws {
        try check(Page(columns: 30, rows: 10), "too-small-30x10")
    }

    @Test func emptyFeed() throws {
        try check(Page([], columns: 80, rows: 24), "empty-80x24")
    }

    @Test func help() throws {
        let page = Page()
        page.play()
        page.type("?")
        try check(page, "help-80x24")
    }
}

extension String {
    var trimmingRight: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
