import Foundation
import Model
import Platform
import TerminalInput
import TestSupport
import Testing
import Threads

@testable import Screen

/// The terminal against a real pseudo-terminal, whose other end the test holds. One at a time: modes and handlers
/// belong to the process.
@MainActor @Suite(.serialized) struct TerminalTests {
    let pty: PseudoTerminal

    init() throws {
        pty = try PseudoTerminal(
            size: GridSize(columns: 80, rows: 24), pixels: PixelSize(width: 800, height: 480))
    }

    func open(_ environment: [String: String] = ["TERM": "xterm-256color"]) throws(ScreenError) -> Terminal {
        // This terminal answers only what a test lets it answer.
        try Terminal(
            TerminalOptions(answerPatience: .milliseconds(100)), environment: TerminalEnvironment(environment),
            input: pty.slave, output: pty.slave)
    }

    @Test func takingOverAndGivingBackLeavesTheLineAsItWas() throws {
        let before = pty.modes
        let terminal = try open()
        #expect(pty.modes != before)
        let taken = pty.written()
        #expect(
            taken.contains("\u{1B}[?1049h") && taken.contains("\u{1B}[?1002h\u{1B}[?1006h")
                && taken.contains("\u{1B}[?25l"))
        #expect(taken.hasSuffix("\u{1B}[c"))
        terminal.restore()
        #expect(pty.modes == before)
        let given = pty.written()
        for mode in [
            "\u{1B}[?2026l", "\u{1B}[?1002l", "\u{1B}[?1006l", "\u{1B}[?2004l", "\u{1B}[?25h", "\u{1B}[?1049l",
        ] {
            #expect(given.contains(mode))
        }
        terminal.restore()
        #expect(pty.written() == "")
    }

    /// Mode 1003 takes the place of 1002, and comes again with the terminal.
    @Test func motionIsReportedWhileItIsTracked() throws {
        let terminal = try open()
        #expect(!pty.written().contains("1003"))
        terminal.tracksMotion = true
        #expect(pty.written() == "\u{1B}[?1003h")
        terminal.tracksMotion = true
        #expect(pty.written() == "")
        terminal.release()
        #expect(pty.written().contains("\u{1B}[?1003l"))
        terminal.resume()
        #expect(pty.written().contains("\u{1B}[?1003h"))
        terminal.tracksMotion = false
        #expect(pty.written() == "\u{1B}[?1003l\u{1B}[?1002h")
        terminal.restore()
    }

    /// Only if requested; and every way of restoring the terminal turns it off.
    @Test func focusIsReportedIfRequested() throws {
        try open().restore()
        #expect(!pty.written().contains("1004"))
        let terminal = try Terminal(
            TerminalOptions(reportsFocus: true), environment: TerminalEnvironment(["TERM": "xterm-256color"]),
            input: pty.slave, output: pty.slave)
        #expect(pty.written().contains("\u{1B}[?1004h"))
        try pty.type("\u{1B}[O")
        let events = terminal.events(now: .seconds(1))
        #expect(events.contains { if case .focus(false) = $0 { true } else { false } })
        terminal.release()
        #expect(pty.written().contains("\u{1B}[?1004l"))
        terminal.resume()
        #expect(pty.written().contains("\u{1B}[?1004h"))
        terminal.restore()
        #expect(pty.written().contains("\u{1B}[?1004l"))
    }

    @Test func colourChangeRequestsTheNewColours() throws {
        let terminal = try open()
        #expect(pty.written().contains("\u{1B}[?2031h"))
        try pty.type("\u{1B}]11;rgb:0000/0000/0000\u{1B}\\\u{1B}[?62c")
        _ = terminal.events(now: .zero)
        #expect(!terminal.capabilities.isBackgroundLight)
        let before = terminal.capabilitiesVersion
        try pty.type("\u{1B}[?997;2n")
        #expect(terminal.events(now: .zero).isEmpty)
        #expect(pty.written().hasSuffix("\u{1B}]11;?\u{1B}\\\u{1B}[c"))
        try pty.type("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[?62c")
        _ = terminal.events(now: .zero)
        #expect(terminal.capabilities.isBackgroundLight && terminal.capabilitiesVersion > before)
        terminal.restore()
        #expect(pty.written().contains("\u{1B}[?2031l"))
    }

    /// Not a byte but the lines, and a line feed begins a line.
    @Test func plainModeLeavesTheScreenAlone() throws {
        let before = pty.modes
        let terminal = try Terminal(
            TerminalOptions(reportsFocus: true, isPlain: true),
            environment: TerminalEnvironment(["TERM": "xterm-256color", "COLORTERM": "truecolor"]), input: pty.slave,
            output: pty.slave)
        #expect(pty.modes != before && !terminal.isAsked && terminal.size == GridSize(columns: 80, rows: 24))
        try pty.resize(to: GridSize(columns: 30, rows: 5))
        try pty.type("\u{1B}[Bq")
        #expect(terminal.events(now: .seconds(1)).count == 2 && terminal.size.columns == 80)
        terminal.write(Array("one\ntwo\n".utf8))
        terminal.askForStatus()
        terminal.release()
        #expect(pty.modes == before)
        terminal.resume()
        #expect(terminal.copy("secret") == .refused)
        terminal.restore()
        #expect(pty.written() == "one\r\ntwo\r\n" && pty.modes == before)
    }

    @Test func sizeAndCellComeFromTheLine() throws {
        let terminal = try open()
        defer { terminal.restore() }
        #expect(terminal.size == GridSize(columns: 80, rows: 24))
        #expect(terminal.cellPixels == PixelSize(width: 10, height: 20))
    }

    /// The line takes a ^C in what is pasted for the key. It comes as a signal, behind or before the rest of the paste.
    @Test func interruptByteInAPasteIsIgnored() throws {
        let terminal = try open()
        defer { terminal.restore() }
        try pty.type("\u{1B}[200~abc")
        raise(SIGINT)
        #expect(terminal.events(now: .seconds(1), ready: .signals).isEmpty)
        #expect(terminal.ending == nil)
        try pty.type("def")
        raise(SIGINT)
        #expect(terminal.events(now: .seconds(1)).isEmpty)
        #expect(terminal.ending == nil)
        try pty.type("\u{1B}[201~")
        let pasted = terminal.events(now: .seconds(1))
        #expect(pasted.count == 1)
        #expect(pasted.contains { if case .paste("abcdef") = $0 { true } else { false } })
        try pty.type("\u{1B}[200~a whole one\u{1B}[201~j")
        raise(SIGINT)
        let events = terminal.events(now: .seconds(1))
        #expect(events.count == 2)
        #expect(events.contains { if case .paste("a whole one") = $0 { true } else { false } })
        #expect(events.contains { if case .key(.character("j")) = $0 { true } else { false } })
        #expect(terminal.ending == nil)
        // On a busy machine, `poll` reports the input alone.
        try pty.type("\u{1B}[200~another\u{1B}[201~")
        raise(SIGINT)
        #expect(terminal.events(now: .seconds(1), ready: .input).count == 1)
        #expect(terminal.events(now: .seconds(1), ready: .signals).isEmpty)
        #expect(terminal.ending == nil)
        // Outside of a paste it is the key.
        raise(SIGINT)
        #expect(terminal.events(now: .seconds(1)).isEmpty)
        #expect(terminal.ending == .interrupted)
    }

    @Test func aNewSizeIsAnEvent() throws {
        let terminal = try open()
        defer { terminal.restore() }
        try pty.resize(to: GridSize(columns: 40, rows: 12))
        raise(SIGWINCH)
        #expect(
            terminal.events(now: .zero).contains {
                if case .resized(GridSize(columns: 40, rows: 12)) = $0 { true } else { false }
            })
        #expect(terminal.size == GridSize(columns: 40, rows: 12))
    }

    /// The window was another one in between, and what did not fit into it is gone.
    @Test func restoredSizeIsAnEventToo() throws {
        let terminal = try open()
        defer { terminal.restore() }
        let size = terminal.size
        try pty.resize(to: GridSize(columns: 40, rows: 12))
        try pty.resize(to: size)
        raise(SIGWINCH)
        #expect(terminal.events(now: .zero).contains { if case .resized(size) = $0 { true } else { false } })
    }

    @Test func keysArriveAndRepliesBecomeCapabilities() throws {
        let terminal = try open()
        defer { terminal.restore() }
        let version = terminal.capabilitiesVersion
        try pty.type("j\u{1B}[?2026;2$y\u{1B}[A\u{1B}P>|foot(1.16)\u{1B}\\\u{1B}[?62;4c")
        let keys = terminal.events(now: .zero).compactMap { if case .key(let key) = $0 { key } else { nil } }
        #expect(keys == [.character("j"), .up])
        #expect(terminal.capabilities.hasSynchronisedUpdate && terminal.capabilities.color == .truecolor)
        #expect(terminal.capabilities.attributes == [62, 4])
        #expect(terminal.capabilitiesVersion > version)
    }

    /// xterm keeps its sixels below the blocks that replace them, and would take ten times as long for those.
    @Test func lateSixelsAreRemovedBeforeBlocks() throws {
        let terminal = try open(["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"])
        defer { terminal.restore() }
        terminal.note(roundTrip: .milliseconds(1))
        for answer in ["\u{1B}P>|XTerm(379)\u{1B}\\\u{1B}[?62;4;22c", "\u{1B}[?1;0;256S\u{1B}[?62;4;22c"] {
            try pty.type(answer)
            _ = terminal.events(now: .zero)
        }
        try #require(terminal.pictureMode == .sixel)
        _ = pty.written()
        #expect(terminal.noteLatePixels())
        #expect(terminal.pictureMode == .half && pty.written() == "\u{1B}[24S")
        #expect(!terminal.noteLatePixels() && pty.written() == "")
    }

    @Test func aLoneEscapeWakesTheLoopLater() throws {
        let terminal = try open()
        defer { terminal.restore() }
        try pty.type("\u{1B}")
        #expect(terminal.events(now: .milliseconds(10)).isEmpty)
        #expect(terminal.nextWake(now: .milliseconds(10)) == .milliseconds(35))
        let late = terminal.events(now: .milliseconds(40))
        #expect(late.contains { if case .key(.escape) = $0 { true } else { false } })
    }

    @Test(arguments: [
        ("xterm-256color", "\u{1B}]52;c;YQ==\u{1B}\\", Clipboard.Outcome.sent), ("vt100", "", .refused),
        ("linux", "", .refused), ("wyse60", "", .refused),
    ])
    func clipboardTextIsSentOnlyToCapableTerminals(
        _ term: String, _ bytes: String, _ outcome: Clipboard.Outcome
    ) throws {
        let terminal = try open(["TERM": term])
        defer { terminal.restore() }
        _ = pty.written()
        #expect(terminal.copy("a") == outcome)
        #expect(pty.written() == bytes)
    }

    @Test func clipboardCopyIsConfirmedByTheTerminal() throws {
        let terminal = try open(["TERM": "xterm-256color"])
        defer { terminal.restore() }
        try pty.type("\u{1B}[?62;22;52c")
        _ = terminal.events(now: .milliseconds(10))
        #expect(terminal.copy("a") == .taken)
    }

    @Test func writingNeverWaitsForAStalledTerminal() throws {
        let terminal = try open()
        defer { terminal.restore() }
        _ = pty.written()
        let bytes = (0..<1_000_000).map { UInt8($0 % 10) + 0x30 }
        terminal.write(bytes)
        #expect(terminal.isBusy)
        let isSame = try pty.read(count: bytes.count) == bytes
        #expect(isSame)
        #expect(pty.becomesIdle(terminal))
    }

    @Test func writesKeepTheirOrderWhileTheTerminalIsBusy() throws {
        let terminal = try open()
        defer { terminal.restore() }
        _ = pty.written()
        // Large, then small enough to be tried at once, then large again: each of a different byte.
        let pieces = [300_000, 10, 100_000, 1].enumerated().map { number, count in
            [UInt8](repeating: 0x61 + UInt8(number), count: count)
        }
        for piece in pieces { terminal.write(piece) }
        let all = pieces.flatMap(\.self)
        let isSame = try pty.read(count: all.count) == all
        #expect(isSame)
        #expect(pty.becomesIdle(terminal))
        terminal.write(Array("after".utf8))
        #expect(pty.written() == "after")
    }

    @Test func piecesOfAllSizesArriveInOrderWhileTheTerminalReads() throws {
        let terminal = try open()
        defer { terminal.restore() }
        _ = pty.written()
        var random = SeededRandom(state: 1)
        var (sent, read): ([UInt8], [UInt8]) = ([], [])
        for number in 0..<3_000 {
            // Around the size up to which a piece is tried at once.
            let piece = [UInt8](repeating: 0x21 + UInt8(number % 90), count: .random(in: 1...6_000, using: &random))
            terminal.write(piece)
            sent += piece
            if number % 3 != 0 { read += pty.written().utf8 }
        }
        read += try pty.read(count: sent.count - read.count)
        // Compared before: the difference of two long arrays takes minutes to find.
        let isSame = read == sent
        #expect(isSame)
    }

    @Test func wakesOnceWhenEverythingIsWritten() throws {
        let woken = Monitor(0)
        let terminal = try Terminal(
            environment: TerminalEnvironment(["TERM": "xterm-256color"]), input: pty.slave, output: pty.slave,
            wake: { woken.change { $0 += 1 } })
        defer { terminal.restore() }
        _ = pty.written()
        #expect(!terminal.wakeWhenWritten())
        terminal.write([UInt8](repeating: 0x61, count: 200_000))
        #expect(terminal.wakeWhenWritten())
        #expect(woken.withLock(\.self) == 0)
        _ = try pty.read(count: 200_000)
        #expect(woken.wait(upTo: .seconds(30)) { $0 == 1 ? true : nil } == true)
        #expect(!terminal.isBusy)
        // Without another call of `wakeWhenWritten` it does not wake again.
        terminal.write([UInt8](repeating: 0x61, count: 200_000))
        _ = try pty.read(count: 200_000)
        #expect(pty.becomesIdle(terminal))
        #expect(woken.withLock(\.self) == 1)
    }

    @Test func abandonedQuestionsAreNotWaitedFor() {
        var reports = StatusReports()
        reports.asked(now: .now)
        #expect(reports.lastOpen != nil)
        reports.forget()
        reports.asked(now: .now)
        reports.answered()
        #expect(reports.open == 0 && reports.lastOpen == nil && reports.answers == 1)
    }

    @Test func restoringAStalledTerminalIsQuickAndDropsThePicture() throws {
        let terminal = try open()
        _ = pty.written()
        try pty.type("\u{1B}[?62c")
        _ = terminal.events(now: .zero)
        terminal.write([UInt8](repeating: UInt8(ascii: "#"), count: 1_000_000))
        let begun = ContinuousClock.now
        terminal.restore()
        #expect(ContinuousClock.now - begun < .milliseconds(400))
        // CAN ends whatever sequence the picture was cut off in; nothing of the picture comes after it.
        let given = pty.written().drop { $0 != "\u{18}" }
        #expect(given.contains("\u{1B}[?1049l") && !given.contains("#"))
    }

    @Test func lateAnswersAreNotLeftToTheShell() throws {
        let terminal = try open()
        try pty.type("\u{1B}[?2026;2$y\u{1B}[?62;4c")
        terminal.restore()
        #expect(pty.unreadBytes == 0)
    }

    @Test func answersFromFarAwayAreNotLeftToTheShell() throws {
        let terminal = try Terminal(
            environment: TerminalEnvironment(["TERM": "xterm-256color"]), input: pty.slave, output: pty.slave)
        pty.type("\u{1B}[?2026;2$y\u{1B}[?62;4c", after: .milliseconds(300))
        let began = ContinuousClock.now
        terminal.restore()
        #expect(ContinuousClock.now - began >= .milliseconds(300))
        #expect(pty.unreadBytes == 0)
    }

    @Test func stalledTerminalIsRestoredOnceItReadsAgain() throws {
        let terminal = try open()
        terminal.write([UInt8](repeating: UInt8(ascii: "#"), count: 1_000_000))
        #expect(terminal.isBusy)
        terminal.restore()
        let given = pty.written()
        #expect(given.contains("\u{1B}[?1049l") && given.contains("\u{1B}[?25h"))
    }

    @Test func hangupEndsTheLoop() throws {
        let terminal = try open()
        defer { terminal.restore() }
        #expect(terminal.ending == nil)
        try pty.hangUp()
        _ = terminal.events(now: .zero)
        #expect(terminal.ending == .hungUp)
        #expect(terminal.ending?.exitStatus == 129)
    }

    @Test func takenBackAfterBeingGivenAway() throws {
        let before = pty.modes
        let terminal = try open()
        _ = pty.written()
        try pty.type("\u{1B}[?62c")
        _ = terminal.events(now: .zero)
        terminal.release()
        #expect(pty.modes == before)
        terminal.write(Array("lost".utf8))
        #expect(!pty.written().contains("lost"))
        terminal.resume()
        #expect(pty.modes != before)
        #expect(pty.written().contains("\u{1B}[?1049h"))
        terminal.restore()
        #expect(pty.modes == before)
    }

    @Test(arguments: [
        ("", ScreenError.unknownTerminal("")), ("no-such-terminal", .unknownTerminal("no-such-terminal")),
        ("dumb", .dumbTerminal("dumb")),
    ])
    func incapableTerminalsAreRejectedUntouched(_ term: String, _ error: ScreenError) {
        let before = pty.modes
        #expect(throws: error) { _ = try open(["TERM": term]) }
        #expect(pty.modes == before)
        #expect(pty.written() == "")
    }

    @Test func pipeIsNotATerminal() {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(throws: ScreenError.notATerminal) {
            _ = try Terminal(environment: TerminalEnvironment(["TERM": "xterm"]), input: ends[0], output: ends[1])
        }
    }
}

extension PseudoTerminal {
    /// Whether the terminal takes notice that all it wrote was read: its thread may need a moment.
    @MainActor func becomesIdle(_ terminal: Terminal) -> Bool {
        let end = ContinuousClock.now + .seconds(30)
        while terminal.isBusy, ContinuousClock.now < end { sched_yield() }
        return !terminal.isBusy
    }
}
