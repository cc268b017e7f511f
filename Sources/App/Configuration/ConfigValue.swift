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
            throw SyntaxError(line: line, why: "there is a NUL byte in it")
        }
        do {
            return table(try TOMLTable(string: text))
        } catch let error as TOMLParseError {
            throw SyntaxError(line: error.source.begin.line, why: CleanText.line(error.description))
        } catch {
            throw SyntaxError(line: 1, why: CleanText.line("\(error)"))
        }
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
