/// Names of files and URLs in one line of a message; they can be hostile. Pure.
public enum ShownName {
    /// The most characters of a name in a message. Of a longer name the end is shown, which says more.
    package static let limit = 120

    /// The name in single quotes, made safe by `SafeURL`.
    public static func of(_ url: String) -> String {
        let shown = SafeURL.text(url)
        return shown.count > limit ? "'…\(shown.suffix(limit))'" : "'\(shown)'"
    }

    package static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            // U+200D joins emoji and moves nothing.
            scalar == "\u{200D}"
        default: true
        }
    }
}
