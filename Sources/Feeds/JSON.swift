/// A JSON value (RFC 8259).
enum JSON: Equatable, Sendable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    /// Of a key that comes twice the last value counts.
    case object([String: JSON])

    subscript(key: String) -> JSON? {
        guard case .object(let fields) = self, let value = fields[key], value != .null else { return nil }
        return value
    }
}

/// Where and why a text is no JSON.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    public var line: Int
    /// In bytes, from 1.
    public var column: Int
    public var why: String

    public var description: String { "line \(line), column \(column): \(why)" }
}

/// Reads one JSON value. Our own, because the parsers at hand tell no position, have no limit of depth that we set, or load ICU at every start.
struct JSONParser {
    /// The deepest nesting; a manifest needs five.
    static let depthLimit = 64

    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    /// Parses UTF-8, with or without a byte order mark. What is no UTF-8 in a text becomes U+FFFD.
    static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        var parser = JSONParser(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.index = 3 }
        let value = try parser.value()
        parser.skipBlanks()
        guard parser.index == bytes.count else { throw parser.error("something follows the end of the value") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func error(_ why: String) -> JSONError {
        let before = bytes[..<min(index, bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JSONError(
            line: before.count { $0 == 0x0A } + 1, column: min(index, bytes.count) - lineStart + 1, why: why)
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func take(_ byte: Character) -> Bool {
        guard next == byte.asciiValue else { return false }
        index += 1
        return true
    }

    private mutating func value() throws(JSONError) -> JSON {
        skipBlanks()
        switch next {
        case nil: throw error("it ends too early")
        case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.list() }
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .flag(true))
        case UInt8(ascii: "f"): return try word("false", .flag(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONError) -> JSON
    ) throws(JSONError) -> JSON {
        guard depth < JSONParser.depthLimit else { throw error("it is nested too deep") }
        depth += 1
        index += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONError) -> JSON {
        var fields: [String: JSON] = [:]
        skipBlanks()
        if take("}") { return .object(fields) }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw error("a key in quotes is missing") }
            let key = try text()
            skipBlanks()
            guard take(":") else { throw error("a colon is missing") }
            fields[key] = try value()
            skipBlanks()
            if take("}") { return .object(fields) }
            guard take(",") else { throw error("a comma or } is missing") }
        }
    }

    private mutating func list() throws(JSONError) -> JSON {
        var values: [JSON] = []
        skipBlanks()
        if take("]") { return .list(values) }
        while true {
            values.append(try value())
            skipBlanks()
            if take("]") { return .list(values) }
            guard take(",") else { throw error("a comma or ] is missing") }
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for offset in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[offset] else { throw error("this is no JSON value") }
            index += 1
        }
        return value
    }

    private mutating func number() throws(JSONError) -> JSON {
        let start = index
        while let byte = next, isNumeric(byte) { index += 1 }
        guard let value = Double(String(decoding: bytes[start..<index], as: UTF8.self)) else {
            index = start
            throw error("this is no JSON value")
        }
        // RFC 8259, 6: a reader may limit the range of numbers. One beyond it costs its field, not the feed.
        return value.isFinite ? .number(value) : .null
    }

    private func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    private mutating func text() throws(JSONError) -> String {
        index += 1
        var text: [UInt8] = []
        while true {
            guard let byte = next else { throw error("a text has no closing quote") }
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += try escape()
            default: text.append(byte)  // also a raw newline: no reason to refuse the whole feed
            }
        }
    }

    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = next else { throw error("a text has no closing quote") }
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "u"): return Array(String(try scalar()).utf8)
        default:
            index -= 1
            throw error("an escape is unknown")
        }
    }

    /// After `\u`: one scalar, from one or two units of UTF-16. A lone surrogate becomes U+FFFD.
    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let mark = index
        guard first < 0xDC00, take("\\"), take("u") else {
            index = mark
            return "\u{FFFD}"
        }
        let second = try unit()
        guard (0xDC00...0xDFFF).contains(second) else {
            index = mark
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func unit() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("\\u needs four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
