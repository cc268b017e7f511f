import Screen
import UI

/// Plain mode's lines on their way to the terminal. Main thread.
@MainActor
final class PlainOutput {
    /// The most bytes that wait for a terminal that takes none: some hundred lines. What comes then is left out.
    private static let most = 1 << 16

    private let terminal: Terminal
    private var lines = ScreenReaderOutput()
    private var waiting: [UInt8] = []
    private var leftOut = 0

    init(terminal: Terminal) { self.terminal = terminal }

    /// Whether lines wait for the terminal.
    var isWaiting: Bool { !waiting.isEmpty }

    /// Prints what an update has changed.
    func printChanges(in state: State, now: Duration) {
        for line in lines.next(state, now: now) {
            if waiting.count < Self.most { append(line) } else { leftOut += 1 }
        }
        send()
    }

    /// Sends what waits, if the terminal has taken what came before.
    func send() {
        guard !terminal.isBusy else { return }
        if leftOut > 0 { append("\(leftOut) lines omitted") }
        leftOut = 0
        guard isWaiting else { return }
        terminal.write(waiting)
        waiting.removeAll(keepingCapacity: true)
    }

    private func append(_ line: String) {
        let isUnicode = terminal.capabilities.hasUnicode
        waiting += line.unicodeScalars.lazy.flatMap {
            isUnicode || $0.isASCII ? Array(String($0).utf8) : [UInt8(ascii: "?")]
        }
        waiting.append(UInt8(ascii: "\n"))
    }
}
