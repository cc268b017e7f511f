import Foundation
import Model
import TestSupport

/// flick with sextants or octants in a window of kitty, drawn with `PartsFont`: xterm leaves out characters that are newer than the system's C library.
enum PartsWindow {
    /// Whether there is a kitty to open windows of.
    static let isAvailable = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/kitty") }

    /// Writes what `shot` looks like to `file`, without its steps. Blocks for some seconds.
    static func take(_ shot: Shot, _ command: [String], on server: XServer, folder: String, to file: String) throws {
        let trace = folder + "/trace"
        let options = [
            "remember_window_size=no", "initial_window_width=\(shot.size.columns)c",
            "initial_window_height=\(shot.size.rows)c", "hide_window_decorations=yes", "window_padding_width=0",
            "font_family=DejaVu Sans Mono", "font_size=\(shot.fontSize)", "cursor_blink_interval=0",
            "update_check_interval=0",
        ]
        let environment = ProcessInfo.processInfo.environment.merging([
            "DISPLAY": server.display, "LIBGL_ALWAYS_SOFTWARE": "1", "LC_ALL": "C.UTF-8", "SDL_AUDIODRIVER": "dummy",
            "FONTCONFIG_FILE": try PartsFont.install(in: folder), "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder,
            "XDG_CONFIG_HOME": folder,
        ]) { $1 }
        let kitty = try spawn(
            ["kitty", "--config", "NONE"] + options.flatMap { ["-o", $0] } + command + ["--trace", trace],
            environment: environment)
        defer { end(kitty) }
        func pictures() -> Int {
            (fileText(trace) ?? "").split(separator: "\n").count { $0.contains("\"ev\":\"picture\"") }
        }
        guard holds(within: .seconds(40), { pictures() >= shownPictures }) else {
            throw Failure("\(shot.name): no picture comes")
        }
        // The window has nothing around it.
        let result = try Command.run(
            [
                "import", "-window", "root", "-trim", "+repage", "-depth", "8", "-define", "png:compression-level=9",
                file,
            ],
            setting: ["DISPLAY": server.display])
        guard result.status == 0 else { throw Failure("import fails: \(result.errors)") }
    }

    /// The cover has faded by then, and the creator's avatar is there.
    private static let shownPictures = 30
}
