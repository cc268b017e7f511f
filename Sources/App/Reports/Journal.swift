internal import Logging
import Model

/// What flick tells about itself: every event to the trace (`--trace`), and those that matter to the log (`--log`). From any thread.
struct Journal: Sendable {
    private let trace: TraceFile?
    private let log: Logger

    /// Throws if a file that was asked for by name cannot be written. The log is then not created before there is something to tell.
    init(_ report: ReportSettings, file: LogFile, clock: ProcessClock) throws(AppError) {
        trace = try report.trace.map { path throws(AppError) in try TraceFile(path: path, clock: clock) }
        if report.log != nil { try file.open() }
        // An unknown level was refused with the arguments.
        let level = Logger.Level(rawValue: report.logLevel) ?? .warning
        log = Logger(label: "flick") { _ in FileLogHandler(file: file, clock: clock, level: level) }
    }

    func tell(_ event: TraceEvent) {
        trace?.write(event)
        let level = LogEntry.level(of: event)
        guard level >= log.logLevel else { return }
        log.log(level: level, "\(LogEntry.text(of: event))")
    }

    /// Whether anything would be told of events of that name, as far as the name decides.
    func hears(_ name: String) -> Bool { trace != nil || LogEntry.level(of: TraceEvent(name)) >= log.logLevel }

    /// Something that the user should be able to find later, and that the trace has no event for.
    func warn(_ text: String) { log.warning("\(text)") }

    /// `end` is told last, whatever ended it.
    func end(status: Int32) { tell(TraceEvent("end", ["status": .integer(Int(status))])) }
}
