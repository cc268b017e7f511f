internal import Logging
import Model

/// Where flick writes down what happens: every event in the trace (`--trace`), and those that matter in the log (`--log`). From any thread.
struct Journal: Sendable {
    private let trace: TraceFile?
    private let log: Logger

    /// Throws if a file that was asked for by name cannot be written. A log that nobody asked for is not created before there is something to write.
    init(_ report: ReportSettings, file: LogFile, clock: ProcessClock) throws(AppError) {
        trace = try report.trace.map { path throws(AppError) in try TraceFile(path: path, clock: clock) }
        if report.log != nil { try file.open() }
        // An unknown level was refused with the arguments.
        let level = Logger.Level(rawValue: report.logLevel) ?? .warning
        log = Logger(label: "flick") { _ in FileLogHandler(file: file, clock: clock, level: level) }
    }

    func record(_ event: TraceEvent) {
        trace?.write(event)
        let level = LogEntry.level(of: event)
        guard level >= log.logLevel else { return }
        log.log(level: level, "\(LogEntry.text(of: event))")
    }

    /// Whether fetches are written down anywhere.
    var writesFetches: Bool { trace != nil || LogEntry.fetches >= log.logLevel }

    /// Whether each picture is written down, with the time when the terminal had taken it.
    var writesPictures: Bool { trace != nil }

    /// Something that the user should be able to find later, and that the trace has no event for.
    func warn(_ text: String) { log.warning("\(text)") }

    /// The last event, whatever ended the run.
    func end(status: Int32) { record(.end(status: Int(status))) }
}
