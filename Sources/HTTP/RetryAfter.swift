/// `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
package enum RetryAfter {
    /// What is waited at most, whatever is asked for: nobody sits longer before a page.
    package static let most = Duration.seconds(60)

    /// What is asked for, however long; nil if there is no sense in it.
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
