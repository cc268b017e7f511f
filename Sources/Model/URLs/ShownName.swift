/// Names of files and URLs, which may be hostile, for one line of a message. Pure.
public enum ShownName {
    /// The most characters of a name that a message shows; of a longer one the end is shown, which says more.
    package static let limit = 120

    /// 'name' in quotes, as `SafeURL` has it.
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
