/// Where and why a text is not valid JSON. A value.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    public var line: Int
    /// In bytes, from 1.
    public var column: Int
    public var why: String

    package init(line: Int, column: Int, why: String) {
        self.line = line
        self.column = column
        self.why = why
    }

    public var description: String { "line \(line), column \(column): \(why)" }
}

/// Reads JSON as it arrives. It returns the requested values one after the other, so that of a long list only one
/// element is in memory.
///
/// flick has its own parser because the available ones report no position, have no configurable limit of depth, or load
/// ICU at every start.
package struct JSONParser {
    /// The deepest nesting; a manifest needs five.
    package static let depthLimit = 64
    /// The most bytes of a key (give or take a piece); longer ones are dropped.
    static let keyLimit = 1 << 16
    /// The most bytes of a number that is parsed.
    static let numberLimit = 1_024

    private let more: () -> [UInt8]
    /// The current bytes; those before `index` were read.
    private var piece: [UInt8] = []
    private var index = 0
    /// An offset before `index` that an error may still have to report.
    private var pin: Int?
    private var depth = 0
    /// Counted before `piece`: its bytes, its line breaks, and where the last of them was.
    private var offset = 0
    private var lines = 0
    private var lineStart = 0
    /// While false, values are parsed but not stored.
    private var keeps = true
    /// A value that goes beyond this offset is not stored.
    private var keptEnd = Int.max

    /// Reads UTF-8, with or without a byte order mark. Invalid bytes in a text become U+FFFD.
    ///
    /// - Parameter more: the next piece, which is empty only at the end. May block.
    package init(_ more: @escaping () -> [UInt8]) {
        self.more = more
        for byte: UInt8 in [0xEF, 0xBB, 0xBF] {
            guard peek() == byte else { break }
            index += 1
        }
    }

    // MARK: Values that a caller requests

    /// The first byte of the next value; nil at the end.
    package mutating func first() -> UInt8? {
        skipBlanks()
        return peek()
    }

    /// The next value; nil if it has more than `limit` bytes (give or take a piece), which are then skipped.
    package mutating func value(upTo limit: Int) throws(JSONError) -> JSON? {
        skipBlanks()
        keptEnd = offset + index + limit
        defer {
            keptEnd = .max
            keeps = true
        }
        let value = try value()
        return keeps && offset + index <= keptEnd ? value : nil
    }

    /// Skips the next value, however large it is.
    package mutating func skip() throws(JSONError) {
        keeps = false
        defer { keeps = true }
        _ = try value()
    }

    /// Reads an object that begins with the next byte. Calls `body` with each key; `body` must read the value.
    package mutating func fields(_ body: (inout JSONParser, String) throws(JSONError) -> Void) throws(JSONError) {
        try enter()
        skipBlanks()
        if consume("}") { return depth -= 1 }
        while true {
            skipBlanks()
            guard peek() == UInt8(ascii: "\"") else { throw error("a key in quotes is missing") }
            let key = try key()
            skipBlanks()
            guard consume(":") else { throw error("a colon is missing") }
            try body(&self, key)
            skipBlanks()
            if consume("}") { return depth -= 1 }
            guard consume(",") else { throw error("a comma or } is missing") }
        }
    }

    /// Reads a list that begins with the next byte. `body` must read one element.
    package mutating func elements(_ body: (inout JSONParser) throws(JSONError) -> Void) throws(JSONError) {
        try enter()
        skipBlanks()
        if consume("]") { return depth -= 1 }
        while true {
            try body(&self)
            skipBlanks()
            if consume("]") { return depth -= 1 }
            guard consume(",") else { throw error("a comma or ] is missing") }
        }
    }

    /// Checks that only white space is left.
    package mutating func end() throws(JSONError) {
        skipBlanks()
        if peek() != nil { throw error("unexpected text after the value") }
    }

    // MARK: Bytes

    private mutating func peek() -> UInt8? {
        if index < piece.count { return piece[index] }
        return refill() ? piece[index] : nil
    }

    /// Gets the next piece; false at the end.
    private mutating func refill() -> Bool {
        let more = more()
        guard !more.isEmpty else { return false }
        let done = pin ?? index
        let position = position(of: done)
        (lines, lineStart) = (position.lines, position.lineStart)
        offset += done
        index -= done
        if pin != nil { pin = 0 }
        piece = done == piece.count ? more : Array(piece[done...]) + more
        // Stop storing a value that is too long, but continue to find its end.
        if offset + index > keptEnd { keeps = false }
        return true
    }

    /// How many line breaks come before an offset in the piece, and where its line begins.
    private func position(of index: Int) -> (lines: Int, lineStart: Int) {
        let before = piece[..<min(index, piece.count)]
        let start = before.lastIndex(of: 0x0A).map { offset + $0 + 1 } ?? lineStart
        return (lines + before.count { $0 == 0x0A }, start)
    }

    private func error(_ why: String) -> JSONError {
        let position = position(of: index)
        return JSONError(line: position.lines + 1, column: offset + index - position.lineStart + 1, why: why)
    }

    private mutating func skipBlanks() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func consume(_ byte: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    private mutating func enter() throws(JSONError) {
        guard depth < JSONParser.depthLimit else { throw error("it is nested too deeply") }
        depth += 1
        index += 1
    }

    // MARK: Values

    private mutating func value() throws(JSONError) -> JSON {
        skipBlanks()
        switch peek() {
        case nil: throw error("it ends too early")
        case UInt8(ascii: "{"):
            var fields: [String: JSON] = [:]
            try self.fields { parser, key throws(JSONError) in
                let value = try parser.value()
                if parser.keeps { fields[key] = value }
            }
            return .object(fields)
        case UInt8(ascii: "["):
            var values: [JSON] = []
            try elements { parser throws(JSONError) in
                let value = try parser.value()
                if parser.keeps { values.append(value) }
            }
            return .list(values)
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .flag(true))
        case UInt8(ascii: "f"): return try word("false", .flag(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for offset in 0..<word.utf8CodeUnitCount {
            guard peek() == word.utf8Start[offset] else { throw error("this is not JSON") }
            index += 1
        }
        return value
    }

    private mutating func number() throws(JSONError) -> JSON {
        pin = index
        defer { pin = nil }
        var spelling: [UInt8] = []
        while let byte = peek(), isNumeric(byte), spelling.count <= JSONParser.numberLimit {
            spelling.append(byte)
            index += 1
        }
        guard spelling.count <= JSONParser.numberLimit, let value = Double(String(decoding: spelling, as: UTF8.self))
        else {
            index -= spelling.count
            throw error("this is not JSON")
        }
        // RFC 8259, 6 allows a limit for numbers. A number beyond it only costs its field, not the feed.
        return value.isFinite ? .number(value) : .null
    }

    private func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    // MARK: Texts

    /// A key. Keys have no limit of their own, so an endless one is skipped and comes out empty.
    private mutating func key() throws(JSONError) -> String {
        let (kept, end) = (keeps, keptEnd)
        keptEnd = min(end, offset + index + JSONParser.keyLimit)
        defer { (keeps, keptEnd) = (kept, end) }
        return try text()
    }

    private mutating func text() throws(JSONError) -> String {
        index += 1
        var text: [UInt8] = []
        /// The first half of a surrogate pair, which waits for the second.
        var half: UInt32?
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                if half != nil { text += JSONParser.replacement }
                return keeps ? String(decoding: text, as: UTF8.self) : ""
            case UInt8(ascii: "\\"):
                index += 1
                try escape(&half, &text)
            default:
                if half != nil { text += JSONParser.replacement }
                half = nil
                // The bytes up to the next quote or escape. Accepts raw line
                // breaks: they are no reason to refuse the whole feed.
                let rest = piece[index...]
                let run = rest.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
                index += run.count
                if keeps { text += run } else { text = [] }
            }
        }
        throw error("a string has no closing quote")
    }

    /// The part of an escape after the backslash. Half a surrogate pair alone becomes U+FFFD.
    private mutating func escape(_ half: inout UInt32?, _ text: inout [UInt8]) throws(JSONError) {
        guard let byte = peek() else { throw error("a string has no closing quote") }
        guard let simple = JSONParser.simpleEscape(byte) else {
            guard byte == UInt8(ascii: "u") else { throw error("unknown escape") }
            index += 1
            let unit = try unit()
            if let high = half, (0xDC00...0xDFFF).contains(unit) {
                text += JSONParser.bytes(of: 0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00))
                half = nil
                return
            }
            if half != nil { text += JSONParser.replacement }
            half = (0xD800..<0xDC00).contains(unit) ? unit : nil
            if half == nil { text += JSONParser.bytes(of: unit) }
            return
        }
        if half != nil { text += JSONParser.replacement }
        half = nil
        text.append(simple)
        index += 1
    }

    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    private static func bytes(of code: UInt32) -> [UInt8] {
        Unicode.Scalar(code).map { Array(String($0).utf8) } ?? replacement
    }

    private static func simpleEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        default: nil
        }
    }

    private mutating func unit() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("\\u needs four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
