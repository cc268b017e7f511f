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
