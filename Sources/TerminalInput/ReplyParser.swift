import Model

/// Answers to the questions of `TerminalQueries`.
enum ReplyParser {
    /// `CSI body final`, the body without its final.
    static func control(body: ArraySlice<UInt8>, final: UInt8) -> Reply? {
        let isPrivate = body.first == UInt8(ascii: "?")
        var parameters = isPrivate ? body.dropFirst() : body
        switch final {
        case UInt8(ascii: "c") where isPrivate:
            return numbers(parameters).map { .deviceAttributes($0) }
        case UInt8(ascii: "y") where isPrivate && parameters.last == UInt8(ascii: "$"):
            parameters.removeLast()
            guard let numbers = numbers(parameters), numbers.count == 2 else { return nil }
            return .mode(numbers[0], state: numbers[1])
        case UInt8(ascii: "S") where isPrivate:
            // The second is 0 where the question was understood.
            guard let numbers = numbers(parameters), numbers.count >= 3, numbers[1] == 0 else { return nil }
            if numbers[0] == 1, numbers.count == 3 { return .sixelColors(numbers[2]) }
            guard numbers[0] == 2, numbers.count == 4 else { return nil }
            return .sixelSize(PixelSize(width: numbers[2], height: numbers[3]))
        case UInt8(ascii: "n") where isPrivate:
            return numbers(parameters)?.first == 997 ? .colorsChanged : nil
        case UInt8(ascii: "n"):
            return numbers(parameters) == [0] ? .status : nil
        case UInt8(ascii: "R") where !isPrivate:
            guard let numbers = numbers(parameters), numbers.count == 2 else { return nil }
            return .cursor(row: numbers[0], column: numbers[1])
        case UInt8(ascii: "t") where !isPrivate:
            guard let numbers = numbers(parameters), numbers.count == 3 else { return nil }
            switch numbers[0] {
            case 4: return .areaPixels(PixelSize(width: numbers[2], height: numbers[1]))
            case 6: return .cellPixels(PixelSize(width: numbers[2], height: numbers[1]))
            case 8: return .areaCells(GridSize(columns: numbers[2], rows: numbers[1]))
            default: return nil
            }
        default:
            return nil
        }
    }

    /// The body of an OSC (`]`), DCS (`P`) or APC (`_`) string.
    static func string(kind: UInt8, body: ArraySlice<UInt8>) -> Reply? {
        switch kind {
        case UInt8(ascii: "]") where body.starts(with: Array("11;".utf8)):
            return color(body.dropFirst(3)).map { .background($0) }
        case UInt8(ascii: "P") where body.starts(with: Array(">|".utf8)):
            // Shown by `flick doctor`, so only what cannot do harm there.
            let text = body.dropFirst(2).prefix(80).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }
            return .version(String(decoding: text, as: UTF8.self))
        case UInt8(ascii: "_") where body.first == UInt8(ascii: "G"):
            return graphics(body.dropFirst())
        default:
            return nil
        }
    }

    /// `i=31;OK`, `i=32,I=1;ENOENT:why`.
    private static func graphics(_ body: ArraySlice<UInt8>) -> Reply? {
        guard let end = body.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        for field in body[..<end].split(separator: UInt8(ascii: ",")) where field.starts(with: Array("i=".utf8)) {
            guard let numbers = numbers(field.dropFirst(2)), numbers.count == 1 else { return nil }
            return .graphics(numbers[0], isOK: body[(end + 1)...].elementsEqual("OK".utf8))
        }
        return nil
    }

    private static func numbers(_ body: ArraySlice<UInt8>) -> [Int]? {
        KeyGrammar.fields(of: body)?.map { $0[0] }
    }

    /// `rgb:RRRR/GGGG/BBBB` with one to four hexadecimal digits each, or `rgba:` with a fourth part (XParseColor(3)).
    static func color(_ text: ArraySlice<UInt8>) -> RGB? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].elementsEqual("rgb".utf8) || parts[0].elementsEqual("rgba".utf8) else {
            return nil
        }
        let levels = parts[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(level)
        guard levels.count == parts[0].count, let red = levels[0], let green = levels[1], let blue = levels[2] else {
            return nil
        }
        return RGB(red, green, blue)
    }

    private static func level(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard (1...4).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x46).contains($0 & 0xDF) }),
            let value = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        let full = (1 << (4 * digits.count)) - 1
        return UInt8((value * 255 + full / 2) / full)
    }
}
