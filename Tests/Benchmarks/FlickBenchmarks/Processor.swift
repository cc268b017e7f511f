import Foundation
import Model
import TestSupport

/// What playing costs beside timg, which draws the same cells: processor time, and how often each process wakes up.
func processor(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Processor: playing in a terminal of 200x60, beside timg")
    let hasTimg = programs.has("timg", for: "processor, flick / timg", &report)
    for (name, clip, pictures) in [("176x144", try clips.tiny(), 25.0), ("720p", try clips.long(), 30.0)] {
        var own: [Playing] = []
        var timg: [Playing] = []
        // In turn, so that a machine that slows down slows both.
        for _ in 0..<3 {
            own.append(try Playing(programs.flick, [clip], quit: "q"))
            if hasTimg {
                timg.append(try Playing("timg", ["-U", "-V", "-p", "half", "-g200x60", clip], quit: nil))
            }
        }
        let processor = own.map(\.processor).median
        report.note("\(name): flick, share of a core", processor, "")
        if hasTimg {
            let peer = timg.map(\.processor).median
            report.note("\(name): timg, share of a core", peer, "")
            report.figure("\(name): processor, flick / timg", processor / peer, "", atMost: 1.1)
            report.note(
                "\(name): timg, wake-ups a second, its writing too", timg.map { $0.wakes + $0.writes }.median, "")
        }
        report.figure("\(name): wake-ups a second, flick", own.map(\.wakes).median, "", atMost: 40 + pictures)
        report.figure(
            "\(name): wake-ups a second, the decoder of the page", own.map(\.decoderWakes).median, "",
            atMost: 40 + pictures)
        report.note("\(name): waits for the terminal within a write, a second", own.map(\.writes).median, "")
    }
    try ncursesProcessor(&report, programs, try clips.long())
}

/// What playing costs where ncurses paints: 30 pictures a second.
private func ncursesProcessor(_ report: inout Report, _ programs: Programs, _ clip: String) throws {
    for (name, term, options, size, most) in [
        (
            "ASCII in 16 colours, 200x60", "xterm-16color", ["--surface", "ascii"], GridSize(columns: 200, rows: 60),
            0.25
        ),
        (
            "half blocks in 256 colours, 80x24", "xterm-256color", ["--surface", "half"],
            GridSize(columns: 80, rows: 24), 0.1
        ),
    ] {
        let runs = try (0..<3).map { _ in
            try Playing(
                programs.flick, ["--output", "ncurses"] + options + [clip], quit: "q", size: size,
                environment: ["TERM": term, "COLORTERM": ""])
        }
        report.figure(
            "ncurses, \(name): flick without its decoder, share of a core",
            runs.map { $0.processor - $0.decoderProcessor }.median, "", atMost: most)
        report.note("ncurses, \(name): its decoder", runs.map(\.decoderProcessor).median, "")
    }
}

/// A program that plays, watched for ten seconds.
private struct Playing {
    private static let watched = 10.0

    /// Of the program and its children, in seconds a second.
    var processor = 0.0
    /// Of its children alone.
    var decoderProcessor = 0.0
    /// How often all its threads but the one that writes to the terminal went to sleep, a second.
    var wakes = 0.0
    /// The same of the decoder that did so most: the one of the clip in view.
    var decoderWakes = 0.0
    /// How often the thread that writes did.
    var writes = 0.0

    init(
        _ program: String, _ arguments: [String], quit: String?, size: GridSize = GridSize(columns: 200, rows: 60),
        environment: [String: String] = [:]
    ) throws {
        let terminal = try PTYProcess(
            [program] + arguments, size: size,
            environment: ["SDL_AUDIODRIVER": "dummy", "XDG_CACHE_HOME": Session.cacheHome.path].merging(environment) {
                $1
            })
        defer {
            if let quit { terminal.type(quit) } else { kill(terminal.pid, SIGTERM) }
            terminal.finish(within: .seconds(5))
        }
        terminal.read(for: .seconds(3)) { _ in true }
        let before = Self.threads(of: terminal.pid)
        var written = 0
        terminal.read(for: .seconds(Self.watched)) { bytes in
            written += bytes.count
            return true
        }
        let after = Self.threads(of: terminal.pid)
        // A program that has ended costs nothing, which is no figure.
        guard before[terminal.pid] != nil, after[terminal.pid] != nil else {
            throw NotMeasured("\(program) ended early")
        }
        guard written > 10_000 else { throw NotMeasured("\(program) drew nothing while it was watched") }
        var decoders: [pid_t: Double] = [:]
        for (thread, now) in after {
            let was = before[thread] ?? Thread(process: now.process, writes: now.writes)
            let share = (now.processor - was.processor) / Self.watched
            processor += share
            if now.process != terminal.pid { decoderProcessor += share }
            let sleeps = Double(now.sleeps - was.sleeps) / Self.watched
            if now.process != terminal.pid {
                decoders[now.process, default: 0] += sleeps
            } else if now.writes {
                writes += sleeps
            } else {
                wakes += sleeps
            }
        }
        decoderWakes = decoders.values.max() ?? 0
    }

    private struct Thread {
        var process: pid_t
        var writes: Bool
        var processor = 0.0
        var sleeps = 0
    }

    /// The threads of a process and of its children, by their ids.
    private static func threads(of pid: pid_t) -> [pid_t: Thread] {
        var found: [pid_t: Thread] = [:]
        var processes = [pid]
        while let process = processes.popLast() {
            // A child that has just ended has none; the code above checks that the program itself runs.
            for task in ProcessFile.threads(process) {
                func read(_ name: String) -> String { ProcessFile.text(process, "task/\(task)/\(name)") ?? "" }
                let status = read("status")
                // Ended, but not yet reaped by its parent.
                if status.contains("(zombie)") { continue }
                var thread = Thread(process: process, writes: read("comm").hasPrefix("terminal"))
                thread.processor = (read("schedstat").split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
                let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
                thread.sleeps = line.flatMap { $0.split(separator: "\t").last }.flatMap { Int($0) } ?? 0
                found[task] = thread
                processes += read("children").split(separator: " ").compactMap { pid_t($0) }
            }
        }
        return found
    }
}
