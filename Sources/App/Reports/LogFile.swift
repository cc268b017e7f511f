internal import Logging
import Model
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The names that `--log-level` accepts.
public enum LogLevel {
    public static func isKnown(_ name: String) -> Bool { Logger.Level(rawValue: name) != nil }
    public static var names: String { Logger.Level.allCases.map(\.rawValue).joined(separator: ", ") }
}

/// The log of a run: a file, never the screen. Opened when first needed, and only appended to, because several flicks
/// can share it. Any thread.
final class LogFile: Sendable {
    private let path: String
    private let descriptor = Mutex<Int32>(-1)

    init(path: String) { self.path = path }

    deinit { descriptor.withLock { if $0 >= 0 { close($0) } } }

    /// Opens the file now, and creates its folders. Returns its descriptor, which this object owns.
    @discardableResult
    func open() throws(AppError) -> Int32 {
        try descriptor.withLock { descriptor throws(AppError) in
            if descriptor < 0 {
                makeFolders(above: path)
                descriptor = systemOpen(path)
                guard descriptor >= 0 else { throw AppError.file("open the log", path, errno) }
            }
            return descriptor
        }
    }

    /// Writes a line with one call, so that lines of several threads and processes do not mix.
    func append(_ line: String) {
        // `browse` has reported once that there is no log. There is nowhere else to write the line.
        guard let target = try? open() else { return }
        let bytes = Array(line.utf8)
        _ = bytes.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
    }

    /// Creates the folders above `path`, for the user only. Ignores failures here; opening the file will report them.
    private func makeFolders(above path: String) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var folder = path.hasPrefix("/") ? "" : "."
        while let part = parts.popFirst() {
            folder += "/\(part)"
            mkdir(folder, 0o700)
        }
    }
}

/// open(2), because `LogFile` has a method of that name. Only the user can read the log.
private func systemOpen(_ path: String) -> Int32 { open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }

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
