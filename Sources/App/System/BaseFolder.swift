import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// flick's folders, by the XDG base directory specification.
enum BaseFolder: String, CaseIterable {
    case state = "XDG_STATE_HOME"
    case cache = "XDG_CACHE_HOME"
    case config = "XDG_CONFIG_HOME"

    /// nil if neither the variable nor `HOME` is set. `environment` returns a variable.
    func path(environment: (String) -> String?) -> String? {
        // The specification says to ignore relative paths.
        if let base = environment(rawValue), base.hasPrefix("/") { return "\(base)/flick" }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        switch self {
        case .state: return "\(home)/.local/state/flick"
        case .cache: return "\(home)/.cache/flick"
        case .config: return "\(home)/.config/flick"
        }
    }

    /// A variable of this process.
    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

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

    /// The file that the log is written to.
    var logFile: LogFile { LogFile(path: logPath, limit: log == nil ? LogFile.most : nil) }

    /// Whether the page has never been open here: `browse` creates the log and never removes it. Where there is no place
    /// for a log, every run counts as the first. To be asked before the log is opened.
    var isFirstRun: Bool { logPath == Self.noLog || access(logPath, F_OK) != 0 }

    private static let noLog = "/dev/null"
}
