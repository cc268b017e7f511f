internal import Logging
import Model
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The names that `--log-level` knows.
public enum LogLevel {
    public static func isKnown(_ name: String) -> Bool { Logger.Level(rawValue: name) != nil }
    public static var names: String { Logger.Level.allCases.map(\.rawValue).joined(separator: ", ") }
}

/// The log of a run: a file, never the screen. Opened at the first line, so that a quiet run leaves no file.
final class LogFile: Sendable {
    private let path: String
    private let descriptor = Mutex<Int32>(-1)

    init(path: String) { self.path = path }

    deinit { descriptor.withLock { if $0 >= 0 { close($0) } } }

    /// The file's descriptor, for what writes to standard error by itself. -1 if there can be no log.
    var openDescriptor: Int32 {
        descriptor.withLock { descriptor in
            if descriptor < 0 {
                makeFolders(above: path)
                descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            }
            return descriptor
        }
    }

    func append(_ line: String) {
        let target = openDescriptor
        guard target >= 0 else { return }
        let bytes = Array(line.utf8)
        // Nothing can be told about a log that cannot be written: the log is where it would be told.
        _ = bytes.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
    }

    /// Creates the folders above `path`, for the user only. Those that exist are fine; what fails shows when the file is opened.
    private func makeFolders(above path: String) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var folder = path.hasPrefix("/") ? "" : "."
        while let part = parts.popFirst() {
            folder += "/\(part)"
            mkdir(folder, 0o700)
        }
    }
}

/// Writes swift-log's messages as lines of a `LogFile`.
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

/// Where flick keeps its state, by the XDG base directory specification.
///
/// `environment` looks up a variable. nil if there is neither `XDG_STATE_HOME` nor `HOME`.
func stateFolder(environment: (String) -> String?) -> String? {
    // The specification: a relative path is invalid and to be ignored.
    if let base = environment("XDG_STATE_HOME"), base.hasPrefix("/") { return "\(base)/flick" }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return "\(home)/.local/state/flick"
}
