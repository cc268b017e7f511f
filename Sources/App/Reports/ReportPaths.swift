import Model
import Platform

extension ReportSettings {
    /// Where flick keeps its state; nil if there is no place for it.
    private var folder: String? {
        // Absolute, as the working directory may change.
        stateFolder.map { String(decoding: FileURL.absolute(Array($0.utf8)), as: UTF8.self) }
            ?? BaseFolder.state.path(environment: BaseFolder.environment)
    }

    /// Where the log goes: to the given file, else to the state folder, else nowhere.
    var logPath: String { log ?? folder.map { "\($0)/flick.log" } ?? Self.noLog }

    /// The file of what flick remembers.
    var libraryPath: String? { folder.map { "\($0)/flick.db" } }

    /// The file of how the page was left.
    var memoryPath: String? { folder.map { "\($0)/\(PageMemory.fileName)" } }

    /// The file that the log is written to.
    var logFile: LogFile { LogFile(path: logPath, limit: log == nil ? LogFile.most : nil) }

    /// Whether the page has never been open here: `browse` creates the log and never removes it. Where there is no
    /// place for a log, every run counts as the first. To be asked before the log is opened.
    var isFirstRun: Bool { logPath == Self.noLog || access(logPath, F_OK) != 0 }

    private static let noLog = "/dev/null"
}
