internal import Logging
import Model
import Platform
import Synchronization

/// The names that `--log-level` accepts.
public enum LogLevel {
    public static func isKnown(_ name: String) -> Bool { Logger.Level(rawValue: name) != nil }
    public static var all: [String] { Logger.Level.allCases.map(\.rawValue) }
    public static var names: String { all.joined(separator: ", ") }
}

/// The log of a run: a file, never the screen. Opened when first needed, and only appended to, because several flicks
/// can share it. Any thread.
final class LogFile: Sendable {
    /// In bytes: how long the default log grows before it becomes the older one, "flick.log.1".
    static let most = 1 << 20

    private let path: String
    private let limit: Int?
    private let descriptor = Mutex<Int32>(-1)

    /// - Parameter limit: in bytes; nil for a file that the user named, which is theirs to keep short.
    init(path: String, limit: Int? = nil) {
        self.path = path
        self.limit = limit
    }

    deinit { descriptor.withLock { if $0 >= 0 { close($0) } } }

    /// Opens the file now, and creates its folders. Returns its descriptor, which this object owns.
    @discardableResult
    func open() throws(AppError) -> Int32 {
        try descriptor.withLock { descriptor throws(AppError) in try opened(&descriptor) }
    }

    /// Writes a line with one call, so that lines of several threads and processes do not mix.
    func append(_ line: String) {
        descriptor.withLock { descriptor in
            // `browse` has reported once that there is no log. There is nowhere else to write the line.
            guard let target = try? openedWithRoom(&descriptor) else { return }
            let bytes = Array(line.utf8)
            _ = bytes.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        }
    }

    private func opened(_ descriptor: inout Int32) throws(AppError) -> Int32 {
        if descriptor < 0 {
            Folders.make(above: path)
            do throws(SystemError) {
                descriptor = try Descriptor.open(path, O_WRONLY | O_CREAT | O_APPEND).number
            } catch { throw AppError.file("open the log", path, error.code) }
        }
        return descriptor
    }

    /// The descriptor of a file that is not too long. Room is made only in one that could be opened.
    private func openedWithRoom(_ descriptor: inout Int32) throws(AppError) -> Int32 {
        _ = try opened(&descriptor)
        makeRoom(&descriptor)
        return try opened(&descriptor)
    }

    /// Makes a log that is too long the older one, in place of the one before. Another flick that writes to it finds
    /// that out, and opens the new one.
    private func makeRoom(_ descriptor: inout Int32) {
        guard let limit else { return }
        var (ours, named) = (stat(), stat())
        guard fstat(descriptor, &ours) == 0 else { return }
        let isOurs = { stat(self.path, &named) == 0 && named.st_ino == ours.st_ino && named.st_dev == ours.st_dev }
        if isOurs() {
            guard ours.st_mode & S_IFMT == S_IFREG, ours.st_size >= limit else { return }
            // One flick renames it: another one that has waited finds a new file under the name.
            guard flock(descriptor, LOCK_EX) == 0 else { return }
            if isOurs() { rename(path, path + ".1") }
        }
        close(descriptor)
        descriptor = -1
    }
}

/// Writes swift-log's messages as lines of a `LogFile`. A value; any thread.
struct FileLogHandler: LogHandler {
    let file: LogFile
    let clock: ProcessClock
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(file: LogFile, clock: ProcessClock, level: Logger.Level) {
        self.file = file
        self.clock = clock
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let text = CleanText.line(event.message.description)
        file.append("\(JSONLine.decimal(clock.now.seconds)) \(getpid()) \(event.level): \(text)\n")
    }
}

/// Decides which trace events go to the log, at which level, and in which words. Pure.
enum LogEntry {
    /// Problems that the user may ask about are warnings or errors. What happens a few times per page is for debugging.
    /// What happens with every picture or key is only traced.
    static func level(of event: TraceEvent) -> Logger.Level {
        switch event {
        case .error, .gaveUp: .error
        case .recover, .watchdog, .warmFailed: .warning
        // flick kills a decoder to give it up; a decoder that exits has ended by itself.
        case .worker(_, _, let state, _): state == .exit ? .warning : .debug
        case .stall, .resume: .notice
        case .start, .end, .feed: .info
        case .fetch: fetches
        case .page, .settled, .warm, .evict, .claim, .firstFrame, .still, .engage: .debug
        case .picture, .key, .audio, .link: .trace
        }
    }

    /// The level of `fetch`, needed before there is an event.
    static let fetches = Logger.Level.debug

    /// One line: the event's name, its item, and its fields as in the trace.
    static func text(of event: TraceEvent) -> String {
        let (name, item, fields) = event.encoding
        let texts = fields.compactMap { key, value -> String? in
            switch value {
            case .integer(let number): "\(key)=\(number)"
            case .number(let number): "\(key)=\(JSONLine.decimal(number))"
            case .text(let text): "\(key)=\(text)"
            case .flag(let flag): "\(key)=\(flag)"
            case .null: nil
            }
        }
        return ([name] + (item.map { ["item=\($0)"] } ?? []) + texts).joined(separator: " ")
    }
}
