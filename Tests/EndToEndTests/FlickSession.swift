import Foundation
import Model
import TestSupport
import Testing

/// flick, browsing in its own terminal and writing a trace.
final class FlickSession {
    /// Where its sound goes.
    enum Sound {
        /// `--no-audio`.
        case none
        /// A device that writes samples to `soundFile`.
        case written
        /// No device can be opened.
        case broken
    }

    let terminal: TmuxTerminal
    private let folder = TemporaryFolder()
    private let tracePath: String
    let soundFile: String

    /// Starts flick. Does not wait for its page.
    ///
    /// - Parameter input: the file for standard input; nil for the terminal.
    /// - Parameter program: what starts flick; it gets flick's arguments.
    /// - Parameter isFirstRun: flick has left nothing in its state folder yet.
    init(
        _ arguments: [String], program: String = FlickBinary.path, input: String? = nil, isFirstRun: Bool = false,
        size: GridSize = GridSize(columns: 80, rows: 24),
        sound: Sound = .none,
        environment: [String: String] = [:]
    ) throws {
        tracePath = folder.path + "/trace"
        if !isFirstRun { try folder.write("flick/flick.log", "".utf8) }
        soundFile = folder.path + "/sound"
        var variables = [
            "XDG_STATE_HOME": folder.path, "XDG_CACHE_HOME": folder.path + "/cache", "SDL_AUDIODRIVER": "dummy",
            // The desktop of the person who runs the tests sees nothing of them.
            "XDG_RUNTIME_DIR": folder.path + "/run", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
        ]
        switch sound {
        case .none: break
        case .written:
            variables["SDL_AUDIODRIVER"] = "disk"
            variables["SDL_DISKAUDIOFILE"] = soundFile
        case .broken: variables["SDL_AUDIODRIVER"] = "nonexistent"
        }
        variables.merge(environment) { $1 }
        var words = [program, "--trace", tracePath] + EndToEnd.output
        if case .none = sound { words.append("--no-audio") }
        words += arguments
        if let input {
            let file = try folder.write("input", input.utf8)
            words = ["sh", "-c", "exec \"$@\" <'\(file)'", "sh"] + words
        }
        terminal = try TmuxTerminal(.program(words), size: size, environment: variables)
    }

    /// FLICK_KEEP_TRACES names a folder in which traces and sound are kept for debugging.
    deinit {
        terminal.close()
        guard let kept = ProcessInfo.processInfo.environment["FLICK_KEEP_TRACES"] else { return }
        let name = "\(kept)/\(UUID().uuidString.prefix(8))"
        for (file, ending) in [(tracePath, "ndjson"), (soundFile, "raw")] {
            // `try?`: sound is often missing, and no test depends on the copies.
            try? FileManager.default.copyItem(atPath: file, toPath: "\(name).\(ending)")
        }
    }

    /// flick's own process, once the shell has started it.
    func pid() throws -> Int32 {
        let name = URL(fileURLWithPath: FlickBinary.path).lastPathComponent.prefix(15)
        var flick: Int32?
        try terminal.wait("flick's process") {
            flick = try ProcessTable.descendants(of: terminal.panePID()).first { $0.name == name }?.pid
            return flick != nil
        }
        return try #require(flick)
    }

    struct Missing: Error, CustomStringConvertible {
        var what: String
        var description: String { "there is no \(what)" }
    }

    // MARK: The trace

    /// The trace's lines with one of these names, in order. Leaves out a line that is still being written.
    func trace(_ names: String...) throws -> [TraceLine] {
        guard let text = FileManager.default.contents(atPath: tracePath) else { return [] }
        let marks = names.map { Data("\"ev\":\"\($0)\"".utf8) }
        let decoder = JSONDecoder()
        return try text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard line.last == UInt8(ascii: "}"), marks.contains(where: { line.range(of: $0) != nil }) else {
                return nil
            }
            return try decoder.decode(TraceLine.self, from: line)
        }
    }

    /// Waits for such a line in the trace, and returns the first one.
    @discardableResult
    func waitForTrace(
        _ name: String, within limit: Duration = .seconds(10), where fits: (TraceLine) -> Bool = { _ in true }
    )
        throws -> TraceLine
    {
        var found: TraceLine?
        try terminal.wait("the trace's \(name)", within: limit) {
            found = try trace(name).first(where: fits)
            return found != nil
        }
        guard let found else { throw Missing(what: "line \(name) in the trace") }
        return found
    }

    /// The time of the newest event; later events follow from what the test does next.
    func traceEnd() throws -> Double {
        guard let text = FileManager.default.contents(atPath: tracePath) else { return 0 }
        guard let line = text.split(separator: UInt8(ascii: "\n")).last(where: { $0.last == UInt8(ascii: "}") }) else {
            return 0
        }
        return try JSONDecoder().decode(TraceLine.self, from: line).t
    }

    // MARK: The screen

    /// Waits until the screen does not change any more, and returns it.
    func waitUntilStill(within limit: Duration = .seconds(5)) throws -> CapturedScreen {
        var (last, since) = (try terminal.capture(), ContinuousClock.now)
        return try terminal.waitUntil("a still image", within: limit) { screen in
            if screen != last { (last, since) = (screen, .now) }
            return ContinuousClock.now - since >= .milliseconds(500)
        }
    }

    /// Whether the screen stays unchanged for that time.
    func isStill(for time: Duration) throws -> Bool {
        let first = try terminal.capture()
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            if try terminal.capture() != first { return false }
        }
        return true
    }
}

/// One line of the trace, with the fields that the tests use.
struct TraceLine: Decodable {
    var t: Double
    var ev: String
    var item: String?
    var index: Int?
    var how: String?
    var kind: String?
    var pts: Double?
    var sincePage: Double?
    var pid: Int32?
    var state: String?
    var key: String?
    var from: Int?
    var to: Int?
    var attempt: Int?
    var why: String?
    var what: String?
    var items: Int?
    var source: String?
    var cols: Int?
    var rows: Int?
    var surface: String?
    var color: String?
    var version: String?
    var bytes: Int?
    var cells: Int?
    var ms: Double?
    var owner: String?
    var url: String?
    var got: Int64?
    var drift: Double?

    enum CodingKeys: String, CodingKey {
        case t, ev, item, index, how, kind, pts, pid, state, key, from, to, attempt, why, what, items, source, cols,
            rows
        case surface, color, version, bytes, cells, ms, owner, url, got
        case drift = "drift_ms"
        case sincePage = "since_page_ms"
    }
}

/// The folders of a user who is new to flick, and flick as that user runs it.
struct ScratchUser {
    let folder = TemporaryFolder()

    var environment: [String: String] {
        [
            "XDG_STATE_HOME": folder.path + "/state", "XDG_CONFIG_HOME": folder.path + "/config",
            "XDG_CACHE_HOME": folder.path + "/cache", "HOME": folder.path,
        ]
    }

    func flick(_ arguments: String...) throws -> Command.Result {
        try Command.run([FlickBinary.path] + arguments, setting: environment)
    }
}
