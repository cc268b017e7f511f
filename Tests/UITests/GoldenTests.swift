import Model
import Testing

@testable import UI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Screens stored as text: first what a person reads, then colours, styles and shade (`looks`). After an intended
/// change, make them again with `FLICK_REGENERATE=1 swift test --filter UITests`, and read the difference.
struct GoldenTests {
    static let sizes = [(80, 24), (200, 60), (40, 12)]

    private func check(_ page: Page, _ name: String, at location: SourceLocation = #_sourceLocation) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
        let file = folder.appending(path: "\(name).txt")
        let grid = draw(page.state, now: page.now).overlay
        let text =
            rows(of: grid).map { $0.trimmingRight + "|" }.joined(separator: "\n") + "\n"
            + looks(of: grid, theme: page.state.theme)
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

    /// An upright picture in the middle of the page, a wide one on an upright page.
    @Test(arguments: [(80, 24, 27, 48), (200, 60, 68, 120), (40, 12, 14, 24), (60, 50, 60, 34), (120, 40, 80, 80)])
    func wholePicture(columns: Int, rows: Int, width: Int, height: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.play(position: .seconds(7), picture: PixelSize(width: width, height: height))
        try check(page, "whole-\(columns)x\(rows)")
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
            .player(
                "v1",
                .failed(
                    "cut off: its index is missing", advice: "fetch or record it again", detail: "moov atom not found"))
        )
        try check(page, "failed-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func menuInASCIIWithoutColour(columns: Int, rows: Int) throws {
        var options = Options()
        options.pictureMode = .ascii
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
        page.send(.player("v1", .opened(facts)))
        page.send(.player("v1", .playing))
        for step in 0..<60 { page.send(.player("v1", .level(Float(step % 17) / 17))) }
        page.type("s")
        page.wait(.milliseconds(300))
        try check(page, "sound-\(columns)x\(rows)")
    }

    /// Two cached parts that end in the middle of cells, and the part that the decoder has buffered.
    @Test(arguments: sizes, [ColorMode.truecolor, .mono]) func availableParts(size: (Int, Int), color: ColorMode) throws
    {
        var options = Options()
        options.color = color
        let page = Page(columns: size.0, rows: size.1, options: options)
        page.play(position: .seconds(6))
        page.send(.player("v1", .cached([0.05...0.1, 0.452...0.603, 0.72...0.931])))
        page.send(.player("v1", .buffered(until: .seconds(7.7))))
        try check(page, "available-\(size.0)x\(size.1)\(color == .mono ? "-mono" : "")")
    }

    @Test func availablePartsInASCII() throws {
        var options = Options()
        options.pictureMode = .ascii
        let page = Page(options: options)
        page.play(position: .seconds(6))
        page.send(.player("v1", .cached([0.05...0.1, 0.452...0.603, 0.72...0.931])))
        try check(page, "available-80x24-ascii")
    }

    @Test(arguments: sizes) func stalled(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.play(position: .seconds(6))
        page.send(.player("v1", .stalled(true)))
        page.wait(.milliseconds(400))
        try check(page, "stalled-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func delayed(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.send(.player("v1", .waits(ClipWait(place: "video.example", isRemote: true, share: 0.384, speed: 40_960))))
        page.wait(.milliseconds(400))
        try check(page, "delayed-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func longToast(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.play(position: .seconds(6))
        page.send(
            .notice(
                "cannot cache clips: '/home/me/.cache/flick': permission denied; they are downloaded each time"))
        page.wait(.milliseconds(400))
        try check(page, "notice-\(columns)x\(rows)")
    }

    @Test func diagnosticsBeforeAnythingIsMeasured() throws {
        let page = Page()
        page.play(position: .seconds(6))
        page.send(.player("v1", .diagnostics(Diagnostics())))
        page.type("I")
        #expect(!page.screen.contains { $0.contains("rate") || $0.contains("0 × 0") })
    }

    @Test(arguments: sizes) func diagnosticsOfANetworkClip(columns: Int, rows: Int) throws {
        var item = Page.feed[0]
        item.url = "https://example.org/v1/master.m3u8"
        let page = Page([item], columns: columns, rows: rows)
        page.play(position: .seconds(6))
        page.send(.player("v1", .cached([0...0.25, 0.5...0.62])))
        var figures = Diagnostics()
        figures.throughput = 2_140_000
        figures.ahead = .seconds(3.26)
        figures.variant = ClipVariant(
            size: PixelSize(width: 640, height: 360), bitrate: 803_000, why: "the smallest covering the page")
        figures.loudness = ClipLoudness(loudness: -23.1, gain: 7.1, origin: .partial)
        page.send(.player("v1", .diagnostics(figures)))
        page.type("I")
        try check(page, "network-\(columns)x\(rows)")
    }

    @Test func tooSmall() throws {
        try check(Page(columns: 30, rows: 10), "too-small-30x10")
    }

    @Test func emptyFeed() throws {
        try check(Page([], columns: 80, rows: 24), "empty-80x24")
    }

    @Test(arguments: sizes) func help(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.play()
        page.type("?")
        try check(page, "help-\(columns)x\(rows)")
    }

    private func discussed(_ columns: Int, _ rows: Int, options: Options = Options()) -> Page {
        let page = Page(columns: columns, rows: rows, options: options)
        page.play(position: .seconds(7))
        page.send(.service(takesComments: true))
        page.type("c")
        func comment(_ id: String, _ name: String?, _ text: String, ago: Double, under parent: String? = nil)
            -> Model.Comment
        {
            Model.Comment(
                id: id, name: name, text: text, at: Page.midnight.addingTimeInterval(-ago), parent: parent)
        }
        page.send(
            .comments(
                "v1", after: nil,
                CommentPage(
                    comments: [
                        comment("a", "田中さくら", "水餃子はどこですか？ The ones with the red lanterns in front, I think.", ago: 190),
                        comment("b", "Mira Okafor", "Yes, the third stall behind the gate.", ago: 65, under: "a"),
                        comment("c", nil, "First!\u{1B}[31m\u{202E} \u{7}", ago: 7_300),
                        comment(
                            "d", "A name that is much longer than any comment ought to have", "👍🏿\n\nTwo lines.",
                            ago: 90_000),
                    ], next: "2", total: 1_234)))
        return page
    }

    @Test(arguments: sizes) func comments(columns: Int, rows: Int) throws {
        let page = discussed(columns, rows)
        page.type(":")
        for character in "Thank you!" { page.type(character) }
        page.press(.enter)
        page.press(.down)
        try check(page, "comments-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func anAnswerIsWritten(columns: Int, rows: Int) throws {
        let page = discussed(columns, rows)
        page.type("r")
        page.send(
            .paste(
                "I went there on Sunday. 三番目の屋台 is closed then,\nthe one beside it is as good, and has tables inside."))
        try check(page, "answer-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func aMessageIsBegun(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.play(position: .seconds(7))
        page.send(.service(takesComments: true))
        try check(page, "service-\(columns)x\(rows)")
        page.type(":")
        try check(page, "message-\(columns)x\(rows)")
    }

    @Test func aMessageInASCIIWithoutColour() throws {
        var options = Options()
        options.pictureMode = .ascii
        options.color = .mono
        let page = discussed(80, 24, options: options)
        page.press(.enter)
        page.send(.paste("plain"))
        page.press(.left)
        try check(page, "answer-ascii-80x24")
    }

    @Test(arguments: sizes + [(120, 40)]) func wholeCaptionWithLinks(columns: Int, rows: Int) throws {
        var item = Page.feed[0]
        let words = "Steam, neon and forty kinds of dumplings. "
        item.text =
            "Sponsored by https://example.org/offer (use the code FLICK).\n\n" + String(repeating: words, count: 90)
            + "\nhttps://example.org/" + String(repeating: "a-long-address/", count: 6)
        let page = Page([item], columns: columns, rows: rows)
        page.play(position: .seconds(7))
        page.type("e")
        page.press(.tab)
        try check(page, "caption-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func clipsAreFound(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.play(position: .seconds(7))
        page.type("/")
        for character in "ra" { page.type(character) }
        page.press(.backspace)
        page.press(.backspace)
        page.type("a")
        page.press(.down)
        try check(page, "found-\(columns)x\(rows)")
    }

    @Test(arguments: sizes) func theCreatorsClipsAsStills(columns: Int, rows: Int) throws {
        for color in [ColorMode.truecolor, .mono] where color == .truecolor || columns == 80 {
            var options = Options()
            (options.color, options.pictureMode) = (color, color == .mono ? .ascii : .half)
            let clips = (0..<30).map { number in
                Item(
                    id: "\(number)", url: "file:///clips/\(number).mp4",
                    title: ["Night market in the rain", "東京の夜、雨のあと", "plain"][number % 3] + " \(number)",
                    creator: .init(id: "c", name: "Mira Okafor"))
            }
            let page = Page(clips, columns: columns, rows: rows, options: options)
            page.play(position: .seconds(7))
            page.type("u")
            page.send(.part(.creator(key: "c", id: "c", name: "Mira Okafor"), clips))
            page.press(.right)
            try check(page, "stills-\(color == .mono ? "ascii-" : "")\(columns)x\(rows)")
        }
    }

    @Test(arguments: Theme.Name.allCases, ["playing", "menu", "empty", "failed"])
    func themes(theme: Theme.Name, scene: String) throws {
        var options = Options()
        options.theme = theme
        let page = Page(scene == "empty" ? [] : Page.feed, options: options)
        switch scene {
        case "playing": page.play(position: .seconds(7))
        case "menu":
            page.play()
            page.type("s")
            page.type("M")
            page.wait(.milliseconds(300))
        case "failed": page.send(.player("v1", .failed("no media that can be read")))
        default: break
        }
        try check(page, "theme-\(theme.rawValue)-\(scene)")
    }
}

extension String {
    var trimmingRight: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
