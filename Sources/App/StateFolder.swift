#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where flick keeps its state, by the XDG base directory specification.
///
/// `environment` looks up a variable. nil if there is neither `XDG_STATE_HOME` nor `HOME`.
func stateFolder(environment: (String) -> String?) -> String? {
    // The specification: a relative path is invalid and to be ignored.
    if let base = environment("XDG_STATE_HOME"), base.hasPrefix("/") { return "\(base)/flick" }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return "\(home)/.local/state/flick"
}

extension ReportSettings {
    /// Where the log goes: as asked for, else to the state folder, else nowhere.
    var logPath: String {
        if let log { return log }
        let folder = stateFolder ?? App.stateFolder { name in getenv(name).map { String(cString: $0) } }
        return folder.map { "\($0)/flick.log" } ?? "/dev/null"
    }
}
