internal import Logging
import Model
import Platform
import Synchronization
import UI

/// Records what happens: every event in the trace (`--trace`), important ones in the log (`--log`). Any thread.
struct Journal: Sendable {
    private let trace: TraceFile?
    private let log: Logger

    /// Throws if a file that the user named cannot be written. The default log
    /// is only created when there is something to write.
    init(_ report: ReportSettings, file: LogFile, clock: ProcessClock) throws(AppError) {
        trace = try report.trace.map { path throws(AppError) in try TraceFile(path: path, clock: clock) }
        if report.log != nil { try file.open() }
        // Unknown levels were refused with the arguments.
        let level = Logger.Level(rawValue: report.logLevel) ?? .warning
        log = Logger(label: "flick") { _ in FileLogHandler(file: file, clock: clock, level: level) }
    }

    func record(_ event: TraceEvent) {
        trace?.write(event)
        let level = LogEntry.level(of: event)
        guard level >= log.logLevel else { return }
        log.log(level: level, "\(LogEntry.text(of: event))")
    }

    /// Whether fetches are recorded anywhere.
    var writesFetches: Bool { trace != nil || LogEntry.fetches >= log.logLevel }

    /// Whether each picture is recorded, with the time at which the terminal had received it.
    var writesPictures: Bool { trace != nil }

    /// Logs something that the user should find later, and for which the trace has no event.
    func warn(_ text: String) { log.warning("\(text)") }

    /// Logs how something is that is as it should be on many machines.
    func note(_ text: String) { log.info("\(text)") }

    /// A temporary problem: records it, and returns a notice for the page.
    func complaint(of what: String, _ why: String, as kind: Toasts.Kind = .failure) -> Event {
        record(.error(what: what, why: why))
        return .notice(why, kind)
    }

    /// The last event of a run, whatever ended it.
    func end(status: Int32) { record(.end(status: Int(status))) }
}

/// The trace: NDJSON, one line per event. Each line is written with one `write`, so that readers see whole lines and a
/// kill loses none. Any thread.
final class TraceFile: Sendable {
    private let descriptor: Int32
    private let start: ProcessClock
    /// Orders the lines of several threads, so that their times rise.
    private let order = Mutex(())

    /// Truncates or creates the file at `path`.
    init(path: String, clock: ProcessClock) throws(AppError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw AppError.file("open the trace", path, errno) }
        start = clock
    }

    deinit { close(descriptor) }

    func write(_ event: TraceEvent) {
        order.withLock { _ in
            let line = TraceFile.line(event, at: start.now)
            // If a line cannot be written (disk full), the trace has a gap and playback continues.
            _ = line.withUnsafeBytes { bytes in Descriptor(descriptor).writeSome(bytes) }
        }
    }

    /// The line of an event, with its newline.
    static func line(_ event: TraceEvent, at time: Duration) -> [UInt8] {
        var json = JSONLine()
        json.put("t", .number(time.seconds))
        let (name, item, fields) = event.encoding
        json.put("ev", .text(name))
        if let item { json.put("item", .text(item)) }
        for field in fields { json.put(field.key, field.value) }
        return json.finished()
    }
}
