import Model

/// `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
package enum RetryAfter {
    /// The longest wait that flick accepts.
    package static let most = Duration.seconds(60)

    /// The requested wait, however long; nil if the text is invalid.
    /// - Parameter now: seconds since 1970, to compare a date with.
    static func parse(_ text: String, now: Int64) -> Duration? {
        let text = text.trimmed
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number too large for Int64 is a long time.
            return .seconds(min(Int64(text) ?? .max, 1 << 32))
        }
        guard let date = HTTPDate.seconds(text) else { return nil }
        return max(.seconds(date - now), .zero)
    }
}
