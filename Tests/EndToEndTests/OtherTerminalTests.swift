import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Terminals that are not like xterm: terminfo describes them, ncurses drives them.
    @Suite struct OtherTerminalTests {
        @Test func aPasteWithControlCharactersDoesNothing() throws {
            let folder = TemporaryFolder()
            let trace = folder.path + "/trace"
            let flick = try PTYProcess(
                [FlickBinary.path, "--no-audio", "--trace", trace, DemoFeed.path], size: .common)
            func waits(for text: String) -> Bool {
                var isThere = false
                for _ in 0..<200 where !isThere {
                    flick.read(for: .milliseconds(50)) { _ in true }
                    // The file does not exist before flick has started.
                    isThere = fileText(trace)?.contains(text) ?? false
                }
                return isThere
            }
            #expect(waits(for: "first_frame"))
            flick.type("\u{1B}[200~q\u{3}q\u{1A}\u{1C}\u{4}\u{1B}[201~")
            flick.type("j")
            #expect(waits(for: "\"from\":0,\"to\":1"))
            flick.type("\u{3}")
            #expect(flick.finish(within: .seconds(10)) >> 8 == 130)
        }

        /// A Wyse 60 has no ECMA-48, and sends control characters for its arrows.
        @Test func aWyse60ShowsPagesAndSheetsAndIsGivenBack() throws {
            let flick = try PTYProcess(
                [FlickBinary.path, "--no-audio", DemoFeed.path], size: .common, environment: ["TERM": "wyse60"])
            var screen = WyseTerminal(size: .common)

            func wait(_ what: String, until isMet: (WyseTerminal) -> Bool) throws {
                var fault: (any Error)?
                flick.read(for: .seconds(10)) { bytes in
                    do { try screen.feed(bytes) } catch { fault = error }
                    return fault == nil && !isMet(screen)
                }
                if let fault { throw fault }
                try #require(isMet(screen), "\(what); the screen was:\n\(screen.text)")
            }

            try wait("a page with a picture") { screen in
                screen.rows[0].contains("1/10") && screen.text.filter { $0 != " " && $0 != "\n" }.count > 600
            }
            #expect(!screen.isCursorShown)
            flick.type("\n")
            try wait("the next page, by its Down key") { $0.rows[0].contains("2/10") }
            flick.type("\u{B}")
            try wait("the page before, by its Up key") { $0.rows[0].contains("1/10") }
            flick.type("\u{1B}K")
            try wait("the next page, by its Next Page key") { $0.rows[0].contains("2/10") }
            flick.type("?")
            try wait("the sheet of keys") { $0.contains(" Keys ") }
            flick.type("\u{1B}")
            try wait("no sheet, after Escape") { !$0.contains(" Keys ") }
            flick.type(" ")
            try wait("the paused badge") { $0.rows[0].contains("|| paused") }
            #expect(screen.scrolls == 0)
            flick.type("q")
            var rest: [UInt8] = []
            flick.read(for: .seconds(5)) { bytes in
                rest += bytes
                return true
            }
            #expect(flick.finish(within: .seconds(5)) == 0)
            try screen.feed(rest)
            #expect(screen.isCursorShown)
            #expect(flick.modes == flick.modesBefore)
        }

        @Test(
            arguments: ["vt100", "vt220", "linux", "rxvt", "screen", "xterm-256color", "xterm-16color"],
            ["direct", "ncurses"])
        func anyTerminalShowsPagesAndSheetsAndIsGivenBack(_ term: String, _ output: String) throws {
            let terminal = try TmuxTerminal(
                .program(["env", "TERM=\(term)", FlickBinary.path, "--no-audio", "--output", output, DemoFeed.path]),
                size: .common, environment: ["SDL_AUDIODRIVER": "dummy", "COLORTERM": ""])
            defer { terminal.close() }
            let screen = try terminal.waitUntil("a page with a picture") { screen in
                screen.rows[0].contains("1/10")
                    && screen.meanColor(of: GridRect(column: 10, row: 4, columns: 60, rows: 12)) != .black
                    || screen.rows[0].contains("1/10") && screen.text.filter { $0 != " " && $0 != "\n" }.count > 600
            }
            if term.hasPrefix("vt") {
                let isASCII = screen.text.allSatisfy { $0.isASCII }
                #expect(isASCII && screen.cells.allSatisfy { $0.foreground == nil && $0.background == nil })
            }
            try terminal.press("Down")
            try terminal.waitUntil("the next page") { $0.rows[0].contains("2/10") }
            try terminal.press("?")
            try terminal.waitUntil("the sheet of keys") { $0.contains(" Keys ") }
            try terminal.press("Escape")
            try terminal.waitUntil("no sheet") { !$0.contains(" Keys ") }
            try terminal.press("C-c")
            #expect(try terminal.waitForExit() == 130)
            #expect(terminal.modesBefore != nil && terminal.modesBefore == terminal.modesAfter)
            try terminal.wait("plain modes") { try terminal.modes() == .plain }
            #expect(try terminal.capture().rows.allSatisfy(\.isEmpty), "nothing is left on the screen")
        }

        @Test func noECMA48IsSentToATerminalWithoutIt() throws {
            let terminal = try TmuxTerminal(
                .program(["env", "TERM=wyse60", FlickBinary.path, "--no-audio", "--output", "direct", DemoFeed.path]),
                size: .common)
            defer { terminal.close() }
            #expect(try terminal.waitForExit() == 1)
            #expect(terminal.errors.contains("wyse60") && terminal.errors.filter { $0 == "\n" }.count == 1)
        }
    }
}
