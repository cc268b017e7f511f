import Model

/// What the paths in a configuration stand for.
struct ConfigPaths {
    /// The configuration's own, which relative paths start from.
    var folder: String
    /// The user's, which `~` stands for; nil if it is not known.
    var home: String?

    func absolute(_ path: String) -> String {
        if path == "~" || path.hasPrefix("~/"), let home { return home + path.dropFirst() }
        return path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }

    /// A source may be an address, which stays as it is.
    func source(_ text: String) -> String { URLParts(text)?.scheme == nil ? absolute(text) : text }
}
