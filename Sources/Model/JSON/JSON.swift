/// A JSON value (RFC 8259).
package enum JSON: Equatable, Sendable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    /// If a key occurs twice, the last value counts.
    case object([String: JSON])

    package subscript(key: String) -> JSON? {
        guard case .object(let fields) = self, let value = fields[key], value != .null else { return nil }
        return value
    }
}

extension JSON {
    /// A text, or a number as text; cut to `limit` scalars. nil if empty.
    package func asText(limit: Int) -> String? {
        switch self {
        case .text(let text): return text.cut(to: limit)
        case .number(let number):
            return number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
        default: return nil
        }
    }

    /// A number, or a text that contains one.
    package var asNumber: Double? {
        switch self {
        case .number(let number): number
        case .text(let text):
            Double(String(text.drop { $0 == " " }.prefix { $0 != " " })).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// A count: a whole number that is not negative.
    package var asCount: Int? {
        guard let number = asNumber, number >= 0, number < 9e15 else { return nil }
        return Int(number)
    }

    package var asFlag: Bool? {
        switch self {
        case .flag(let flag): flag
        case .text("true"): true
        case .text("false"): false
        default: nil
        }
    }

    /// The texts of a list, or a single text.
    package func asTexts(limit: Int, each: Int) -> [String] {
        guard case .list(let values) = self else { return asText(limit: each).map { [$0] } ?? [] }
        return values.prefix(limit).compactMap { $0.asText(limit: each) }
    }
}
