/// The line of each key in a TOML document. The library that reads the values does not give it.
///
/// For documents that the library has found well-formed. Of others, some lines are wrong.
struct ConfigLines {
    /// The first line that begins a section with something that begins no name.
    private(set) var nameless: Int?
    private var lines: [String: Int] = [:]
    private var rest: Substring.UTF8View
    /// Of the next byte, from 1.
    private var number = 1
    /// How deep lists and tables are nested in a value: the library refuses more than 256.
    private var depth = 0

    init(_ text: String) {
        rest = Substring(text).utf8
        var section: [String] = []
        while skipToKey() {
            guard next("[") else {
                readPair(in: section)
                continue
            }
            _ = next("[")
            skipBlanks()
            if let byte = rest.first, nameless == nil, !ConfigLines.beginsName(byte) { nameless = number }
            section = readPath(until: "]")
            note(section)
            _ = next("]")
            _ = next("]")
        }
    }

    /// The first line on which the key, or section, of that path stands: "network.timeouts.connect".
    func line(of path: String) -> Int? { lines[path] }

    /// Notes a path and the tables that it is in.
    private mutating func note(_ path: [String]) {
        for count in path.indices.map({ $0 + 1 }) {
            let name = path[..<count].joined(separator: ".")
            if lines[name] == nil { lines[name] = number }
        }
    }

    /// A key, its value, and the keys in it.
    private mutating func readPair(in section: [String]) {
        let path = section + readPath(until: "=")
        note(path)
        guard next("=") else {
            // Nothing that the library would have let through: on with the next line.
            skip { $0 != 0x0A }
            return
        }
        readValue(of: path)
    }

    /// A key of several names with dots between, which may be quoted (toml.io, "Keys").
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
        }
    }

    private mutating func readValue(of path: [String]) {
        skipBlanks()
        guard let byte = rest.first else { return }
        switch byte {
        case _ where ConfigLines.isQuote(byte): _ = readQuoted()
        case UInt8(ascii: "["): readNested(until: "]") { lines in lines.readValue(of: path) }
        case UInt8(ascii: "{"): readNested(until: "}") { lines in lines.readPair(in: path) }
        default: skip { !",]}#\n".utf8.contains($0) }
        }
    }

    /// What stands between brackets, parted by commas; it may go over several lines.
    private mutating func readNested(until end: Character, _ element: (inout ConfigLines) -> Void) {
        rest = rest.dropFirst()
        depth += 1
        defer { depth -= 1 }
        while skipToKey(), depth < 300, !next(end) {
            let before = rest.count
            if !next(",") { element(&self) }
            // Whatever stands here that should not: no further.
            guard rest.count < before else { return }
        }
    }

    /// A string of any of the four kinds. Escapes are left as they are: no key of flick's has one.
    private mutating func readQuoted() -> String {
        guard let quote = rest.first else { return "" }
        let isLong = rest.starts(with: [quote, quote, quote])
        rest = rest.dropFirst(isLong ? 3 : 1)
        var text: [UInt8] = []
        while let byte = rest.first {
            if byte == quote, !isLong || rest.starts(with: [quote, quote, quote]) {
                rest = rest.dropFirst(isLong ? 3 : 1)
                // The quotes that may stand before the three that end it.
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

    /// Skips blanks, line breaks and comments. False at the end.
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
