import Foundation
import Model
import TestSupport

/// flick, browsing `sources` in a terminal of 200×60, and its trace.
struct Session {
    let program: PTYProcess
    let trace: String

    /// The cache folder of sessions that do not choose one, separate from the user's.
    static let cacheHome = TemporaryFolder()

    /// - Parameter before: arguments before flick's own, if another program starts flick.
    init(_ flick: String, before: [String] = [], _ sources: [String], _ options: [String] = []) throws {
        trace = "\(NSTemporaryDirectory())flick-bench-\(UUID().uuidString).trace"
        program = try PTYProcess(
            [flick] + before + ["--trace", trace] + options + sources, size: GridSize(columns: 200, rows: 60),
            environment: ["SDL_AUDIODRIVER": "dummy", "XDG_CACHE_HOME": Self.cacheHome.path])
    }

    /// Lets it run, and reads what it writes.
    func run(_ time: Duration) { program.read(for: time) { _ in true } }

    /// Quits it and returns its trace.
    func finish() throws -> TraceReader {
        program.type("q")
        program.finish(within: .seconds(5))
        defer { unlink(trace) }
        return try TraceReader(path: trace)
    }

    /// Its running decoder processes.
    var decoders: [pid_t] { descendants.filter { Self.name($0).hasPrefix("flick-decoder") } }

    /// All processes below it.
    var descendants: [pid_t] {
        var (found, next): ([pid_t], [pid_t]) = ([], [program.pid])
        while let pid = next.popLast() {
            // Each thread has children of its own, and a process that has just ended has no threads.
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
            let children = tasks.flatMap { task -> [pid_t] in
                // A thread that has just ended has no children.
                let text = (try? String(contentsOfFile: "/proc/\(pid)/task/\(task)/children", encoding: .utf8)) ?? ""
                return text.split(separator: " ").compactMap { pid_t($0) }
            }
            found += children
            next += children
        }
        return found
    }

    private static func name(_ pid: pid_t) -> String {
        // A process that has just ended has no name.
        (try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)) ?? ""
    }

    /// User and system time of flick and its decoders so far, in seconds.
    var processor: Double {
        ([program.pid] + descendants).reduce(0) { total, pid in
            // A process that has just ended has no times.
            guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
                let after = stat.split(separator: ")").last?.split(separator: " "), after.count > 12
            else { return total }
            return total + ((Double(after[11]) ?? 0) + (Double(after[12]) ?? 0)) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    /// A field of /proc/PID/smaps_rollup in MiB.
    static func memory(_ pid: pid_t, _ field: String) -> Double {
        // A process that has just ended has no memory.
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/smaps_rollup", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(field) }),
            let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return .nan }
        return kilobytes / 1_024
    }
}

/// Twenty seconds of playback: pictures, drops, sound against picture.
func play(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Play: 30 pictures a second at 200x60, 20 s")
    let session = try Session(programs.flick, [try clips.long()])
    session.run(.seconds(22))
    // While the processes still run.
    let processor = session.processor
    let trace = try session.finish()
    guard let first = trace.events("first_frame").first else {
        report.figure("pictures shown", 0, "", atLeast: 1)
        return
    }
    let window = first.time + 1..<first.time + 20
    let pictures = trace.events("picture").filter { window.contains($0.time) }
    let shown = Set(pictures.compactMap { $0.number("pts") }).count
    report.figure("dropped", max(0, 1 - Double(shown) / (19 * 30)), "", atMost: 0.01)
    report.note("processor of all processes, 22 s", processor, "s")
    report.note("bytes a picture", pictures.compactMap { $0.number("bytes") }.median, "")
    let drifts = trace.events("audio").filter { window.contains($0.time) }.compactMap { $0.number("drift_ms") }
    let inStep = Double(drifts.filter { abs($0) <= 45 }.count) / Double(max(1, drifts.count))
    report.figure("seconds with sound and picture within 45 ms", inStep, "", atLeast: 0.99)
    report.note("seconds measured", "\(drifts.count)")
}

/// Paused: processor and memory.
func rest(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("At rest: paused, a 720p clip of ten in view")
    let session = try Session(programs.flick, [try clips.ten()])
    session.run(.seconds(3))
    session.program.type(" ")
    session.run(.seconds(2))
    let before = session.processor
    session.run(.seconds(10))
    report.figure("processor, share of a core", (session.processor - before) / 10, "", atMost: 0.01)
    report.figure("flick, resident", Session.memory(session.program.pid, "Rss:"), "MiB", atMost: 60)
    for pid in session.decoders {
        report.figure("a decoder, proportional", Session.memory(pid, "Pss:"), "MiB", atMost: 60)
    }
    _ = try session.finish()
}

/// A folder of a hundred thousand clips.
func many(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("A folder of 100,000 clips")
    let folder = try clips.many(100_000)
    var times: [Double] = []
    for _ in 0..<5 { times.append(try programs.firstPicture([programs.flick, folder])) }
    report.figure("first picture", times.median, "ms", atMost: 1_000)
    func resident(_ folder: String) throws -> Double {
        let session = try Session(programs.flick, [folder])
        session.run(.seconds(3))
        defer { session.program.type("q") }
        return Session.memory(session.program.pid, "Rss:")
    }
    let (large, small) = (try resident(folder), try resident(try clips.ten()))
    report.figure("memory above a folder of ten", large - small, "MiB", atMost: 40)
}
