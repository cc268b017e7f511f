import Foundation
import Model
import TestSupport

/// flick in an xterm that the tool types into, used by one thread.
///
/// xterm is started around a line that is open already (-S): what the tool writes into the line's terminal side arrives
/// at flick as what xterm writes there does, and no program for typing is needed.
final class Xterm: ShotWindow {
    private let master: Int32
    private let xterm: pid_t
    private let flick: pid_t
    /// The window's number, as xterm reports it.
    let window: String
    let display: String
    var captured: String { window }
    let tracePath: String
    /// The path of the line's terminal side.
    private let terminal: String
    var keys = 0

    /// Opens a window of `shot`'s size and starts `arguments` in it, with a trace in `folder`.
    init(_ shot: Shot, _ arguments: [String], on server: XServer, folder: String) throws {
        display = server.display
        tracePath = folder + "/trace"
        let (master, path) = try TerminalLine.open(size: shot.size, pixels: PixelSize(width: 0, height: 0))
        self.master = master
        terminal = path
        let slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw ShotError("cannot open \(path): \(String(cString: strerror(errno)))") }
        defer { close(slave) }

        // The window's number comes as a line of input first.
        var modes = termios()
        tcgetattr(slave, &modes)
        var raw = modes
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(slave, TCSANOW, &raw)
        let ground = shot.isLight ? ("white", "black") : ("black", "white")
        // A VT340 has sixels.
        let kind = shot.surface == "sixel" ? ["-ti", "vt340"] : []
        xterm = try spawn(
            [
                "xterm", "-S\(path)/5", "-geometry", "\(shot.size.columns)x\(shot.size.rows)+0+0", "-b", "0", "-bw",
                "0", "+sb",
                "-u8", "-fa", "DejaVu Sans Mono", "-fs", "\(shot.fontSize)", "-bg", ground.0, "-fg", ground.1, "-xrm",
                "XTerm*cursorBlink: false",
            ] + kind,
            descriptors: [(master, 5)],
            environment: ShotEnvironment.inherited.merging(["DISPLAY": server.display, "LC_ALL": "C.UTF-8"]) { $1 })
        var line: [UInt8] = []
        guard
            holds(
                within: .seconds(10),
                {
                    line += Self.waitingInput(of: slave)
                    return line.last == UInt8(ascii: "\n")
                })
        else {
            end(xterm)
            throw ShotError("xterm does not start")
        }
        window = "0x" + String(decoding: line.dropLast(), as: UTF8.self)
        tcsetattr(slave, TCSANOW, &modes)

        let environment = ShotEnvironment.flick(folder: folder).merging([
            "TERM": "xterm-256color", "COLORTERM": "truecolor",
        ]) { $1 }.filter { $0.key != "DISPLAY" }
        flick = try spawn(arguments + ["--trace", tracePath], terminal: path, environment: environment)
    }

    deinit {
        kill(flick, SIGCONT)
        end(flick)
        end(xterm)
        close(master)
    }

    func send(_ text: String) { _ = text.withCString { write(master, $0, strlen($0)) } }

    // MARK: The picture

    func capture(to file: String, atOnce: Bool) throws {
        // Right after a picture is on the terminal is the time that is farthest
        // from the next; a page that stands still has none.
        if !atOnce { wait(for: "picture", times: count(of: "picture") + 1, upTo: .milliseconds(80)) }
        kill(flick, SIGSTOP)
        _ = holds(within: .seconds(3)) {
            var count: Int32 = 0
            return ioctl(self.master, UInt(FIONREAD), &count) != 0 || count == 0
        }
        try waitUntilDrawn()
        let result = try Command.run(
            ["import", "-window", window, "-depth", "8", "-define", "png:compression-level=9", file],
            setting: ["DISPLAY": display])
        guard result.status == 0 else { throw ShotError("import fails: \(result.errors)") }
    }

    /// Waits until xterm has drawn what it was sent. It answers a request in its turn, and sends what it draws to the
    /// server before it waits for more: when a second answer comes, all before the first one is drawn. flick is
    /// stopped, so the answers are left to us.
    private func waitUntilDrawn() throws {
        let line = open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard line >= 0 else { throw ShotError("cannot open \(terminal): \(String(cString: strerror(errno)))") }
        defer { close(line) }
        for _ in 0..<2 {
            _ = Self.statusRequest.withUTF8Buffer { write(line, $0.baseAddress, $0.count) }
            var answer: [UInt8] = []
            // Drawing sixels without a graphics card takes seconds.
            let isAnswered = holds(within: .seconds(20)) {
                answer += Self.waitingInput(of: line)
                return String(decoding: answer, as: UTF8.self).contains("\u{1B}[0n")
            }
            guard isAnswered else { throw ShotError("xterm does not answer") }
        }
    }

    /// DSR 5, "status report": a terminal that is well answers with CSI 0 n (ECMA-48, 8.3.35).
    private static let statusRequest: StaticString = "\u{1B}[5n"

    /// What can be read without waiting.
    private static func waitingInput(of line: Int32) -> [UInt8] {
        var count: Int32 = 0
        guard ioctl(line, UInt(FIONREAD), &count) == 0, count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let got = read(line, &bytes, bytes.count)
        return Array(bytes[..<max(got, 0)])
    }
}
