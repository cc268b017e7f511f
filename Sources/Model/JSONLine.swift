/// One JSON object on one line, with its fields in the order of the calls. A value.
///
/// The line may be shown on a terminal, so characters that could command it or break the line are escaped, which is
/// more than JSON requires.
public struct JSONLine: Sendable {
    /// The value of a field.
    public enum Value: Sendable, Equatable {
        case integer(Int)
        /// Written with up to 6 decimals.
        case number(Double)
        case text(String)
        case flag(Bool)
        case null

        /// The text, or null.
        public static func optional(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
        /// The number, or null.
        public static func optional(_ number: Int?) -> Value { number.map { .integer($0) } ?? .null }
    }

    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    public init() {}

    package init(fields: [(key: String, value: Value)]) {
        for (key, value) in fields { put(key, value) }
    }

    public mutating func put(_ key: String, _ value: Value) {
        put(key)
        switch value {
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .number(let number): bytes.append(contentsOf: JSONLine.decimal(number).utf8)
        case .text(let text): JSONLine.append(text, to: &bytes)
        case .flag(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .null: bytes.append(contentsOf: "null".utf8)
        }
    }

    /// Adds a field with another object.
    public mutating func put(_ key: String, _ object: JSONLine) {
        put(key)
        bytes.append(contentsOf: object.closed)
    }

    /// Adds a field with a list of objects.
    public mutating func put(_ key: String, _ objects: [JSONLine]) {
        put(key, list: objects) { object, bytes in bytes.append(contentsOf: object.closed) }
    }

    /// Adds a field with a list of texts.
    public mutating func put(_ key: String, texts: [String]) { put(key, list: texts, JSONLine.append) }

    public mutating func put(_ key: String, integers: [Int]) {
        put(key, list: integers) { number, bytes in bytes.append(contentsOf: String(number).utf8) }
    }

    /// The object as text.
    public var object: String { String(decoding: closed, as: UTF8.self) }

    /// The object's bytes and a newline.
    public func finished() -> [UInt8] { closed + [UInt8(ascii: "\n")] }

    private var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }

    private mutating func put(_ key: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        JSONLine.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func put<Element>(
        _ key: String, list: [Element], _ append: (Element, inout [UInt8]) -> Void
    ) {
        put(key)
        bytes.append(UInt8(ascii: "["))
        for (index, element) in list.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(element, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        var text = text
        let isWhole = text.withUTF8 { utf8 in
            guard utf8.allSatisfy(isPlain) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        guard !isWhole else { return }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: "\\\"".utf8)
            case "\\": bytes.append(contentsOf: "\\\\".utf8)
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            case "\r": bytes.append(contentsOf: "\\r".utf8)
            case "\t": bytes.append(contentsOf: "\\t".utf8)
            case " "..."~": bytes.append(UInt8(ascii: scalar))
            default:
                if isUnseen(scalar) {
                    for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { escape(unit, to: &bytes) }
                } else {
                    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                }
            }
        }
    }

    /// ASCII that stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Control characters (C0, DEL, C1), separators, and format characters such
    /// as those that change the writing direction.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format: true
        default: false
        }
    }

    private static func escape(_ unit: UInt16, to bytes: inout [UInt8]) {
        let digits = String(unit, radix: 16)
        bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
    }

    /// Up to 6 decimals and never an exponent; null for NaN and infinity.
    public static func decimal(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 9e12 else { return "null" }
        let micros = Int64((number * 1e6).rounded())
        let sign = micros < 0 ? "-" : ""
        let (whole, rest) = micros.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return "\(sign)\(whole)" }
        var digits = String(rest)
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}
