import Model

/// Reads fields of a response's head. Values may come from a hostile server. Pure.
enum HTTPFields {
    /// Longer validators are ignored, because flick stores them and sends them back.
    static let longest = 1024

    /// A number of bytes: digits only, at most 2⁶², so that the sum of two does not overflow.
    static func length(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.count <= 19, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text), number <= 1 << 62
        else { return nil }
        return number
    }

    /// `Content-Length`. If there are several, all must be the same (RFC 9110, 8.6).
    static func contentLength(_ values: [String]) -> Int64? {
        let lengths = values.flatMap { $0.split(separator: ",") }.map { length(String($0).trimmed) }
        guard let first = lengths.first, lengths.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// A validator that can be stored and sent back unchanged: printable ASCII of limited length.
    static func validator(_ value: String) -> String? {
        let value = value.trimmed
        let isSound = value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        return !value.isEmpty && value.utf8.count <= longest && isSound ? value : nil
    }
}

/// `Content-Range: bytes 0-499/1234` (RFC 9110, 14.4). Parsed strictly: a byte
/// saved at a wrong offset would stay wrong.
struct ContentRange: Equatable, Sendable {
    /// nil if the response has none of the bytes: "bytes */1234".
    var span: ClosedRange<Int64>?
    /// The length of the whole resource; nil for "*".
    var length: Int64?

    /// nil for other units, numbers out of range, and ranges that end before they begin or beyond the whole.
    init?(_ text: String) {
        // Some servers repeat the "bytes=" of the request.
        let words = text.trimmed.split { $0 == " " || $0 == "=" }
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] != "*" {
            guard let length = HTTPFields.length(sides[1]) else { return nil }
            self.length = length
        }
        if sides[0] == "*" {
            guard length != nil else { return nil }
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = HTTPFields.length(ends[0]), let last = HTTPFields.length(ends[1]),
            first <= last, length.map({ last < $0 }) ?? true
        else { return nil }
        span = first...last
    }

    /// Whether it fits the request: it begins at the requested offset and does not go beyond the requested end.
    func answers(_ asked: Transport.Request.Range) -> Bool {
        guard let span else { return false }
        return span.lowerBound == asked.from && asked.to.map { span.upperBound <= $0 } ?? true
    }
}

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
