import Model

/// What distinguishes one version of a file from another (RFC 9110, 8.8), and the conditions of requests (13). A value.
struct Validators: Equatable, Sendable {
    /// A strong entity tag, with its quotes.
    var tag: String
    /// In whole seconds since 1970, as HTTP dates have no more.
    var modified: Int64
    /// Whether that date is a strong validator (8.8.2.2): a file whose date was
    /// set may have had other bytes at that date.
    private let isDateStrong: Bool

    /// - Parameters:
    ///   - seconds, nanoseconds: the time of modification, which any program can set back.
    ///   - changed: the time of the last change of the file or its metadata (ctime), which no program can set. nil for
    ///     a file that is never written again.
    init(
        node: UInt64, size: Int64, seconds: Int64, nanoseconds: Int64,
        changed: (seconds: Int64, nanoseconds: Int64)? = nil
    ) {
        var parts = [node, UInt64(bitPattern: size), UInt64(bitPattern: seconds), UInt64(bitPattern: nanoseconds)]
        if let changed { parts += [changed.seconds, changed.nanoseconds].map { UInt64(bitPattern: $0) } }
        tag = "\"" + parts.map { String($0, radix: 16) }.joined(separator: "-") + "\""
        modified = seconds
        isDateStrong = changed.map { $0.seconds == seconds } ?? true
    }

    /// Whether the client requires a version other than this one: 412.
    func isAnother(ifMatch: String?, ifUnmodifiedSince: String?) -> Bool {
        // Strong comparison (8.8.3.2): a weak tag is not equal to any. The date counts without tags only (13.1.4).
        if let ifMatch { return ifMatch.trimmed != "*" && !Self.tags(ifMatch).contains(tag) }
        return ifUnmodifiedSince.flatMap { HTTPDate.secondsInAnyFormat($0) }.map { modified > $0 } ?? false
    }

    /// Whether the client has this version already: 304.
    func isKnown(ifNoneMatch: String?, ifModifiedSince: String?) -> Bool {
        if let ifNoneMatch {
            // Weak comparison (8.8.3.2).
            return ifNoneMatch.trimmed == "*"
                || Self.tags(ifNoneMatch).contains { ($0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0) == tag }
        }
        return ifModifiedSince.flatMap { HTTPDate.secondsInAnyFormat($0) }.map { modified <= $0 } ?? false
    }

    /// Whether a range counts: without If-Range, or if that names this very version.
    func allowsRange(ifRange: String?) -> Bool {
        guard let ifRange = ifRange?.trimmed else { return true }
        if ifRange.hasPrefix("\"") { return ifRange == tag }
        // A weak tag never matches, nor does a weak date (13.1.5).
        return isDateStrong && HTTPDate.secondsInAnyFormat(ifRange) == modified
    }

    /// Our own tags have no comma.
    private static func tags(_ list: String) -> [String] { list.split(separator: ",").map { String($0).trimmed } }
}
