internal import Logging
import Model
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
