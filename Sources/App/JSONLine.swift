import Model

/// One JSON object on one line.
public struct JSONLine {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    public init() {}

    public mutating func put(_ key: String, _ value: TraceEvent.Value) {
        putKey(key)
        switch value {
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .number(let number): bytes.append(contentsOf: JSONLine.decimal(number).utf8)
        case .text(let text): putText(text)
        case .flag(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .null: bytes.append(contentsOf: "null".utf8)
        }
    }

    /// A field that holds objects already written.
    public mutating func put(_ key: String, list: [String]) {
        putKey(key)
        bytes.append(contentsOf: "[\(list.joined(separator: ","))]".utf8)
    }

    /// The object's bytes and a newline.
    public func finished() -> [UInt8] { bytes + [UInt8(ascii: "}"), UInt8(ascii: "\n")] }

    /// The object alone.
    public var object: String { String(decoding: bytes + [UInt8(ascii: "}")], as: UTF8.self) }

    private mutating func putKey(_ key: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        putText(key)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func putText(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: "\\\"".utf8)
            case "\\": bytes.append(contentsOf: "\\\\".utf8)
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            // Control characters, and C1 and DEL too: a line may be shown on a terminal.
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let hex = String(scalar.value, radix: 16)
                bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)".utf8)
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Up to 6 decimals and never an exponent; what is no number becomes null.
    static func decimal(_ number: Double) -> String {
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
