import Model

/// The headers that a manifest wants sent with every request for a clip (`Referer`, `User-Agent`, `Authorization` …).
enum ItemHeaders {
    /// The most headers of one object, and the most bytes of their names and values.
    static let countLimit = 32
    static let sizeLimit = 8 << 10

    /// The headers of a manifest's object that can be sent, and one line for each other with the reason. Names are not
    /// case-sensitive.
    static func read(_ value: JSON) -> (headers: [String: String], warnings: [String]) {
        guard case .object(let fields) = value else { return ([:], ["\"headers\" is ignored: it is not an object"]) }
        // Sorted, so that of "A" and "a" always the same one is sent.
        return read(
            fields.sorted { $0.key < $1.key }.map { name, value -> (name: String, value: String?) in
                guard case .text(let text) = value else { return (name, nil) }
                return (name, text)
            })
    }

    /// The same of fields in the order in which they count: of equal names the
    /// first is sent. A value that is nil is not a text.
    static func read(_ fields: [(name: String, value: String?)]) -> (headers: [String: String], warnings: [String]) {
        guard fields.count <= countLimit else {
            return ([:], ["\"headers\" is ignored: it has more than \(countLimit) entries"])
        }
        var (headers, warnings, size): ([String: String], [String], Int) = ([:], [], 0)
        var seen: Set<String> = []
        for (name, value) in fields {
            guard let why = problem(with: name, value) else {
                guard let value, seen.insert(name.lowercased()).inserted else { continue }
                headers[name] = value
                size += name.utf8.count + value.utf8.count
                continue
            }
            warnings.append("a header is ignored: \(why)")
        }
        if size > sizeLimit { return ([:], ["\"headers\" is ignored: it is larger than \(sizeLimit >> 10) KB"]) }
        return (headers, warnings)
    }

    private static func problem(with name: String, _ value: String?) -> String? {
        guard FieldName.isToken(name) else { return "invalid header name" }
        guard !FieldName.isReserved(name) else { return "\(name) cannot be set by a feed" }
        guard let value else { return "\(name) is not a string" }
        // RFC 9110, 5.5: CR, LF and NUL end or break a header, and no other control character is allowed.
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return "\(name) contains control characters" }
        return nil
    }
}
