import Model
import TerminalInput
import Testing

@testable import Screen

@Suite struct CapabilitiesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var environment: [String: String]
        var colors = 256
        var direct = false
        var mode: ColorMode
        var testDescription: String { "\(environment) colors=\(colors) RGB=\(direct)" }
    }

    @Test(arguments: [
        Case(environment: ["TERM": "xterm-256color"], mode: .palette256),
        Case(environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"], mode: .truecolor),
        Case(environment: ["TERM": "xterm", "COLORTERM": "24bit"], colors: 8, mode: .truecolor),
        Case(environment: ["TERM": "xterm", "COLORTERM": "yes"], colors: 8, mode: .palette16),
        Case(environment: ["TERM": "xterm-16color"], colors: 16, mode: .palette16),
        Case(environment: ["TERM": "xterm-direct"], colors: 1 << 24, direct: true, mode: .truecolor),
        Case(environment: ["TERM": "tmux-256color"], direct: true, mode: .truecolor),
        Case(environment: ["TERM": "xterm-kitty"], mode: .truecolor),
        Case(environment: ["TERM": "xterm-256color", "VTE_VERSION": "3599"], mode: .palette256),
        Case(environment: ["TERM": "xterm-256color", "VTE_VERSION": "3600"], mode: .truecolor),
        Case(environment: ["TERM": "xterm-256color", "VTE_VERSION": "7200"], mode: .truecolor),
        Case(environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"], mode: .palette256),
        Case(environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], mode: .truecolor),
        Case(environment: ["TERM": "screen-256color", "TMUX": "x", "VTE_VERSION": "7200"], mode: .palette256),
        Case(environment: ["TERM": "screen", "TMUX": "x", "COLORTERM": "truecolor"], colors: 8, mode: .truecolor),
        Case(environment: ["TERM": "linux", "COLORTERM": "truecolor"], colors: 8, mode: .palette16),
        Case(environment: ["TERM": "vt100"], colors: -1, mode: .mono),
        Case(environment: ["TERM": "vt100", "COLORTERM": "truecolor"], colors: -1, mode: .mono),
        Case(environment: ["TERM": "xterm-mono"], colors: -1, mode: .mono),
        Case(environment: ["TERM": "xterm-kitty", "NO_COLOR": "1", "COLORTERM": "truecolor"], mode: .mono),
        Case(environment: ["TERM": "xterm-kitty", "NO_COLOR": ""], mode: .truecolor),
    ])
    func colorsFollowWhatTheTerminalSaysOfItself(_ entry: Case) {
        let mode = ColorChoice.mode(
            environment: TerminalEnvironment(entry.environment),
            terminfo: TerminfoFacts(colors: entry.colors, hasDirectColor: entry.direct))
        #expect(mode == entry.mode)
    }

    private func capabilities(_ environment: [String: String], color: ColorMode? = nil) -> Capabilities {
        Capabilities(
            environment: TerminalEnvironment(environment), terminfo: TerminfoFacts(colors: 256, hasRepeat: true),
            color: color)
    }

    @Test func identifiedTerminalGetsTruecolor() {
        var plain = capabilities(["TERM": "xterm-256color"])
        #expect(plain.color == .palette256)
        let changed = plain.apply(.version("kitty(0.40.1)"), isColorFixed: false)
        #expect(changed && plain.color == .truecolor && plain.version == "kitty(0.40.1)")
    }

    /// Behind an octant the cursor is in the second column, if it takes a cell.
    @Test func widthOfOctantsIsWhereTheCursorIsBehindOne() {
        for (column, isThere) in [(1, false), (2, true), (3, false)] {
            var terminal = capabilities(["TERM": "tmux-256color", "TMUX": "x"])
            #expect(terminal.hasOctants == nil)
            let reply = Reply.cursor(row: TerminalQueries.octantRow, column: column)
            let isNews = terminal.apply(reply, isColorFixed: false)
            #expect(isNews && terminal.hasOctants == isThere)
        }
        var other = capabilities(["TERM": "xterm-256color"])
        let isNews = other.apply(.cursor(row: 1, column: 1), isColorFixed: false)
        #expect(!isNews && other.hasOctants == nil)
    }

    /// Whatever has not been answered when the last answer comes is not there.
    @Test func pixelsRequireAReportedCapability() {
        var terminal = capabilities(["TERM": "xterm-kitty"])
        #expect(terminal.hasKittyGraphics == nil && terminal.readsSharedMemory == nil)
        let isNews = terminal.apply(.graphics(TerminalQueries.graphicsID, isOK: true), isColorFixed: false)
        #expect(isNews)
        _ = terminal.apply(.graphics(TerminalQueries.memoryID, isOK: false), isColorFixed: false)
        _ = terminal.apply(.deviceAttributes([62]), isColorFixed: false)
        #expect(terminal.hasKittyGraphics == true && terminal.readsSharedMemory == false)
        var other = capabilities(["TERM": "xterm-256color"])
        _ = other.apply(.deviceAttributes([62]), isColorFixed: false)
        #expect(other.hasKittyGraphics == false && other.readsSharedMemory == false)
    }

    @Test func picturesAreAskedForInOneWrite() throws {
        let environment = TerminalEnvironment(["TERM": "xterm-256color"])
        let text = String(
            decoding: TerminalQueries.questions(environment: environment, memory: "/flick"), as: UTF8.self)
        #expect(
            text.hasSuffix(
                "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}_Gi=32,s=1,v=1,a=q,t=s,f=24,S=3;L2ZsaWNr\u{1B}\\\u{1B}[c"
            ))
    }

    @Test func userChosenColorModeStays() {
        var fixed = capabilities(["TERM": "xterm-256color"], color: .palette256)
        _ = fixed.apply(.version("kitty(0.40.1)"), isColorFixed: true)
        #expect(fixed.color == .palette256)
    }

    @Test func insideTmuxTheTerminalsAnswersAreNotBelieved() {
        var inside = capabilities(["TERM": "tmux-256color", "TMUX": "/tmp/x,1,0"])
        #expect(inside.isMultiplexed && !inside.hasRepeat)
        _ = inside.apply(.deviceAttributes([62, 4]), isColorFixed: false)
        #expect(inside.attributes == [])
    }

    @Test(arguments: [(0, false), (1, true), (2, true), (3, true), (4, false)])
    func synchronisedUpdatesAreUsedOnlyWhenConfirmed(_ state: Int, _ isUsed: Bool) {
        var terminal = capabilities(["TERM": "foot"])
        #expect(!terminal.hasSynchronisedUpdate)
        _ = terminal.apply(.mode(2026, state: state), isColorFixed: false)
        #expect(terminal.hasSynchronisedUpdate == isUsed)
    }

    @Test func lightBackgroundIsDetected() {
        var terminal = capabilities(["TERM": "foot"])
        #expect(!terminal.isBackgroundLight)
        _ = terminal.apply(.background(RGB(0xFD, 0xF6, 0xE3)), isColorFixed: false)
        #expect(terminal.isBackgroundLight)
    }

    @Test(arguments: [
        (["LANG": "en_US.UTF-8"], true), (["LC_ALL": "C.utf8"], true), ([:], true), (["LANG": "C"], true),
        (["LANG": "de_DE.ISO-8859-1@euro"], false), (["LANG": "de_DE.UTF-8@euro"], true),
        (["LC_ALL": "en_US.UTF-8", "LANG": "ja_JP.eucJP"], true),
        (["TERM": "vt220"], false),
    ])
    func unicodeIsAssumedUnlessSomethingSaysOtherwise(_ environment: [String: String], _ isThere: Bool) {
        #expect(TerminalEnvironment(environment).hasUnicode == isThere)
    }
}

@Suite struct CellPixelsTests {
    @Test(arguments: [
        (PixelSize(width: 10, height: 20), true), (PixelSize(width: 8, height: 8), true),
        (PixelSize(width: 5, height: 20), true), (PixelSize(width: 1, height: 7), false),
        (PixelSize(width: 0, height: 0), false), (PixelSize(width: 20, height: 10), false),
        (PixelSize(width: 5, height: 21), false), (PixelSize(width: 1000, height: 2000), false),
    ])
    func implausibleCellSizesAreIgnored(_ cell: PixelSize, _ isBelieved: Bool) {
        #expect((CellPixels.plausible(cell) != nil) == isBelieved)
    }

    @Test func aCellIsTheAreaSharedOut() {
        let grid = GridSize(columns: 80, rows: 24)
        #expect(
            CellPixels.cell(area: PixelSize(width: 800, height: 480), grid: grid) == PixelSize(width: 10, height: 20))
        #expect(CellPixels.cell(area: PixelSize(width: 0, height: 0), grid: grid) == nil)
        #expect(CellPixels.cell(area: PixelSize(width: .max, height: .max), grid: grid) == nil)
    }
}

@Suite struct ProbeTests {
    private func questions(_ environment: [String: String]) -> String {
        String(decoding: TerminalQueries.questions(environment: TerminalEnvironment(environment)), as: UTF8.self)
    }

    @Test func deviceAttributesComeLast() {
        let text = questions(["TERM": "xterm-256color"])
        #expect(text.hasSuffix("\u{1B}[c") && text.contains("\u{1B}[?2026$p") && text.contains("\u{1B}[16t"))
    }

    @Test func terminalsAreNotAskedWhatTheyWouldPrint() {
        #expect(questions(["TERM": "linux"]) == "")
        #expect(questions(["TERM": "vt100"]) == "\u{1B}[c")
        let apple = questions(["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"])
        #expect(!apple.contains("$p") && !apple.contains(">q"))
    }

    @Test func tmuxIsNotAskedForPixels() {
        #expect(!questions(["TERM": "tmux-256color"]).contains("14t"))
        let apple = questions(["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"])
        #expect(!apple.contains("_G") && !questions(["TERM": "tmux-256color"]).contains("_G"))
        #expect(!questions(["TERM": "xterm", "STY": "1"]).contains("_G"))
    }
}

@Suite struct TerminfoTests {
    @Test func pausesAreLeftOut() {
        #expect(Terminfo.withoutPadding(Array("a$<5>b$<50/>c$d".utf8)) == Array("abc$d".utf8))
        #expect(Terminfo.withoutPadding(Array("a$<5".utf8)) == Array("a$<5".utf8))
    }
}
