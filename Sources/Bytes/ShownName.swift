/// Names of hostile files and URLs, made fit for one line of a message.
public enum ShownName {
    /// The most characters of a name that a message shows; of a longer one the end is kept, which tells more.
    static let limit = 120

    /// 'name' in quotes. A file URL is shown as its path; a user name or password in a URL is left out; whatever could move the cursor,
    /// break the line or turn the writing direction becomes U+FFFD.
    public static func of(_ url: String) -> String {
        let name = FileURL.path(of: url).map { String(decoding: $0, as: UTF8.self) } ?? withoutUser(url)
        var shown = ""
        for scalar in name.unicodeScalars {
            shown.unicodeScalars.append(isSafe(scalar) ? scalar : "\u{FFFD}")
        }
        return shown.count > limit ? "'…\(shown.suffix(limit))'" : "'\(shown)'"
    }

    static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            // U+200D joins emoji and moves nothing.
            scalar == "\u{200D}"
        default: true
        }
    }

    private static func withoutUser(_ url: String) -> String {
        guard let parts = URLParts(url), parts.scheme != nil, let authority = parts.authority,
            let at = authority.lastIndex(of: "@")
        else { return url }
        var clean = parts
        clean.authority = String(authority[authority.index(after: at)...])
        return clean.text
    }
}
