import Foundation
import Model
import TestSupport

/// Playback behind slow links, with 100 ms there and back: how soon a key has an effect, and how many pictures come.
func links(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Links: 100 ms there and back, 256 KB under way at most; the pause key, twelve times each")
    let clip = try clips.long()
    let (small, large) = (GridSize(columns: 80, rows: 24), GridSize(columns: 200, rows: 60))
    for (megabits, size, least) in [(1.0, small, 8.0), (1, large, 3), (8, small, 29), (8, large, 15)] {
        let name = "\(Int(megabits)) Mbit/s, \(size.columns)x\(size.rows)"
        let figures = try LinkedSession(programs.flick, clip, size, megabits: megabits)
        report.figure("\(name): from the key to its effect, p95", figures.effects.quantile(0.95), "ms", atMost: 250)
        report.figure("\(name): fps", figures.picturesPerSecond, "", atLeast: least)
        report.figure("\(name): the most that waits", figures.maxBacklog, "ms", atMost: 150)
        report.note("\(name): bytes a picture", figures.bytesPerPicture, "")
        report.note("\(name): quality, by the trace", figures.quality, "")
        report.figure("\(name): sound ran out", figures.gaps, "", atMost: 0)
    }
}

/// A session behind a link, and what came of it.
private struct LinkedSession {
    var effects: [Double] = []
    var picturesPerSecond = 0.0
    var bytesPerPicture = 0.0
    /// Of what the link carries, in milliseconds.
    var maxBacklog = 0.0
    var quality = 0.0
    var gaps = 0.0

    init(_ flick: String, _ clip: String, _ size: GridSize, megabits: Double) throws {
        let trace = "\(NSTemporaryDirectory())flick-bench-\(UUID().uuidString).trace"
        defer { unlink(trace) }
        let program = try PTYProcess(
            [flick, "--trace", trace, clip], size: size,
            environment: ["SDL_AUDIODRIVER": "dummy", "XDG_CACHE_HOME": Session.cacheHome.path])
        let rate = megabits * 125_000
        let terminal = DistantTerminal(
            program, size: size, link: SlowLink(rate: rate, roundTrip: .milliseconds(100), buffer: 256 << 10))
        terminal.run(for: .seconds(4))
        terminal.maxBacklog = 0
        let (before, bytes) = (terminal.now, terminal.bytes)
        terminal.run(for: .seconds(8))
        let seconds = (terminal.now - before).seconds
        let sent = Double(terminal.bytes - bytes)
        for _ in 0..<12 {
            let pressed = terminal.now
            terminal.type(" ")
            guard terminal.run(for: .seconds(15), until: "❚❚") else {
                effects.append(15_000)
                continue
            }
            effects.append((terminal.now - pressed).milliseconds)
            terminal.run(for: .milliseconds(400))
            terminal.type(" ")
            terminal.run(for: .milliseconds(1_100))
        }
        maxBacklog = Double(terminal.maxBacklog) / rate * 1_000
        terminal.type("q")
        terminal.run(for: .seconds(2))
        program.finish(within: .seconds(5))
        let lines = try TraceReader(path: trace)
        guard let first = lines.events("first_frame").first?.time else { throw NotMeasured("flick showed no picture") }
        let window = first + 4..<first + 11.5
        let pictures = lines.events("picture").filter { window.contains($0.time) }
        picturesPerSecond = Double(Set(pictures.compactMap { $0.number("pts") }).count) / 7.5
        bytesPerPicture = sent / seconds / max(picturesPerSecond, 0.1)
        quality = lines.events("link").filter { window.contains($0.time) }.compactMap { $0.number("quality") }.median
        gaps = Double(lines.events("stall").count)
    }
}
