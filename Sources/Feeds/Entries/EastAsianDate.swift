/// Dates as Japanese, Chinese and Korean write them, with a unit behind each number: "2024年3月12日(火) 午後3時05分", "2024년 3월
/// 12일 오후 3:05". Pure.
enum EastAsianDate {
    /// The same with hyphens and colons in place of the units. What is not of such a date stays as it is.
    static func plain(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var plain = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            let isBehindNumber = plain.last.map(isDigit) ?? false
            if isBehindNumber, let unit = units[scalar] {
                var next = index + 1
                while next < scalars.count, scalars[next] == " " { next += 1 }
                // Blanks stand between a number and the next, too: "3월 12일".
                let joins = unit.joint != nil && next < scalars.count && isDigit(scalars[next])
                plain.append(contentsOf: (joins ? unit.joint ?? " " : unit.end).unicodeScalars)
                index = joins ? next : index + 1
            } else if isLetter(scalar) {
                let end = scalars[index...].firstIndex { !isLetter($0) } ?? scalars.count
                // A number may follow at once: "午後3時".
                plain.append(contentsOf: " \(word(scalars[index..<end])) ".unicodeScalars)
                index = end
            } else {
                plain.append(scalar)
                index += 1
            }
        }
        return String(plain)
    }

    /// The replacement of a unit between two numbers, and after the last one.
    private static let units: [Unicode.Scalar: (joint: String?, end: String)] = [
        "年": ("-", " "), "년": ("-", " "), "月": ("-", " "), "월": ("-", " "), "日": (nil, " "), "일": (nil, " "),
        "号": (nil, " "),
        "時": (":", ":00 "), "时": (":", ":00 "), "시": (":", ":00 "), "点": (":", ":00 "), "點": (":", ":00 "),
        "分": (":", " "), "분": (":", " "), "秒": (nil, " "), "초": (nil, " "),
    ]

    /// Halves of the day in English; of days of the week nothing. Others stay, and make it no date.
    private static func word(_ letters: ArraySlice<Unicode.Scalar>) -> String {
        let word = String(String.UnicodeScalarView(letters))
        switch word {
        case "오전", "午前", "上午": return "am"
        case "오후", "午後", "午后", "下午": return "pm"
        default: break
        }
        let bare =
            [("", "요일"), ("", "曜日"), ("", "曜"), ("星期", ""), ("礼拜", ""), ("禮拜", ""), ("周", ""), ("週", "")].lazy
            .compactMap { prefix, suffix -> Substring? in
                guard word.hasPrefix(prefix), word.hasSuffix(suffix) else { return nil }
                return word.dropFirst(prefix.count).dropLast(suffix.count)
            }.first { $0.unicodeScalars.count == 1 } ?? word[...]
        return bare.unicodeScalars.count == 1 && bare.unicodeScalars.allSatisfy(days.contains) ? "" : word
    }

    private static let days = Set("日月火水木金土일월화수목금토天一二三四五六".unicodeScalars)

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    /// Han and Hangul.
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        (0x4E00...0x9FFF).contains(scalar.value) || (0xAC00...0xD7A3).contains(scalar.value)
    }
}
