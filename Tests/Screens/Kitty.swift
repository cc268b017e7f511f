import Foundation
import Model
import TestSupport

/// flick in a kitty that the tool types into by kitty's remote control
/// (https://sw.kovidgoyal.net/kitty/remote-control/), used by one thread.
///
/// Sextants and octants are drawn with `PartsFont`: xterm leaves out characters that are newer than the system's C
/// library, and so do old versions of kitty.
final class Kitty: ShotWindow {
    /// Whether there is one to open windows of.
    static let isAvailable = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/kitty") }

    private let kitty: pid_t
    private let size: GridSize
    let display: String
    /// The window's number; no other window is on the screen.
    private(set) var captured = "root"
    private let control: String
    let tracePath: String
    var keys = 0

    /// Opens a window of `shot`'s size and starts `arguments` in it, with a trace in `folder`.
    init(_ shot: Shot, _ arguments: [String], on server: XServer, folder: String) throws {
        (size, display) = (shot.size, server.display)
        tracePath = folder + "/trace"
        // Each kitty has a separate folder, so a fixed name is enough.
        control = "unix:\(folder)/control"
        let options = [
            "remember_window_size=no", "initial_window_width=\(shot.size.columns)c",
            "initial_window_height=\(shot.size.rows)c", "update_check_interval=0", "hide_window_decorations=yes",
            "font_family=DejaVu Sans Mono", "font_size=\(shot.fontSize)", "enable_audio_bell=no",
            "allow_remote_control=yes", "window_padding_width=0", "window_margin_width=0", "cursor_blink_interval=0",
        ]
        var environment = ShotEnvironment.flick(folder: folder).merging([
            "DISPLAY": server.display, "LIBGL_ALWAYS_SOFTWARE": "1",
        ]) { $1 }
        if shot.needsPartsFont { environment["FONTCONFIG_FILE"] = try PartsFont.install(in: folder) }
        kitty = try spawn(
            ["kitty", "--config", "NONE", "--listen-on", control] + options.flatMap { ["-o", $0] } + arguments
                + ["--trace", tracePath],
            environment: environment)
        try waitUntilDrawn(file: folder + "/first.png")
    }

    deinit { end(kitty) }

    /// Without a graphics card kitty's window stays black for about a second, while flick draws into it already: a
    /// capture would show that.
    private func waitUntilDrawn(file: String) throws {
        var number: Int?
        _ = try holds(within: .seconds(20)) {
            let list = try Command.run(["kitty", "@", "--to", control, "ls"]).output
            // `try?`: there is no list before kitty listens.
            let windows = try? JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]]
            number = windows?.first?["platform_window_id"] as? Int
            return number != nil
        }
        guard let opened = number else { throw ShotError("kitty does not start") }
        captured = "\(opened)"
        let isDrawn = try holds(within: .seconds(20)) {
            try importWindow(to: file)
            return try ShotImage(file).colors > 1
        }
        guard isDrawn else { throw ShotError("kitty draws nothing") }
    }

    private func importWindow(to file: String) throws {
        let result = try Command.run(
            ["import", "-window", captured, "-depth", "8", "-define", "png:compression-level=9", file],
            setting: ["DISPLAY": display])
        guard result.status == 0 else { throw ShotError("import fails: \(result.errors)") }
    }

    func send(_ text: String) {
        // `try?`: a key that does not arrive shows in the trace.
        if let sender = try? beginSending(text) { reap(sender) }
    }

    func beginSending(_ text: String) throws -> pid_t? {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
            of: "\u{1B}", with: "\\x1b")
        return try spawn(
            ["kitty", "@", "--to", control, "send-text", escaped], environment: ShotEnvironment.inherited)
    }

    /// flick keeps running: kitty shows an update as a whole, so the capture is one picture.
    func capture(to file: String, atOnce: Bool) throws {
        if !atOnce { wait(for: "picture", times: count(of: "picture") + 1, upTo: .milliseconds(80)) }
        try importWindow(to: file)
        // The window is a pixel larger than its cells.
        let image = try ShotImage(file)
        let (width, height) = (image.width / size.columns * size.columns, image.height / size.rows * size.rows)
        guard (width, height) != (image.width, image.height) else { return }
        let result = try Command.run(["mogrify", "-crop", "\(width)x\(height)+0+0", "+repage", file])
        guard result.status == 0 else { throw ShotError("mogrify fails: \(result.errors)") }
    }
}
