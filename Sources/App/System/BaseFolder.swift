#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// flick's own folders, by the XDG base directory specification.
enum BaseFolder: String, CaseIterable {
    case state = "XDG_STATE_HOME"
    case cache = "XDG_CACHE_HOME"
    case config = "XDG_CONFIG_HOME"

    /// nil if there is neither the variable nor `HOME`. `environment` looks up a variable.
    func path(environment: (String) -> String?) -> String? {
        // The specification: a relative path is invalid and to be ignored.
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
    /// Where the log goes: as asked for, else to the state folder, else nowhere.
    var logPath: String {
        if let log { return log }
        let folder = stateFolder ?? BaseFolder.state.path(environment: BaseFolder.environment)
        return folder.map { "\($0)/flick.log" } ?? "/dev/null"
    }
}
