internal import CTOML
import Model

/// A TOML document (toml.io, v1.0.0), and where its keys are. A value.
struct ConfigDocument {
    /// Why and on which line a text is not valid TOML.
    struct SyntaxError: Error, Equatable {
        var line: Int
        var why: String
    }

    /// How deep values may be nested, and how many parts a name may have. flick's keys need three. What walks through
    /// the tables does not take very many more.
    static let deepest = Int(FLICK_TOML_DEEPEST)

    let values: [String: ConfigValue]
    private let lines: [String: Int]

    init(_ text: String) throws(SyntaxError) {
        // The library stops at the first NUL and silently ignores the rest.
        if let nul = text.utf8.firstIndex(of: 0) {
            let line = text.utf8[..<nul].count { $0 == 0x0A } + 1
            throw SyntaxError(line: line, why: "it contains a NUL byte")
        }
        if let line = Self.lineOfDeepName(in: text) { throw Self.tooDeep(line) }
        var (text, tables, error) = (text, OpenTables(), flick_toml_error())
        let isValid = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                withUnsafeMutablePointer(to: &tables) { tables in
                    flick_toml_read(
                        characters.baseAddress, characters.count,
                        { context, value in
                            // Neither is null: `context` is `tables` below.
                            context!.assumingMemoryBound(to: OpenTables.self).pointee.visit(value!.pointee)
                        }, tables, &error)
                }
            }
        }
        guard isValid else {
            let line = Int(error.line)
            let why = withUnsafeBytes(of: error.why) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if why.contains("TOML_MAX_NESTED_VALUES") { throw Self.tooDeep(line) }
            throw SyntaxError(line: line, why: Self.unquoted(in: text, line: line) ?? CleanText.line(why))
        }
        (values, lines) = (tables.document, tables.lines)
    }

    /// The first line with that key or section, "network.timeouts.connect", or element of a list, "home.sources.0".
    /// Keys of tables in a list have no place in it: "home.sources.url".
    func line(of path: String) -> Int? { lines[path] }

    private static func tooDeep(_ line: Int) -> SyntaxError {
        SyntaxError(line: line, why: "it is nested more than \(deepest) deep")
    }

    /// The first line with a name of too many parts: the library has no limit for those. A line of a text over several
    /// lines counts as if it were none.
    private static func lineOfDeepName(in text: String) -> Int? {
        for (place, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            var (rest, dots) = (line, 0)
            while let byte = rest.popFirst(), byte != UInt8(ascii: "#") {
                switch byte {
                case UInt8(ascii: "."):
                    dots += 1
                    if dots >= deepest { return place + 1 }
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    while let other = rest.popFirst(), other != byte {
                        if other == UInt8(ascii: "\\"), byte == UInt8(ascii: "\"") { _ = rest.popFirst() }
                    }
                case 0x20, 0x09, UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    break
                default: dots = 0
                }
            }
        }
        return nil
    }

    /// The stack of open tables and lists. A value.
    private struct OpenTables {
        private struct Open {
            var name: String
            /// Its names from the document on; the places in lists are left out.
            var path: [String]
            var isList: Bool
            var isInList: Bool
            var table: [String: ConfigValue] = [:]
            var list: [ConfigValue] = []
        }

        private var open = [Open(name: "", path: [], isList: false, isInList: false)]
        private(set) var lines: [String: Int] = [:]

        var document: [String: ConfigValue] { open[0].table }

        mutating func visit(_ value: flick_toml_value) {
            let name = Self.text(value.name, value.name_size)
            if value.kind != flick_toml_end { note(name, Int(value.line)) }
            switch value.kind {
            case flick_toml_text: add(.text(Self.text(value.text, value.text_size)), name)
            case flick_toml_integer: add(.integer(Int(value.integer)), name)
            case flick_toml_number: add(.number(value.number), name)
            case flick_toml_flag: add(.flag(value.flag), name)
            case flick_toml_list: begin(name, isList: true)
            case flick_toml_table: begin(name, isList: false)
            case flick_toml_end:
                let ended = open.removeLast()
                add(ended.isList ? .list(ended.list) : .table(ended.table), ended.name)
            default: add(.moment, name)
            }
        }

        private mutating func begin(_ name: String, isList: Bool) {
            let outer = open[open.count - 1]
            let path = outer.isList ? outer.path : outer.path + [name]
            open.append(Open(name: name, path: path, isList: isList, isInList: outer.isList))
        }

        private mutating func note(_ name: String, _ line: Int) {
            let outer = open[open.count - 1]
            if outer.isList, outer.isInList { return }
            let path = outer.path + [outer.isList ? "\(outer.list.count)" : name]
            let joined = path.joined(separator: ".")
            if lines[joined] == nil { lines[joined] = line }
        }

        private mutating func add(_ value: ConfigValue, _ name: String) {
            let last = open.count - 1
            if open[last].isList { open[last].list.append(value) } else { open[last].table[name] = value }
        }

        private static func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
            String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        }
    }

    /// What to write if a line gives a text without quotes, which the library
    /// calls a bad number or Boolean; nil for other lines.
    private static func unquoted(in text: String, line: Int) -> String? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return nil }
        let pair = lines[line - 1].prefix { $0 != "#" }.split(separator: "=", maxSplits: 1)
            .map { $0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed() }
            .map { CleanText.line(String($0), limit: 80) }
        guard pair.count == 2, let first = pair[1].first, first.isLetter || "/~.".contains(first),
            !["true", "false", "inf", "nan"].contains(pair[1]), !pair[1].contains(where: { "\"'\\".contains($0) })
        else { return nil }
        return "\(pair[0]) needs quotes: \(pair[0]) = \"\(pair[1])\""
    }
}

/// A value of a configuration file.
enum ConfigValue: Equatable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case list([ConfigValue])
    /// Unordered, like tables in TOML.
    case table([String: ConfigValue])
    /// A date or a time, which no key accepts.
    case moment

    /// Short and on one line, for messages.
    var shown: String {
        switch self {
        case .text(""): "empty"
        case .text(let text): CleanText.line(text, limit: 60)
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .list: "a list"
        case .table: "a table"
        case .moment: "a date or time"
        }
    }
}
