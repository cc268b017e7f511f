import Model

/// Resolves the paths in a configuration, and in the list of sources beside it. A value.
struct ConfigPaths: Equatable {
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

    /// A source can be a URL, which stays as it is. A path is written in one way only, whatever way it was written in:
    /// `~/Videos/` as `/home/me/Videos`.
    func source(_ text: String) -> String {
        guard URLParts(text)?.scheme == nil else { return text }
        // Only whole steps are taken out of it, so that it is still text.
        return String(decoding: FileURL.absolute(absolute(text).utf8), as: UTF8.self)
    }
}
