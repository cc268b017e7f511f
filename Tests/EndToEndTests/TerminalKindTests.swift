import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Terminals with fewer colours, fewer characters or less speed.
    @Suite struct TerminalKindTests {
        private func browse(_ arguments: [String], _ environment: [String: String] = [:]) throws -> FlickSession {
            try FlickSession(
                arguments + ["--reduced-motion", TestClips.path(TestClips.short)], environment: environment)
        }

        /// All colours on a screen; nil is the terminal's default.
        private func colors(_ screen: CapturedScreen) -> Set<RGB?> {
            Set(screen.cells.flatMap { [$0.foreground, $0.background] })
        }

        @Test(arguments: [["--color", "mono"], []])
        func withoutColoursNoneAreUsed(_ arguments: [String]) throws {
            let flick = try browse(arguments, arguments.isEmpty ? ["NO_COLOR": "1"] : [:])
            let screen = try flick.terminal.waitUntil("the page") { $0.rows[0].contains("1/1") && $0.contains("█") }
            #expect(colors(screen) == [nil])
            #expect(try flick.trace("start").first?.color == "mono")
            try flick.terminal.press("Space")
            try flick.terminal.waitUntil("the paused badge") { $0.rows[0].contains("paused") }
        }

        @Test(arguments: [("256", 256), ("16", 16)])
        func theLimitOfColoursIsKept(_ color: String, most: Int) throws {
            let flick = try browse(["--color", color])
            let screen = try flick.terminal.waitUntil("a picture with its code") { $0.frameCode() != nil }
            #expect(colors(screen).count <= most + 1 && colors(screen).count > 3)
            let palette: Set<RGB?> = Set((0..<256).map { CapturedScreen.palette($0) } + [nil])
            #expect(colors(screen).isSubset(of: palette))
        }

        @Test func inASCIIModeEveryCharacterIsASCII() throws {
            let flick = try browse(["--surface", "ascii"])
            let screen = try flick.terminal.waitUntil("the page") { screen in
                screen.rows[0].contains("1/1") && screen.text.filter { $0 != " " && $0 != "\n" }.count > 400
            }
            let isASCII = screen.text.allSatisfy { $0.isASCII }
            #expect(isASCII)
            try flick.terminal.press("Space")
            try flick.terminal.waitUntil("the paused badge") { $0.rows[0].contains("|| paused") }
        }

        @Test func pixelsBlockedByTmuxFallBackToBlocksWithANotice() throws {
            let flick = try browse(["--surface", "kitty"], ["TMUX": "/nowhere,1,0"])
            try flick.terminal.waitUntil("the notice") { $0.contains("No pixel graphics in this terminal") }
            #expect(try flick.trace("start").first?.surface == "half")
        }

        @Test func anUnknownTerminalIsReportedInOneLine() throws {
            let terminal = try TmuxTerminal(
                .program(["env", "TERM=unheard-of", FlickBinary.path, "--no-audio", DemoFeed.path]), size: .common)
            defer { terminal.close() }
            #expect(try terminal.waitForExit() == 1)
            #expect(terminal.errors.contains("unheard-of") && terminal.errors.filter { $0 == "\n" }.count == 1)
            #expect(terminal.modesBefore == terminal.modesAfter)
        }

        /// The line needs longer for a picture than the clip shows it: fewer pictures are shown, but some are.
        @Test func onASlowLineTheFirstPictureIsStillReported() throws {
            let folder = TemporaryFolder()
            let trace = folder.path + "/trace"
            let flick = try PTYProcess(
                [FlickBinary.path, "--no-audio", "--trace", trace] + EndToEnd.output
                    + [TestClips.path(TestClips.short)], size: .large)
            var isNoticed = false
            flick.read(for: .seconds(4)) { bytes in
                // The speed of the line: 500 KB a second.
                Thread.sleep(forTimeInterval: Double(bytes.count) / 500_000)
                let text = FileManager.default.contents(atPath: trace) ?? Data()
                isNoticed = text.range(of: Data("\"ev\":\"first_frame\"".utf8)) != nil
                return !isNoticed
            }
            flick.type("q")
            flick.finish(within: .seconds(5))
            #expect(isNoticed)
        }
    }
}
