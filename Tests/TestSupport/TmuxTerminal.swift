import Foundation
import Model

/// A separate tmux server for one test, with one program in it.
///
/// A script runs the program. It notes the line's modes before and after and the exit status, then keeps the pane open,
/// so that the test can examine the screen. `close` ends the server and everything in it.
public final class TmuxTerminal {
    public struct Error: Swift.Error, CustomStringConvertible {
        public let description: String
    }

    /// How the program is started.
    public enum Start {
        /// Through the script described above.
        case program([String])
        /// A shell with job control at its prompt `$ `, for tests of suspending.
        case shell
    }

    public private(set) var size: GridSize
    private let folder: URL
    private var isOpen = true

    /// - Parameter environment: added to the test's own. tmux sets TERM (screen-256color).
    public init(_ start: Start, size: GridSize, environment: [String: String] = [:]) throws {
        self.size = size
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("flick-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let configuration = """
            set -g status off
            set -g remain-on-exit on
            set -sg escape-time 0
            set -g mouse off
            set -g default-terminal screen-256color
            set -g default-shell /bin/sh
            set -g update-environment ''
            """
        try configuration.write(to: file("tmux.conf"), atomically: true, encoding: .utf8)
        let script =
            switch start {
            case .program(let arguments):
                """
                trap : INT
                stty -g >'\(path("before"))'
                \(arguments.map(Self.quoted).joined(separator: " ")) 2>'\(path("errors"))'
                echo $? >'\(path("status.new"))'
                stty -g >'\(path("after"))'
                mv '\(path("status.new"))' '\(path("status"))'
                exec cat
                """
            case .shell: "exec env PS1='$ ' bash --norc --noprofile -i\n"
            }
        try script.write(to: file("run.sh"), atomically: true, encoding: .utf8)
        // Settings of the machine must not affect the test, nor the test what its user's flick remembers.
        var variables = [
            "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", "NO_COLOR": "", "XDG_STATE_HOME": path("state"),
        ]
        variables.merge(environment) { $1 }
        let settings = variables.sorted { $0.key < $1.key }.flatMap { ["-e", "\($0.key)=\($0.value)"] }
        try tmux(
            ["-f", path("tmux.conf"), "new-session", "-d", "-x", "\(size.columns)", "-y", "\(size.rows)"] + settings
                + ["sh", path("run.sh")])
    }

    deinit { close() }

    /// Ends the server and everything in it. Can be called several times.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        // The server may have ended already.
        _ = try? tmux(["kill-server"])
        // A folder that remains in the temporary folder is harmless.
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Input

    /// Presses keys by tmux's names: "q", "Down", "C-z", "Escape", "S-Left".
    public func press(_ keys: String...) throws {
        try tmux(["send-keys"] + keys)
    }

    /// Types text unchanged, including escape sequences.
    public func type(_ text: String) throws {
        let bytes = text.utf8.map { String($0, radix: 16) }
        try tmux(["send-keys", "-H"] + bytes)
    }

    /// Presses and releases a button (0 left, 1 middle, 2 right) at a cell.
    public func click(_ at: GridPoint, button: Int = 0) throws {
        try type(Self.mouse(button, at, "M") + Self.mouse(button, at, "m"))
    }

    /// The steps of a drag with the left button.
    public func press(at point: GridPoint) throws { try type(Self.mouse(0, point, "M")) }
    public func move(to point: GridPoint) throws { try type(Self.mouse(32, point, "M")) }
    public func release(at point: GridPoint) throws { try type(Self.mouse(0, point, "m")) }

    /// Drags with the left button.
    public func drag(_ from: GridPoint, to end: GridPoint) throws {
        try type(Self.mouse(0, from, "M") + Self.mouse(32, end, "M") + Self.mouse(0, end, "m"))
    }

    public func wheel(up: Bool, at: GridPoint = GridPoint(column: 0, row: 0)) throws {
        try type(Self.mouse(up ? 64 : 65, at, "M"))
    }

    private static func mouse(_ code: Int, _ at: GridPoint, _ final: String) -> String {
        "\u{1B}[<\(code);\(at.column + 1);\(at.row + 1)\(final)"
    }

    public func resize(to size: GridSize) throws {
        try tmux(["resize-window", "-x", "\(size.columns)", "-y", "\(size.rows)"])
        self.size = size
    }

    /// Ends the pane and everything in it, as closing a terminal's window does: its programs get SIGHUP.
    public func closePane() throws {
        // The server ends with its last pane, so make another one.
        try tmux(["new-window", "-d", "cat"])
        try tmux(["kill-pane", "-t", ":0.0"])
    }

    // MARK: Output

    public func capture() throws -> CapturedScreen {
        CapturedScreen(size: size, capture: try tmux(["capture-pane", "-e", "-p", "-N"]))
    }

    /// Captures the screen until `body` accepts it, and returns it. Throws the last screen if that takes too long.
    @discardableResult
    public func waitUntil(
        _ what: String, within limit: Duration = .seconds(10), _ isMet: (CapturedScreen) throws -> Bool
    ) throws -> CapturedScreen {
        var screen = CapturedScreen(size: size, capture: "")
        let isSeen = try holds(within: limit) {
            screen = try capture()
            return try isMet(screen)
        }
        guard isSeen else {
            throw Error(description: "not within \(limit): \(what); the screen was:\n\(screen.text)\n\(errors)")
        }
        return screen
    }

    /// Waits for any other condition.
    public func wait(_ what: String, within limit: Duration = .seconds(10), until isMet: () throws -> Bool) throws {
        guard try holds(within: limit, isMet) else {
            throw Error(description: "not within \(limit): \(what)\n\(errors)")
        }
    }

    /// The program's exit status; nil while it runs.
    public var exitStatus: Int? {
        contents("status").flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    /// Waits for the program's end and returns its status.
    @discardableResult
    public func waitForExit(within limit: Duration = .seconds(10)) throws -> Int {
        try wait("the program's end", within: limit) { exitStatus != nil }
        return exitStatus ?? -1
    }

    /// What the program wrote to standard error so far.
    public var errors: String { contents("errors") ?? "" }

    /// The line's modes before and after the program, as `stty -g` prints them (without the size).
    public var modesBefore: String? { contents("before") }
    public var modesAfter: String? { contents("after") }

    /// The modes that tmux reports for the pane.
    public struct Modes: Equatable, Sendable {
        public var isAlternate: Bool
        public var isCursorShown: Bool
        public var reportsMouse: Bool
        public var isKeypadApplication: Bool

        public init(isAlternate: Bool, isCursorShown: Bool, reportsMouse: Bool, isKeypadApplication: Bool) {
            self.isAlternate = isAlternate
            self.isCursorShown = isCursorShown
            self.reportsMouse = reportsMouse
            self.isKeypadApplication = isKeypadApplication
        }

        public static let plain = Modes(
            isAlternate: false, isCursorShown: true, reportsMouse: false, isKeypadApplication: false)
    }

    public func modes() throws -> Modes {
        let flags = try format("#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_cursor_flag}")
            .split(separator: " ").map { $0 == "1" }
        guard flags.count == 4 else { throw Error(description: "tmux does not report the pane's modes") }
        return Modes(
            isAlternate: flags[0], isCursorShown: flags[1], reportsMouse: flags[2], isKeypadApplication: flags[3])
    }

    /// The process that tmux started: the script or the shell.
    public func panePID() throws -> Int32 {
        guard let pid = Int32(try format("#{pane_pid}")) else { throw Error(description: "the pane has no process") }
        return pid
    }

    /// What programs have named their window.
    public func title() throws -> String { try format("#{pane_title}") }

    private func format(_ format: String) throws -> String {
        try tmux(["display-message", "-p", format]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: Helpers

    private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
    private func path(_ name: String) -> String { file(name).path }
    /// nil if the file does not exist yet.
    private func contents(_ name: String) -> String? { fileText(path(name)) }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }

    @discardableResult
    private func tmux(_ arguments: [String]) throws -> String {
        // The test itself may run in tmux.
        let result = try Command.run(
            ["tmux", "-u", "-S", path("socket")] + arguments, unsetting: ["TMUX"], setting: ["LC_ALL": "C.UTF-8"])
        guard result.status == 0 else {
            throw Error(description: "tmux \(arguments.first ?? ""): \(result.errors)")
        }
        return result.output
    }
}
