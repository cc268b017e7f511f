import Model

/// Resolves the paths in a configuration. A value.
struct ConfigPaths {
    /// The configuration's folder, which relative paths are relative to.
    var folder: String
    /// The user's folder, for `~`; nil if unknown.
    var home: String?

    func absolute(_ path: String) -> String {
        if path == "~" || path.hasPrefix("~/"), let home { return home + path.dropFirst() }
        return path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }

    /// A program can be a name, which is looked for in PATH.
    func program(_ text: String) -> String { text.utf8.contains(UInt8(ascii: "/")) ? absolute(text) : text }

    /// A source can be a URL, which stays as it is.
    func source(_ text: String) -> String { URLParts(text)?.scheme == nil ? absolute(text) : text }
}
