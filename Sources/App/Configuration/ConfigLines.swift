/// Finds the line of each key, and of each element of a list ("home.sources.0"), in a TOML document, because the
/// library that reads the values does not report it. A value.
///
/// Only for documents that the library accepts. For others, some lines are wrong.
struct ConfigLines {
    /// The first line with a section that has no valid name.
    private(set) var nameless: Int?
    /// The first line with names, lists or tables nested deeper than `deepest`: nothing behind it was read.
    private(set) var tooDeep: Int?
    private var lines: [String: Int] = [:]
    /// How many tables each list of tables has so far.
    private var tables: [String: Int] = [:]
    private var rest: Substring.UTF8View
    /// The line of the next byte, from 1.
    private var number = 1
    /// How deep lists and tables are nested in a value.
    private var depth = 0
    /// flick's keys need three. Neither the library nor what walks through its tables takes very much more.
    static let deepest = 32

    init(_ text: String) {
        rest = Substring(text).utf8
        var section: [String] = []
        while skipToKey() {
            guard next("[") else {
                readPair(in: section)
                continue
            }
            let isOfList = next("[")
            skipBlanks()
            if let byte = rest.first, nameless == nil, !ConfigLines.beginsName(byte) { nameless = number }
            section = readPath(until: "]")
            note(section)
            if isOfList {
                let list = section.joined(separator: ".")
                note(section + ["\(tables[list, default: 0])"])
                tables[list, default: 0] += 1
            }
            _ = next("]")
            _ = next("]")
        }
    }

    /// The first line with that key or section: "network.timeouts.connect".
    func line(of path: String) -> Int? { lines[path] }

    /// Notes the line of a path and of the tables that contain it.
    private mutating func note(_ path: [String]) {
        for count in path.indices.map({ $0 + 1 }) {
            let name = path[..<count].joined(separator: ".")
            if lines[name] == nil { lines[name] = number }
        }
    }

    /// Reads a key and its value, including keys inside the value.
    private mutating func readPair(in section: [String]) {
        let path = section + readPath(until: "=")
        note(path)
        guard next("=") else {
            // The library does not accept this line, so go on with the next.
            skip { $0 != 0x0A }
            return
        }
        readValue(of: path)
    }

    /// Reads names with dots between them, which may be quoted (toml.io, "Keys").
    private mutating func readPath(until end: Character) -> [String] {
        var path: [String] = []
        while true {
            skipBlanks()
            guard let byte = rest.first, byte != end.asciiValue, byte != 0x0A else { return path }
            if ConfigLines.isQuote(byte) {
                path.append(readQuoted())
            } else if !next(".") {
                let name = String(Substring(rest.prefix { ConfigLines.isBare($0) }))
                guard !name.isEmpty else { return path }
                rest = rest.dropFirst(name.utf8.count)
                path.append(name)
            }
            guard path.count <= ConfigLines.deepest else {
                giveUp()
                return path
            }
        }
    }

    private mutating func readValue(of path: [String]) {
        skipBlanks()
        guard let byte = rest.first else { return }
        switch byte {
        case _ where ConfigLines.isQuote(byte): _ = readQuoted()
        case UInt8(ascii: "["):
            var place = 0
            readNested(until: "]") { lines in
                // Keys of tables in a list are noted without its place, as
                // those in it that are lists are not told apart.
                if lines.depth == 1 { lines.note(path + ["\(place)"]) }
                place += 1
                lines.readValue(of: path)
            }
        case UInt8(ascii: "{"): readNested(until: "}") { lines in lines.readPair(in: path) }
        default: skip { !",]}#\n".utf8.contains($0) }
        }
    }

    /// Reads a bracketed list of elements separated by commas. It can span several lines.
    private mutating func readNested(until end: Character, _ element: (inout ConfigLines) -> Void) {
        rest = rest.dropFirst()
        depth += 1
        defer { depth -= 1 }
        guard depth <= ConfigLines.deepest else { return giveUp() }
        while skipToKey(), !next(end) {
            let before = rest.count
            if !next(",") { element(&self) }
            // Stop at something unexpected.
            guard rest.count < before else { return }
        }
    }

    /// Reads a string of any of the four kinds. Leaves escapes unchanged: none of flick's keys has one.
    private mutating func readQuoted() -> String {
        guard let quote = rest.first else { return "" }
        let isLong = rest.starts(with: [quote, quote, quote])
        rest = rest.dropFirst(isLong ? 3 : 1)
        var text: [UInt8] = []
        while let byte = rest.first {
            if byte == quote, !isLong || rest.starts(with: [quote, quote, quote]) {
                rest = rest.dropFirst(isLong ? 3 : 1)
                // Up to two quotes can precede the three that end the string.
                if isLong { skip { $0 == quote } }
                break
            }
            if byte == 0x0A, !isLong { break }
            let isEscape = byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"")
            for byte in rest.prefix(isEscape ? 2 : 1) {
                if byte == 0x0A { number += 1 }
                text.append(byte)
            }
            rest = rest.dropFirst(isEscape ? 2 : 1)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Skips white space, line breaks and comments. False at the end.
    private mutating func skipToKey() -> Bool {
        while let byte = rest.first {
            if byte == UInt8(ascii: "#") {
                skip { $0 != 0x0A }
            } else if byte <= 0x20 {
                if byte == 0x0A { number += 1 }
                rest = rest.dropFirst()
            } else {
                return true
            }
        }
        return false
    }

    /// Reads nothing more.
    private mutating func giveUp() {
        tooDeep = number
        rest = "".utf8[...]
    }

    private mutating func skipBlanks() { skip { $0 == 0x20 || $0 == 0x09 } }

    private mutating func skip(while condition: (UInt8) -> Bool) { rest = rest.drop(while: condition) }

    private mutating func next(_ character: Character) -> Bool {
        guard rest.first == character.asciiValue else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private static func beginsName(_ byte: UInt8) -> Bool { isBare(byte) || isQuote(byte) || byte == UInt8(ascii: "]") }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
