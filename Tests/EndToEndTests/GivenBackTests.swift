import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// flick restores the terminal whatever ends it, and leaves no decoder behind.
    @Suite struct GivenBackTests {
        private static let size = GridSize(columns: 80, rows: 24)
        private static let name = String(URL(fileURLWithPath: FlickBinary.path).lastPathComponent.prefix(15))

        /// flick, browsing the demo feed without sound, once its page is visible.
        private func browse() throws -> (terminal: TmuxTerminal, pid: Int32) {
            let terminal = try TmuxTerminal(
                .program([FlickBinary.path, "--no-audio"] + EndToEnd.output + [DemoFeed.path]), size: Self.size,
                environment: ["SDL_AUDIODRIVER": "dummy"])
            try terminal.waitUntil("the page") { $0.contains("1/10") }
            let pid = try terminal.panePID()
            let flick = try #require(try ProcessTable.descendants(of: pid).first { $0.name == Self.name })
            return (terminal, flick.pid)
        }

        /// Line, screen, cursor, mouse and keypad are as before, and no process of flick is alive.
        private func expectGivenBack(_ terminal: TmuxTerminal, decoders: [Int32], echo: String = "") throws {
            #expect(terminal.modesBefore != nil && terminal.modesBefore == terminal.modesAfter)
            // tmux may not have read flick's last bytes yet.
            try terminal.wait("plain modes") { try terminal.modes() == .plain }
            let screen = try terminal.capture()
            #expect(screen.rows.allSatisfy { $0.isEmpty || $0 == echo }, "this is left on the screen:\n\(screen.text)")
            try terminal.wait("the decoders' end", within: .seconds(2)) {
                try decoders.allSatisfy { try !ProcessTable.isAlive($0) }
            }
        }

        private func decoders(of pid: Int32) throws -> [Int32] {
            let decoders = try ProcessTable.descendants(of: pid).map(\.pid)
            #expect(!decoders.isEmpty, "a page that plays has a decoder")
            return decoders
        }

        @Test(arguments: ["q", "C-c"])
        func quitKeyRestoresTheTerminal(_ key: String) throws {
            let (terminal, pid) = try browse()
            defer { terminal.close() }
            let decoders = try decoders(of: pid)
            try terminal.press(key)
            #expect(try terminal.waitForExit() == (key == "q" ? 0 : 130))
            try expectGivenBack(terminal, decoders: decoders)
        }

        /// All signals that end a process by default (signal(7)), except
        /// SIGKILL, and those that flick ignores: SIGPIPE and SIGXFSZ.
        private static let deadly: [Int32] = {
            var signals = [
                SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP, SIGQUIT, SIGFPE, SIGSYS, SIGXCPU,
                SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF,
            ]
            #if os(Linux)
                // 16 is SIGSTKFLT. Of the real-time signals (34 to 64) the first, the last and one between.
                signals += [SIGIO, SIGPWR, 16, 34, 48, 64]
            #endif
            return signals
        }()

        @Test(arguments: deadly)
        func signalRestoresTheTerminal(_ signal: Int32) throws {
            let (terminal, pid) = try browse()
            defer { terminal.close() }
            let decoders = try decoders(of: pid)
            #expect(kill(pid, signal) == 0)
            #expect(try terminal.waitForExit() == 128 + Int(signal))
            try expectGivenBack(terminal, decoders: decoders)
        }

        /// The system may run the handler on any thread, while the main thread is about to send something.
        @Test(arguments: 0..<3) func signalOnAnotherThreadRestoresTheTerminal(_: Int) throws {
            let (terminal, pid) = try browse()
            defer { terminal.close() }
            let decoders = try decoders(of: pid)
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
                .compactMap { Int32($0) }
            // Of the threads of a process, that one is preferred.
            #expect(kill(try #require(threads.first { $0 != pid }), SIGUSR1) == 0)
            #expect(try terminal.waitForExit() == 128 + Int(SIGUSR1))
            try expectGivenBack(terminal, decoders: decoders)
        }

        /// The line echoes what the terminal still answers once the shell's modes are back.
        @Test(arguments: [60, 400])
        func signalDuringQueriesRestoresTheTerminal(roundTripInMilliseconds: Int) throws {
            let folder = TemporaryFolder()
            let program = try PTYProcess(
                ["/bin/sh", "-c", "\"$FLICK\" --no-audio \"$CLIP\"; sleep 2"], size: Self.size,
                environment: ["XDG_CACHE_HOME": folder.path, "FLICK": FlickBinary.path, "CLIP": DemoFeed.path])
            let link = SlowLink(rate: 12_500_000, roundTrip: .milliseconds(roundTripInMilliseconds), buffer: 256 << 10)
            let terminal = DistantTerminal(program, size: Self.size, link: link)
            #expect(terminal.run(for: .seconds(10), until: "1/10"))
            // Each picture is followed by a question. The answer to this one is on its way.
            #expect(terminal.run(for: .seconds(10), until: "\u{1B}[5n"))
            let flick = try #require(try ProcessTable.descendants(of: program.pid).first { $0.name == Self.name })
            #expect(kill(flick.pid, SIGUSR2) == 0)
            #expect(!terminal.run(for: .seconds(1.5), until: "^[["), "an answer was echoed")
        }

        @Test func quittingAtOnceRestoresTheTerminal() throws {
            let terminal = try TmuxTerminal(
                .program([FlickBinary.path, "--no-audio"] + EndToEnd.output + [DemoFeed.path]), size: Self.size)
            defer { terminal.close() }
            // Typed before the terminal has answered the queries, perhaps before flick has sent them.
            try terminal.press("q")
            #expect(try terminal.waitForExit() == 0)
            // The line itself may have echoed the key before flick started; an answer to a query would be longer.
            try expectGivenBack(terminal, decoders: [], echo: "q")
        }

        /// Whether a process's standard error is a terminal; nil where the system does not report it.
        private static func errorsGoToTheTerminal(of pid: Int32) -> Bool? {
            // A process that has ended, or one of another user, has no link to read.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/2"))?.hasPrefix("/dev/pts/")
        }

        /// A shell in which flick shows its first page.
        private static func startFromShell() throws -> TmuxTerminal {
            let terminal = try TmuxTerminal(.shell, size: size)
            do {
                try terminal.waitUntil("the prompt") { $0.contains("$") }
                try terminal.type(
                    "'\(FlickBinary.path)' --no-audio \(EndToEnd.output.joined(separator: " ")) '\(DemoFeed.path)'\r")
                try terminal.wait("the page") { try terminal.modes().isAlternate }
            } catch {
                terminal.close()
                throw error
            }
            return terminal
        }

        @Test func suspendingRestoresTheTerminal() throws {
            let terminal = try Self.startFromShell()
            defer { terminal.close() }
            let flick = try #require(
                try ProcessTable.descendants(of: terminal.panePID()).first { $0.name == Self.name })
            // A library's message must not land in the picture.
            try terminal.wait("errors in the log") { !(Self.errorsGoToTheTerminal(of: flick.pid) ?? false) }
            try terminal.press("C-z")
            try terminal.waitUntil("the shell") { $0.contains("Stopped") }
            #expect(try terminal.modes() == .plain)
            let stopped = try ProcessTable.descendants(of: terminal.panePID()).filter { $0.name == Self.name }
            #expect(stopped.allSatisfy { $0.state.hasPrefix("T") } && !stopped.isEmpty)
            #expect(Self.errorsGoToTheTerminal(of: flick.pid) ?? true)

            // The size can change meanwhile.
            try terminal.resize(to: GridSize(columns: 60, rows: 20))
            try terminal.type("fg\r")
            try terminal.wait("the page again") { try terminal.modes().isAlternate }
            try terminal.wait("errors in the log again") { !(Self.errorsGoToTheTerminal(of: flick.pid) ?? false) }
            try terminal.press("q")
            try terminal.wait("the shell again") { try terminal.modes() == .plain }
            try terminal.type("echo status $?\r")
            try terminal.waitUntil("its status") { $0.contains("status 0") }
        }

        /// bash sends SIGTERM and SIGCONT; flick is in the background then, and may not take the terminal.
        @Test(arguments: ["TERM", "HUP"]) func signalWhileSuspendedRestoresTheTerminal(signal: String) throws {
            let terminal = try Self.startFromShell()
            defer { terminal.close() }
            try terminal.press("C-z")
            try terminal.waitUntil("the shell") { $0.contains("Stopped") }
            try terminal.type("kill -\(signal) %1\r")
            try terminal.wait("its end") {
                try !ProcessTable.descendants(of: terminal.panePID()).contains { $0.name.hasPrefix("flick") }
            }
            #expect(try terminal.modes() == .plain)
            try terminal.type("echo still here\r")
            try terminal.waitUntil("the shell's answer") { $0.rows.contains { $0.hasPrefix("still here") } }
        }

        @Test func flickStoppedByAnotherProcessCanBeContinued() throws {
            let terminal = try Self.startFromShell()
            defer { terminal.close() }
            let flick = try #require(
                try ProcessTable.descendants(of: terminal.panePID()).first { $0.name == Self.name })
            #expect(kill(flick.pid, SIGTSTP) == 0)
            try terminal.waitUntil("the shell") { $0.contains("Stopped") }
            #expect(try terminal.modes() == .plain)
            try terminal.type("fg\r")
            try terminal.wait("the page again") { try terminal.modes().isAlternate }
            try terminal.press("q")
            try terminal.wait("the shell again") { try terminal.modes() == .plain }
        }

        @Test func continuingFillsAChangedSize() throws {
            let (terminal, pid) = try browse()
            defer { terminal.close() }
            #expect(kill(pid, SIGSTOP) == 0)
            try terminal.resize(to: GridSize(columns: 64, rows: 20))
            #expect(kill(pid, SIGCONT) == 0)
            try terminal.waitUntil("the page in its new size") { screen in
                // Five columns before its right edge, with the menu behind it; and in its last row.
                screen.size.rows == 20 && screen.find("1/10") == GridPoint(column: 55, row: 0)
                    && screen.rows[19].contains("0:12")
            }
            try terminal.press("q")
            #expect(try terminal.waitForExit() == 0)
        }

        @Test func quitsAfterContinuingOnABlockedTerminal() throws {
            let flick = try PTYProcess(
                [FlickBinary.path, "--no-audio"] + EndToEnd.output + [DemoFeed.path], size: Self.size)
            var received = 0
            flick.read(for: .seconds(10)) { bytes in
                received += bytes.count
                return received < 200_000
            }
            #expect(received >= 200_000)
            func wait(_ what: Testing.Comment, until isMet: () throws -> Bool) throws {
                let end = ContinuousClock.now + .seconds(5)
                while try !isMet() { try #require(ContinuousClock.now < end, what) }
            }
            // The terminal is not read from here on, and pictures continue until a write blocks.
            try wait("a write that waits") { flick.unreadBytes > 2_000 }
            #expect(kill(flick.pid, SIGSTOP) == 0)
            #expect(kill(flick.pid, SIGCONT) == 0)
            flick.type("q")
            try wait("its end") { try !ProcessTable.isAlive(flick.pid) }
            #expect(flick.finish(within: .seconds(1)) == 0)
        }

        @Test func lostTerminalEndsFlickAndItsDecoders() throws {
            let (terminal, pid) = try browse()
            defer { terminal.close() }
            let decoders = try decoders(of: pid)
            try terminal.closePane()
            try terminal.wait("flick's end and its decoders'", within: .seconds(5)) {
                try ([pid] + decoders).allSatisfy { try !ProcessTable.isAlive($0) }
            }
        }

        @Test func killingFlickEndsItsDecoders() throws {
            let (terminal, pid) = try browse()
            defer { terminal.close() }
            let decoders = try decoders(of: pid)
            #expect(kill(pid, SIGKILL) == 0)
            #expect(try terminal.waitForExit() == 137)
            try terminal.wait("the decoders' end", within: .seconds(2)) {
                try decoders.allSatisfy { try !ProcessTable.isAlive($0) }
            }
        }

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGSEGV])
        func endedMovingPreviewShowsTheCursor(_ signal: Int32) throws {
            let preview = try PTYProcess(
                [FlickBinary.path, "preview", "--video", "--size", "40x12", TestClips.path(TestClips.short)],
                size: Self.size)
            var text: [UInt8] = []
            func read(until isEnough: ([UInt8]) -> Bool) {
                preview.read(for: .seconds(10)) { bytes in
                    text += bytes
                    return !isEnough(text)
                }
            }
            read { $0.count > 10_000 }
            #expect(kill(preview.pid, signal) == 0)
            read { _ in false }
            #expect(text.suffix(6).elementsEqual("\u{1B}[?25h".utf8))
            #expect(preview.finish(within: .seconds(5)) & 0x7F == signal, "it ends by the signal itself")
        }

        @Test func stoppedMovingPreviewShowsTheCursorUntilItContinues() throws {
            let terminal = try TmuxTerminal(.shell, size: Self.size)
            defer { terminal.close() }
            func hidesCursor() throws -> Bool { try terminal.modes() != .plain }
            try terminal.waitUntil("the prompt") { $0.contains("$") }
            let clip = try TestClips.path(TestClips.portrait)
            try terminal.type("'\(FlickBinary.path)' preview --video --size 40x12 '\(clip)'\r")
            try terminal.wait("the picture", until: hidesCursor)
            try terminal.press("C-z")
            try terminal.waitUntil("the shell") { $0.contains("Stopped") }
            #expect(try terminal.modes() == .plain)
            try terminal.type("fg\r")
            try terminal.wait("the picture again", until: hidesCursor)
            try terminal.press("C-c")
            try terminal.wait("the cursor") { try !hidesCursor() }
        }
    }
}
