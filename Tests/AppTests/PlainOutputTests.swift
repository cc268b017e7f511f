import Foundation
import Model
import Screen
import TestSupport
import Testing
import UI

@testable import App

/// Plain mode's lines on their way to a terminal.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct PlainOutputTests {
    private func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .controlCharacters) }
            .filter { !$0.isEmpty }
    }

    /// The lines that the terminal is sent, up to one that begins or ends so.
    private func sent(_ stage: LoopStage, through isLast: (String) -> Bool) -> [String] {
        var text = ""
        #expect(
            holds(within: .seconds(10)) {
                text += stage.takeWritten()
                return lines(text).last.map(isLast) ?? false
            })
        return lines(text)
    }

    @Test func linesThatFindNoRoomAreCountedOnce() throws {
        let stage = try LoopStage(isPlain: true)
        defer { stage.close() }
        let output = PlainOutput(terminal: stage.terminal)
        let words = String(repeating: "x", count: 100)
        var state = stage.state
        var count = 0
        func printNotice() {
            _ = update(&state, .notice("Notice \(count) \(words)", .news), now: stage.now)
            output.printChanges(in: state, now: stage.now)
            count += 1
        }
        printNotice()
        _ = sent(stage) { $0.hasPrefix("Notice 0 ") }
        #expect(!output.isWaiting)

        stage.blockTerminal()
        for _ in 0..<1_000 { printNotice() }
        #expect(output.isWaiting)
        stage.reads = true
        _ = stage.takeWritten()
        output.send()
        #expect(!output.isWaiting)
        let printed = sent(stage) { $0.hasSuffix(" omitted") }
        let notices = printed.filter { $0.hasPrefix("Notice ") }
        #expect(notices.indices.allSatisfy { notices[$0].hasPrefix("Notice \($0 + 1) ") })
        #expect(printed.last == "\(1_000 - notices.count) lines omitted" && printed.count == notices.count + 1)
        // The last line that found room filled it.
        let bytes = notices.map { $0.utf8.count + 1 }
        #expect(bytes.reduce(0, +) >= 1 << 16 && bytes.dropLast().reduce(0, +) < 1 << 16)

        printNotice()
        #expect(sent(stage) { $0.hasPrefix("Notice 1001 ") }.count == 1)
    }

    @Test(arguments: [("de_DE.ISO-8859-1", "Caf? ?"), ("C.UTF-8", "Caf\u{E9} \u{4E16}")])
    func terminalWithoutUnicodeGetsQuestionMarks(language: String, words: String) throws {
        let pty = try PseudoTerminal(size: GridSize(columns: 80, rows: 24), pixels: PixelSize(width: 0, height: 0))
        let terminal = try Terminal(
            TerminalOptions(isPlain: true, answerPatience: .zero),
            environment: TerminalEnvironment(["TERM": "xterm-256color", "LANG": language]), input: pty.slave,
            output: pty.slave)
        defer { terminal.restore() }
        var state = State(size: terminal.size, items: [Item]())
        _ = update(&state, .notice("Caf\u{E9} \u{4E16}", .news), now: .zero)
        PlainOutput(terminal: terminal).printChanges(in: state, now: .zero)
        var bytes: [UInt8] = []
        let isWritten = holds(within: .seconds(10)) {
            bytes += pty.writtenBytes()
            return lines(String(decoding: bytes, as: UTF8.self)).contains(words)
        }
        #expect(isWritten, "\(String(decoding: bytes, as: UTF8.self))")
    }
}
