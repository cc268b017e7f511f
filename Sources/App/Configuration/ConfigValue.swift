internal import CTOML
import Model

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

extension ConfigValue {
    /// Why and on which line a text is not valid TOML.
    struct SyntaxError: Error, Equatable {
        var line: Int
        var why: String
    }

    /// Parses a TOML document (toml.io, v1.0.0).
    static func document(_ text: String) throws(SyntaxError) -> [String: ConfigValue] {
        // The library stops at the first NUL and silently ignores the rest.
        if let nul = text.utf8.firstIndex(of: 0) {
            let line = text.utf8[..<nul].count { $0 == 0x0A } + 1
            throw SyntaxError(line: line, why: "it contains a NUL byte")
        }
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
            throw SyntaxError(line: line, why: unquoted(in: text, line: line) ?? CleanText.line(why))
        }
        return tables.document
    }

    /// The stack of open tables and lists. A value.
    private struct OpenTables {
        private struct Open {
            var name: String
            var isList: Bool
            var table: [String: ConfigValue] = [:]
            var list: [ConfigValue] = []
        }

        private var open = [Open(name: "", isList: false)]

        var document: [String: ConfigValue] { open[0].table }

        mutating func visit(_ value: flick_toml_value) {
            let name = Self.text(value.name, value.name_size)
            switch value.kind {
            case flick_toml_text: add(.text(Self.text(value.text, value.text_size)), name)
            case flick_toml_integer: add(.integer(Int(value.integer)), name)
            case flick_toml_number: add(.number(value.number), name)
            case flick_toml_flag: add(.flag(value.flag), name)
            case flick_toml_list: open.append(Open(name: name, isList: true))
            case flick_toml_table: open.append(Open(name: name, isList: false))
            case flick_toml_end:
                let ended = open.removeLast()
                add(ended.isList ? .list(ended.list) : .table(ended.table), ended.name)
            default: add(.moment, name)
            }
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
