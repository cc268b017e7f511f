import Model
import TestSupport
import Testing

/// The test terminal itself, with programs simpler than flick.
@Suite struct TmuxTerminalTests {
    private let size = GridSize(columns: 40, rows: 12)

    @Test func coloursAndTextAreReadBack() throws {
        let text = "\\033[2J\\033[H\\033[38;2;255;0;0;48;2;0;0;255m\\342\\226\\200\\033[0m x\\n\\033[1;7m界\\033[0m|"
        let terminal = try TmuxTerminal(.program(["printf", text]), size: size)
        defer { terminal.close() }
        try terminal.waitForExit()
        let screen = try terminal.waitUntil("the text") { $0.contains("x") && $0.contains("|") }
        #expect(screen[0, 0].text == "▀")
        #expect(screen[0, 0].halves == (RGB(255, 0, 0), RGB(0, 0, 255)))
        #expect(screen.meanColor(of: GridRect(column: 0, row: 0, columns: 1, rows: 1)) == RGB(127, 0, 127))
        #expect(screen[2, 0].text == "x" && screen[2, 0].foreground == nil)
        #expect(screen[0, 1].text == "界" && screen[0, 1].isBold && screen[0, 1].isReversed)
        #expect(screen[1, 1].text == "" && screen[2, 1].text == "|")
        #expect(screen.size == size)
    }

    @Test func keysArriveAndTheStatusIsRead() throws {
        let terminal = try TmuxTerminal(.program(["sh", "-c", "read line; echo got $line; exit 7"]), size: size)
        defer { terminal.close() }
        try terminal.type("hé")
        try terminal.press("Enter")
        #expect(try terminal.waitForExit() == 7)
        try terminal.waitUntil("the echo") { $0.contains("got hé") }
        #expect(terminal.modesBefore != nil && terminal.modesBefore == terminal.modesAfter)
    }

    @Test func changedLineModesAreNoticed() throws {
        let terminal = try TmuxTerminal(.program(["stty", "-echo"]), size: size)
        defer { terminal.close() }
        #expect(try terminal.waitForExit() == 0)
        #expect(terminal.modesBefore != terminal.modesAfter)
    }

    @Test func modesLeftOnAreNoticed() throws {
        let terminal = try TmuxTerminal(
            .program(["printf", "\\033[?1049h\\033[?25l\\033[?1002h\\033[?1h"]), size: size)
        defer { terminal.close() }
        try terminal.waitForExit()
        try terminal.wait("the modes") {
            try terminal.modes()
                == TmuxTerminal.Modes(
                    isAlternate: true, isCursorShown: false, reportsMouse: true, isKeypadApplication: true)
        }
    }

    @Test func resizingReachesTheProgram() throws {
        let terminal = try TmuxTerminal(
            .program(["sh", "-c", "trap 'stty size' WINCH; echo ready; while :; do read x; done"]), size: size)
        defer { terminal.close() }
        try terminal.waitUntil("the trap") { $0.contains("ready") }
        try terminal.resize(to: GridSize(columns: 60, rows: 20))
        try terminal.press("Enter")
        try terminal.waitUntil("the new size") { $0.contains("20 60") }
    }

    @Test func childrenAreFound() throws {
        let terminal = try TmuxTerminal(.program(["sh", "-c", "sleep 1000; true"]), size: size)
        defer { terminal.close() }
        let pid = try terminal.panePID()
        try terminal.wait("the sleeper") { try ProcessTable.descendants(of: pid).contains { $0.name == "sleep" } }
        let sleeper = try #require(try ProcessTable.descendants(of: pid).first { $0.name == "sleep" })
        try terminal.closePane()
        try terminal.wait("its end") { try !ProcessTable.isAlive(sleeper.pid) }
    }
}
