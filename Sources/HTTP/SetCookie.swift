import Model

/// A `Set-Cookie` field (RFC 6265, 5.2). A value.
struct SetCookie: Equatable, Sendable {
    var name: String
    var value: String
    /// In lower case, without a leading dot; empty if it is not named.
    var domain = ""
    /// nil if it is not named, or relative.
    var path: String?
    var isSecure = false
    /// Seconds; nil if it is not named or no number.
    var maxAge: Int64?
    /// Seconds since 1970; nil if it is not named or no date.
    var expires: Int64?

    /// nil if the field has no name.
    init?(_ field: String) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        guard let equals = parts[0].firstIndex(of: "=") else { return nil }
        name = String(parts[0][..<equals]).trimmed
        value = SetCookie.unquoted(String(parts[0][parts[0].index(after: equals)...]).trimmed)
        guard !name.isEmpty else { return nil }
        for part in parts.dropFirst() { add(part) }
    }

    /// Of an attribute that is named twice, the last one counts.
    private mutating func add(_ attribute: Substring) {
        let sides = attribute.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = sides.count > 1 ? String(sides[1]).trimmed : ""
        switch String(sides[0]).trimmed.lowercased() {
        case "domain":
            if !value.isEmpty { domain = String(value.hasPrefix(".") ? value.dropFirst() : value[...]).lowercased() }
        case "path": path = value.hasPrefix("/") ? value : nil
        case "secure": isSecure = true
        case "max-age": maxAge = Int64(value) ?? maxAge
        case "expires": expires = SetCookie.date(value) ?? expires
        default: break
        }
    }

    /// Servers also write "Thu, 01-Jan-1970 00:00:10 GMT".
    private static func date(_ text: String) -> Int64? {
        HTTPDate.secondsInAnyFormat(text) ?? HTTPDate.seconds(text.replacing("-", with: " "))
    }

    private static func unquoted(_ text: String) -> String {
        text.utf8.count > 1 && text.first == "\"" && text.last == "\"" ? String(text.dropFirst().dropLast()) : text
    }
}
