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
