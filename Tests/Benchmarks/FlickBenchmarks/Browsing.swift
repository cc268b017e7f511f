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

    /// Quits it and returns its trace. Throws unless it showed a picture and exited with 0.
    func finish() throws -> TraceReader {
        program.type("q")
        let status = program.finish(within: .seconds(5))
        defer { unlink(trace) }
        guard status == 0 else { throw NotMeasured("flick failed (status \(status))") }
        let reader = try TraceReader(path: trace)
        guard !reader.events("first_frame").isEmpty else { throw NotMeasured("flick showed no picture") }
        return reader
    }

    /// Its running decoder processes.
    var decoders: [pid_t] { descendants.filter { ProcessFile.name($0).hasPrefix("flick-decoder") } }

    /// All processes below it.
    var descendants: [pid_t] { ProcessFile.descendants(program.pid) }

    /// User and system time of flick and its decoders so far, in seconds; NaN if flick has ended.
    var processor: Double {
        let decoders = descendants.compactMap(ProcessFile.processor).reduce(0, +)
        return ProcessFile.processor(program.pid).map { $0 + decoders } ?? .nan
    }

    /// Plays for `time`, pauses, and returns what share of a core all of it takes for ten seconds from 2 s later on.
    func processorWhilePaused(after time: Duration) -> Double {
        run(time)
        program.type(" ")
        run(.seconds(2))
        let before = processor
        run(.seconds(10))
        return (processor - before) / 10
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
    guard let first = trace.events("first_frame").first else { throw NotMeasured("flick showed no picture") }
    let window = first.time + 1..<first.time + 20
    let pictures = trace.events("picture").filter { window.contains($0.time) }
    let shown = Set(pictures.compactMap { $0.number("pts") }).count
    report.figure("dropped", max(0, 1 - Double(shown) / (19 * 30)), "", atMost: 0.01)
    report.note("processor of all processes, 22 s", processor, "s")
    report.note("bytes a picture", pictures.compactMap { $0.number("bytes") }.median, "")
    let drifts = trace.events("audio").filter { window.contains($0.time) }.compactMap { $0.number("drift_ms") }
    let inStep = Double(drifts.filter { abs($0) <= 45 }.count) / Double(drifts.count)
    report.figure("seconds with sound and picture within 45 ms", inStep, "", atLeast: 0.99)
    report.note("seconds measured", "\(drifts.count)")
}

/// Paused: processor and memory.
func rest(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("At rest: paused, a 720p clip of ten in view")
    let session = try Session(programs.flick, [try clips.ten()])
    let share = session.processorWhilePaused(after: .seconds(3))
    report.figure("processor, share of a core", share, "", atMost: 0.01)
    report.figure("flick, resident", ProcessFile.memory(session.program.pid, "Rss:"), "MiB", atMost: 60)
    let decoders = session.decoders.map { ProcessFile.memory($0, "Pss:") }
    report.figure("the largest decoder, proportional", decoders.max() ?? .nan, "MiB", atMost: 60)
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
        return ProcessFile.memory(session.program.pid, "Rss:")
    }
    let (large, small) = (try resident(folder), try resident(try clips.ten()))
    report.figure("memory above a folder of ten", large - small, "MiB", atMost: 40)
}
