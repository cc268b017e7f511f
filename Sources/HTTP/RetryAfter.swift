/// `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
package enum RetryAfter {
    /// The longest wait, whatever the server asks for.
    package static let most = Duration.seconds(60)

    /// The wait that is asked for, however long; nil for what makes no sense.
    /// - Parameter now: seconds since 1970, which a date is compared with.
    static func parse(_ text: String, now: Int64) -> Duration? {
        let text = text.trimmed
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More digits than Int64 holds are a long time.
            return .seconds(min(Int64(text) ?? .max, 1 << 32))
        }
        guard let date = HTTPDate.seconds(text) else { return nil }
        return max(.seconds(date - now), .zero)
    }
}
