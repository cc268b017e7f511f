import Foundation
import Model
import TestSupport

/// `make demo-recording`: a few seconds of real use in a window of xterm, as the GIF at the top of the README.
struct Recording {
    /// What is done, and when, in seconds after the first frame.
    private static let script: [(time: Double, text: String)] = [
        (1.4, down), (2.6, down), (3.6, "l"), (5.2, down), (6.2, right), (6.6, right), (7.8, "?"), (9.4, "\u{1B}"),
        (10.2, down),
    ]
    private static let length = 11.6
    private static let down = "\u{1B}[B"
    private static let right = "\u{1B}[C"
    /// More would make the file larger than 3 MB.
    private static let framesPerSecond = 12

    /// Records `flick` with the demo feed, and writes the GIF to `file`. Blocks for half a minute.
    static func make(flick: String, _ footage: Footage, to file: String) throws {
        let scratch = TemporaryFolder()
        let server = try XServer(folder: scratch.path)
        var shot = Shot(group: "demo", scene: "recording", size: GridSize(columns: 100, rows: 32), source: .demo)
        shot.surface = "quadrant"
        let command = try [flick] + footage.arguments(.demo) + ["--surface", shot.surface, "--color", "truecolor"]
        let window = try Xterm(shot, command, on: server, folder: scratch.path)
        guard window.wait(for: "first_frame") else { throw ShotError("the recording has no first frame") }
        let film = scratch.path + "/film.mkv"
        let recorder = try spawn(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-f", "x11grab", "-draw_mouse", "0", "-window_id", window.window,
                "-framerate", "\(framesPerSecond)", "-i", server.display, "-t", "\(length)", "-c:v", "libx264",
                "-preset", "ultrafast", "-qp", "0", film,
            ], environment: ProcessInfo.processInfo.environment)
        let began = ContinuousClock.now
        for step in script {
            // A film is made in real time.
            Thread.sleep(forTimeInterval: max(0, step.time - (ContinuousClock.now - began) / .seconds(1)))
            window.send(step.text)
        }
        var status: Int32 = 0
        guard holds(within: .seconds(length), { waitpid(recorder, &status, WNOHANG) != 0 }), status == 0 else {
            throw ShotError("ffmpeg cannot record the window")
        }
        let palette = "split[a][b];[a]palettegen=max_colors=160:stats_mode=diff[p];"
        let result = try Command.run([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", film, "-filter_complex",
            palette + "[b][p]paletteuse=dither=none:diff_mode=rectangle", file,
        ])
        guard result.status == 0 else { throw ShotError("ffmpeg cannot write \(file): \(result.errors)") }
    }
}
