import Foundation
import Model
import TestSupport

/// A film that flick plays as a user would play it: how it is made, what is
/// done meanwhile, and what should be seen and heard.
struct WildFilm: Sendable {
    /// What is done when a second of the film is reached for the first time after the previous step.
    struct Step: Sendable {
        var second: Int
        var act: @Sendable (TmuxTerminal) throws -> Void

        static func press(_ key: String, at second: Int) -> Step { Step(second: second) { try $0.press(key) } }
    }

    var name: String
    var kind: WildFilms.Kind
    var coded: CodedFilm
    var steps: [Step] = []
    var arguments = ["--no-loop"]
    /// Text of the page on which it ends; nil if it should not end so.
    var failure: String?
    /// Makes it, and returns its path or URL.
    var make: @Sendable (Workshop) throws -> String

    struct Unfinished: Error, CustomStringConvertible { var description: String }

    /// Plays it to the end of its seconds. Blocks.
    func record() throws -> RecordedPlayback {
        let workshop = Workshop()
        defer { workshop.close() }
        let flick = try FlickSession(
            ["--reduced-motion"] + arguments + [try make(workshop)], size: GridSize(columns: 48, rows: 16),
            sound: .written)
        var playback = RecordedPlayback()
        var progress = Progress(film: self)
        let began = ContinuousClock.now
        let limit = Duration.seconds(20 + 2 * coded.seconds.count)
        while !progress.isOver {
            let before = WrittenSound.frames(at: flick.soundFile)
            let screen = try flick.terminal.capture()
            let frames = (before + WrittenSound.frames(at: flick.soundFile)) / 2
            let time = (ContinuousClock.now - began) / .seconds(1)
            let hue = SecondCode.hue(
                of: screen.meanColor(of: GridRect(column: 12, row: 5, columns: 4, rows: 2)))
            playback.looks.append(.init(time: time, frames: frames, hue: hue))
            let seconds = screen.shownSeconds
            if let seconds { playback.clocks.append((frames, seconds)) }
            try progress.look(time, hue: hue, seconds: seconds, frames: frames, screen, flick.terminal)
            guard ContinuousClock.now - began < limit else {
                playback.tones = SecondCode.tones(of: WrittenSound(path: flick.soundFile))
                throw Unfinished(
                    description: "not over after \(limit): pictures \(playback.pictures.map(\.code)), sounds "
                        + "\(playback.sounds.map(\.code)), at \(seconds ?? -1) s\n\(screen.text)")
            }
            // The pace of looking, not a wait for anything.
            usleep(25_000)
        }
        try flick.terminal.press("q")
        try flick.terminal.waitForExit()
        playback.tones = SecondCode.tones(of: WrittenSound(path: flick.soundFile))
        return playback
    }

    /// How far a film is.
    private struct Progress {
        let film: WildFilm
        private var steps: ArraySlice<Step>
        /// The second that was seen last, as an index of the film's.
        private var reached = -1
        private var lastBegan = 0.0
        private(set) var isOver = false

        init(film: WildFilm) {
            self.film = film
            steps = film.steps[...]
        }

        mutating func look(
            _ time: Double, hue: Int?, seconds: Int?, frames: Int, _ screen: CapturedScreen, _ terminal: TmuxTerminal
        ) throws {
            let (coded, last) = (film.coded, film.coded.seconds.count - 1)
            if let failure = film.failure {
                isOver = screen.contains(failure)
            } else if screen.contains("Enter retry") {
                throw Unfinished(description: "an error page:\n\(screen.text)")
            }
            // A busy machine may miss a second.
            for index in max(reached + 1, 0)..<max(reached + 1, min(reached + 4, last + 1)) {
                // But no seek.
                if index > reached + 1, !coded.continues(at: index) { break }
                let second = coded.seconds[index]
                let isThere =
                    coded.hasClock
                    ? seconds == second && (hue != nil || coded.hue(second) == nil || frames > 0)
                    : coded.hue(second) != nil
                        ? hue == coded.hue(second)
                        : frames >= (index + 4) * RecordedPlayback.rate
                guard isThere else { continue }
                (reached, lastBegan) = (index, time)
                break
            }
            // In the first half of the second, but not at its beginning.
            if reached >= 0, let step = steps.first, coded.seconds[reached] == step.second, time - lastBegan > 0.3 {
                steps.removeFirst()
                try step.act(terminal)
            }
            if film.failure == nil, reached == last, steps.isEmpty, time - lastBegan > 0.6 { isOver = true }
        }
    }
}

/// Where a film is made, and its servers.
final class Workshop {
    let folder = TemporaryFolder()
    private var closings: [() -> Void] = []

    func close() {
        for close in closings { close() }
        closings = []
    }

    func atEnd(_ close: @escaping () -> Void) { closings.append(close) }

    func server() throws -> FaultyServer {
        let server = try FaultyServer()
        atEnd { server.stop() }
        return server
    }

    /// Runs ffmpeg in the folder, with `name` as its output, and returns the path.
    @discardableResult
    func ffmpeg(_ name: String, _ arguments: [String]) throws -> String {
        let result = try Command.run(
            ["sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path, "ffmpeg", "-v", "error", "-nostdin", "-y"]
                + arguments + [name])
        guard result.status == 0 else { throw Command.Error(description: "ffmpeg, \(name): \(result.errors)") }
        return folder.path + "/" + name
    }

    /// A film with a hue and a tone for each second.
    ///
    /// - Parameters:
    ///   - first: the number of its first second.
    ///   - more: options for the output.
    @discardableResult
    func film(
        _ name: String, seconds: Int, first: Int = 0, size: String = "160x120", audio: String? = nil,
        _ more: [String] = []
    ) throws -> String {
        try ffmpeg(
            name,
            Self.picture(seconds, first: first, size: size) + Self.sound(seconds, first: first) + Self.coding
                + (audio.map { ["-c:a", $0] } ?? []) + more)
    }

    static let coding = ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-c:a", "aac"]

    static func picture(_ seconds: Int, first: Int = 0, size: String = "160x120", rate: String = "10") -> [String] {
        let paint = SecondCode.paint("floor(T)+\(first)")
        return [
            "-f", "lavfi", "-i", "color=black:s=\(size):r=\(rate):d=\(seconds),\(paint)",
        ]
    }

    static func sound(_ seconds: Int, first: Int = 0, rate: Int = 48_000) -> [String] {
        ["-f", "lavfi", "-i", "aevalsrc='\(SecondCode.wave("floor(t)+\(first)"))':s=\(rate):d=\(seconds)"]
    }

    /// One file after the other, as `cat` does.
    func joined(_ name: String, _ parts: [String]) throws -> String {
        try folder.write(name, try parts.flatMap { try bytes($0) })
    }

    func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
}
