import Model

/// What tells one version of a file from another (RFC 9110, 8.8), and what requests make of it (13). A value.
struct Validators: Equatable, Sendable {
    /// A strong entity tag, with its quotes.
    var tag: String
    /// In whole seconds since 1970, as HTTP dates have no more.
    var modified: Int64

    init(node: UInt64, size: Int64, seconds: Int64, nanoseconds: Int64) {
        let parts = [node, UInt64(bitPattern: size), UInt64(bitPattern: seconds), UInt64(bitPattern: nanoseconds)]
        tag = "\"" + parts.map { String($0, radix: 16) }.joined(separator: "-") + "\""
        modified = seconds
    }

    /// Whether the client has this version already: 304.
    func isKnown(ifNoneMatch: String?, ifModifiedSince: String?) -> Bool {
        if let ifNoneMatch {
            // Weak comparison (8.8.3.2).
            return ifNoneMatch.trimmed == "*"
                || ifNoneMatch.split(separator: ",").contains { part in
                    let part = String(part).trimmed
                    return (part.hasPrefix("W/") ? String(part.dropFirst(2)) : part) == tag
                }
        }
        return ifModifiedSince.flatMap(HTTPDate.seconds).map { modified <= $0 } ?? false
    }

    /// Whether a range counts: without If-Range, or if that names this very version.
    func allowsRange(ifRange: String?) -> Bool {
        guard let ifRange = ifRange?.trimmed else { return true }
        if ifRange.hasPrefix("\"") { return ifRange == tag }
        // A weak tag never matches (13.1.5).
        return HTTPDate.seconds(ifRange) == modified
    }
}
