/// flick's folders, by the XDG base directory specification.
public enum BaseFolder: String, CaseIterable, Sendable {
    case state = "XDG_STATE_HOME"
    case cache = "XDG_CACHE_HOME"
    case config = "XDG_CONFIG_HOME"

    /// nil if neither the variable nor `HOME` is set. `environment` returns a variable.
    public func path(environment: (String) -> String?) -> String? {
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
    public static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
