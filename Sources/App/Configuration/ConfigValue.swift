import Model
internal import TOMLKit

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
        do {
            return table(try TOMLTable(string: text))
        } catch let error as TOMLParseError {
            let line = error.source.begin.line
            throw SyntaxError(line: line, why: unquoted(in: text, line: line) ?? CleanText.line(error.description))
        } catch {
            throw SyntaxError(line: 1, why: CleanText.line("\(error)"))
        }
    }

    /// What to write if a line gives a text without quotes, which the library calls a bad number or Boolean; nil for
    /// other lines.
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

    private static func table(_ table: TOMLTable) -> [String: ConfigValue] {
        var values: [String: ConfigValue] = [:]
        for key in table.keys { values[key] = table[key].map(value) }
        return values
    }

    private static func value(_ value: any TOMLValueConvertible) -> ConfigValue {
        if let text = value.string { return .text(text) }
        if let number = value.int { return .integer(number) }
        if let number = value.double { return .number(number) }
        if let flag = value.bool { return .flag(flag) }
        if let table = value.table { return .table(Self.table(table)) }
        guard let array = value.array else { return .moment }
        return .list((0..<array.count).map { Self.value(array[$0]) })
    }
}
