import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// `--plain`: lines on the ordinary screen, and nothing that commands a terminal.
    @Suite struct PlainModeTests {
        private static let size = GridSize(columns: 80, rows: 24)

        /// flick in plain mode on a pseudo-terminal, and all its output.
        private final class Listener {
            let process: PTYProcess
            private(set) var bytes: [UInt8] = []
            private let state = TemporaryFolder()
            var text: String { String(decoding: bytes, as: UTF8.self) }
            var lines: [String] { text.split(whereSeparator: \.isNewline).map(String.init) }

            init(_ words: [String], environment: [String: String] = [:]) throws {
                process = try PTYProcess(
                    words, size: PlainModeTests.size,
                    environment: [
                        "SDL_AUDIODRIVER": "dummy", "XDG_STATE_HOME": state.path, "XDG_CACHE_HOME": state.path,
                    ].merging(environment) { $1 })
            }

            /// Waits for a line that holds `part`, among those that come from now on.
            func expect(_ part: String, _ body: () -> Void = {}) throws {
                let before = bytes.count
                body()
                var isThere = false
                process.read(for: .seconds(10)) { new in
                    bytes += new
                    isThere = String(decoding: bytes[before...], as: UTF8.self).contains(part)
                    return !isThere
                }
                try #require(isThere, "\(part) after:\n\(text.suffix(2_000))")
            }

            func quit() -> Int32 {
                process.type("q")
                return finish()
            }

            func finish() -> Int32 {
                process.read(for: .seconds(10)) { new in
                    bytes += new
                    return true
                }
                return process.finish(within: .seconds(5))
            }
        }

        private func browse(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> Listener {
            try Listener(
                [FlickBinary.path, "--plain", "--no-audio"] + arguments + [DemoFeed.path], environment: environment)
        }

        /// Only text and line ends: no escape sequence, no other control character.
        private func expectNothingButLines(_ listener: Listener) {
            let controls = Set(listener.bytes.filter { $0 < 0x20 || $0 == 0x7F })
            #expect(controls.subtracting([0x0A, 0x0D]).isEmpty, "\(controls)")
            #expect(String(validating: listener.bytes, as: UTF8.self) != nil)
        }

        @Test func eachKeyHasItsLineAndNoByteCommandsTheTerminal() throws {
            let flick = try browse()
            let titles = try DemoFeed.shared.get().items.map(\.title)
            try flick.expect("playing")
            #expect(flick.text.contains("1 of 10: \(titles[0])"))
            for (key, line) in [
                ("\u{1B}[B", "2 of 10: \(titles[1])"), ("j", "3 of 10: \(titles[2])"),
                ("\u{1B}OA", "2 of 10: \(titles[1])"), (" ", "paused at 0:0"), (" ", "playing"), ("5", " of 0:"),
                ("\u{1B}[C", " of 0:"), ("l", "Liked"), ("s", "Saved"), ("m", "Muted"), ("m", "Volume"),
                ("-", "Volume"), ("]", "Speed"),
                ("?", "next page"), ("\u{1B}", "closed"), ("I", "Diagnostics"), ("I", "closed"), ("M", "This clip"),
                ("\u{1B}", "closed"), ("y", "no clipboard"), ("\u{0C}", "2 of 10"), ("\u{1B}[24~", "does nothing"),
                ("/", "Find"), ("aur", "found"), ("\r", "find: aur"), ("G", "10 of 10"), ("j", "last clip"),
            ] {
                try flick.expect(line) { flick.process.type(key) }
            }
            // A resize says nothing, and asks the terminal nothing.
            let count = flick.bytes.count
            flick.process.resize(to: GridSize(columns: 30, rows: 8))
            try flick.expect("paused") { flick.process.type(" ") }
            #expect(flick.bytes.count - count < 40)
            #expect(flick.quit() == 0)
            #expect(flick.process.modes == flick.process.modesBefore)
            expectNothingButLines(flick)
        }

        @Test(arguments: ["dumb", "", "no-such-terminal", "wyse60", "linux", "kitty"])
        func anyTerminalWillDo(_ name: String) throws {
            let flick = try browse(environment: ["TERM": name])
            try flick.expect("playing")
            try flick.expect("2 of 10") { flick.process.type("j") }
            #expect(flick.quit() == 0)
            expectNothingButLines(flick)
        }

        @Test func terminalWithoutACursorIsPointedToPlainMode() throws {
            let flick = try Listener(
                [FlickBinary.path, "--no-audio", DemoFeed.path], environment: ["TERM": "dumb"])
            #expect(flick.finish() == 1 << 8)
            #expect(flick.text.contains("flick --plain"))
        }

        /// The lines may go elsewhere; the keys come from the terminal.
        @Test func throughAPipe() throws {
            let folder = TemporaryFolder()
            let file = folder.path + "/lines"
            let flick = try Listener([
                "sh", "-c", "\"$0\" --plain --no-audio \"$1\" | cat >\"$2\"; echo ended", FlickBinary.path,
                DemoFeed.path,
                file,
            ])
            func wait(for part: String) throws {
                #expect(holds(within: .seconds(10)) { fileText(file)?.contains(part) ?? false }, "\(part)")
            }
            try wait(for: "playing\n")
            flick.process.type("j")
            try wait(for: "2 of 10")
            flick.process.type("q")
            try flick.expect("ended")
            #expect(flick.finish() == 0)
            #expect(flick.process.modes == flick.process.modesBefore)
            let text = try #require(fileText(file))
            #expect(text.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A } && text.hasPrefix("flick: ? lists the keys"))
            // Nothing of it on the terminal itself.
            #expect(flick.lines == ["ended"])
        }

        @Test(arguments: [SIGINT, SIGTERM, SIGSEGV, SIGHUP])
        func aSignalGivesTheLineBack(_ signal: Int32) throws {
            let flick = try browse()
            try flick.expect("playing")
            #expect(flick.process.modes != flick.process.modesBefore)
            #expect(kill(flick.process.pid, signal) == 0)
            let status = flick.finish()
            #expect(signal == SIGSEGV ? status & 0x7F == signal : status == (128 + signal) << 8)
            #expect(flick.process.modes == flick.process.modesBefore)
            expectNothingButLines(flick)
        }

        @Test func resumingPrintsThePageAgain() throws {
            let terminal = try TmuxTerminal(.shell, size: Self.size)
            defer { terminal.close() }
            try terminal.waitUntil("the prompt") { $0.contains("$") }
            try terminal.type("'\(FlickBinary.path)' --plain --no-audio '\(DemoFeed.path)'\r")
            try terminal.waitUntil("the page") { $0.contains("playing") }
            #expect(try terminal.modes() == .plain)
            try terminal.press("C-z")
            try terminal.waitUntil("the shell") { $0.contains("Stopped") }
            try terminal.type("clear; fg\r")
            try terminal.waitUntil("the page again") { $0.contains("1 of 10") && !$0.contains("Stopped") }
            try terminal.press("q")
            try terminal.waitUntil("the prompt") { $0.rows.last { !$0.isEmpty }?.hasPrefix("$") ?? false }
            try terminal.type("echo status $?\r")
            try terminal.waitUntil("its status") { $0.contains("status 0") }
        }

        /// Sound is what plain mode is for: it plays as elsewhere, though no picture is ever seen.
        @Test func soundPlays() throws {
            let flick = try FlickSession(["--plain", TestClips.path(TestClips.short)], sound: .written)
            try flick.waitForTrace("first_frame")
            #expect(try flick.waitForTrace("start").surface == "plain")
            try flick.terminal.wait("three seconds of sound") {
                (FileManager.default.contents(atPath: flick.soundFile)?.count ?? 0) > 3 * 48_000 * 4
            }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            let sound = WrittenSound(path: flick.soundFile)
            #expect(sound.loudness(of: TestClips.short.tone).filter { $0 > 0.05 }.count > 200)
        }

        @Test func textsOfAFeedCommandNothing() throws {
            let folder = TemporaryFolder()
            let bad = "\u{1B}]0;owned\u{7}\u{1B}[2Jred\u{9B}31m\r\n\u{202E}back"
            let item: [String: Any] = [
                "id": "x", "url": DemoFeed.path.replacingOccurrences(of: "feed.json", with: "aurora.mp4"), "title": bad,
                "description": bad, "creator": ["name": bad], "tags": [bad],
                "trust": ["score": 5, "label": bad, "reasons": [bad]],
            ]
            let manifest = try folder.write(
                "feed.json", JSONSerialization.data(withJSONObject: ["title": bad, "items": [item]]))
            let flick = try Listener([FlickBinary.path, "--plain", "--no-audio", manifest])
            try flick.expect("playing")
            for (key, line) in [
                ("T", "provided"), ("\u{1B}", "closed"), ("f", "Following"), ("e", "red"), ("I", "Diag"),
                ("\u{1B}", "closed"),
            ] {
                try flick.expect(line) { flick.process.type(key) }
            }
            #expect(flick.quit() == 0)
            expectNothingButLines(flick)
        }
    }
}
