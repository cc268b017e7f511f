import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Dates in the many ways in which feeds write them: RFC 822 and 2822, W3CDTF, ISO 8601, asctime, with slashes; with and without time and zone. Pure.
enum FeedDate {
    /// The most bytes of a date.
    static let limit = 100

    /// nil for what is no date, and for years that no clip is of. Without a zone it is UTC.
    static func date(from text: String) -> Date? {
        guard text.utf8.count <= limit else { return nil }
        var reader = DateReader()
        for word in words(text) {
            guard reader.read(word) else { return nil }
        }
        return reader.seconds.map { Date(timeIntervalSince1970: $0) }
    }

    /// The words in small letters; what is between commas, blanks and brackets. The `T` before a time separates, too.
    private static func words(_ text: String) -> [[UInt8]] {
        var words: [[UInt8]] = [[]]
        let bytes = text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0...0x20, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "("), UInt8(ascii: ")"):
                words.append([])
            case UInt8(ascii: "t")
            where index > 0 && isDigit(bytes[index - 1]) && index + 1 < bytes.count && isDigit(bytes[index + 1]):
                // A word of its own, so that digits alone behind it are a time: "20031231T101455".
                words += [[byte], []]
            default: words[words.count - 1].append(byte)
            }
        }
        return words.filter { !$0.isEmpty }
    }

    fileprivate static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// Takes words until they make a date. A value.
private struct DateReader {
    private var year: Int64?
    private var month: Int64?
    private var day: Int64?
    /// In place of month and day: in the year, from 1.
    private var dayOfYear: Int64?
    /// In seconds.
    private var time: Double?
    /// In seconds east of UTC.
    private var offset: Double?
    private var isAfternoon: Bool?
    /// Digits that follow are a time.
    private var expectsTime = false

    /// Since 1970; nil if it is no date.
    var seconds: Double? {
        guard let year, (1900...9_999).contains(year) else { return nil }
        let days: Int64
        if let dayOfYear {
            guard (1...Self.length(of: year)).contains(dayOfYear) else { return nil }
            days = CivilDate.daysSince1970(year, 1, 1) + dayOfYear - 1
        } else {
            let (month, day) = (month ?? 1, day ?? 1)
            guard (1...12).contains(month), day >= 1 else { return nil }
            days = CivilDate.daysSince1970(year, month, day)
            // No date has more days than its month.
            let next =
                month == 12 ? CivilDate.daysSince1970(year + 1, 1, 1) : CivilDate.daysSince1970(year, month + 1, 1)
            guard days < next else { return nil }
        }
        var time = time ?? 0
        if let isAfternoon {
            let hour = time >= 12 * 3_600 && time < 13 * 3_600 ? time - 12 * 3_600 : time
            time = isAfternoon && hour < 12 * 3_600 ? hour + 12 * 3_600 : hour
        }
        return Double(days) * 86_400 + time - (offset ?? 0)
    }

    private static func length(of year: Int64) -> Int64 {
        CivilDate.daysSince1970(year + 1, 1, 1) - CivilDate.daysSince1970(year, 1, 1)
    }

    /// Takes the next word, in small letters; false if no date has it.
    mutating func read(_ word: [UInt8]) -> Bool {
        let isLetters = word.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: ".") || $0 >= 0x80 }
        if isLetters { return readName(word) }
        switch word.first {
        case UInt8(ascii: "+"), UInt8(ascii: "-"): return time == nil ? readNumbers(word) : readOffset(word[...])
        case let first? where FeedDate.isDigit(first): return readNumbers(word)
        default: return readZone(word[...])
        }
    }

    // MARK: Names

    private mutating func readName(_ word: [UInt8]) -> Bool {
        if word == [UInt8(ascii: "t")], time == nil {
            expectsTime = true
            return true
        }
        if word == Array("am".utf8) || word == Array("a.m.".utf8) {
            isAfternoon = false
            return true
        }
        if word == Array("pm".utf8) || word == Array("p.m.".utf8) {
            isAfternoon = true
            return true
        }
        // The last before the time counts: the day of the week may look like one.
        if month == nil || time == nil, word.count >= 3,
            let place = Self.months.firstIndex(where: { word.starts(with: $0.utf8) })
        {
            month = Int64(place) + 1
            return true
        }
        return readZone(word[...])
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Zones in hours; letters are those of RFC 822, of which only a few are ever meant.
    private static let zones: [String: Double] = [
        "ut": 0, "gmt": 0, "utc": 0, "z": 0, "wet": 0, "west": 1, "bst": 1, "cet": 1, "cest": 2, "met": 1, "mest": 2,
        "eet": 2,
        "eest": 3, "msk": 3, "ist": 5.5, "jst": 9, "kst": 9, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13,
        "nst": -3.5, "ndt": -2.5, "adt": -3, "ast": -4, "at": -4, "edt": -4, "est": -5, "et": -5, "cdt": -5, "cst": -6,
        "ct": -6, "mdt": -6, "mst": -7, "mt": -7, "pdt": -7, "pst": -8, "pt": -8, "akdt": -8, "akst": -9, "hst": -10,
        "a": -1, "n": 1, "m": -12, "y": 12,
    ]

    /// A zone, or a word that tells nothing: the day of the week, a zone that nobody knows.
    private mutating func readZone(_ word: ArraySlice<UInt8>) -> Bool {
        var rest = word
        if rest.starts(with: "etc/".utf8) { rest = rest.dropFirst(4) }
        for name in ["gmt", "utc"] where rest.starts(with: name.utf8) && rest.count > 3 {
            return readOffset(rest.dropFirst(3))
        }
        guard let hours = Self.zones[String(decoding: rest, as: UTF8.self)], time != nil, offset == nil else {
            return true
        }
        offset = hours * 3_600
        return true
    }

    /// "+0100", "-01", "+5:30".
    private mutating func readOffset(_ word: ArraySlice<UInt8>) -> Bool {
        guard let sign = word.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return true }
        let parts = word.dropFirst().split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var digits: [UInt8] = parts[0].count == 1 ? [0x30] : []
        digits += parts[0]
        if parts.count > 1 { digits += parts[1] } else if digits.count == 2 { digits += [0x30, 0x30] }
        guard digits.count == 4, let number = Self.number(digits[...]) else { return false }
        let seconds = Double(number / 100 * 3_600 + number % 100 * 60)
        guard seconds <= 86_400 else { return false }
        offset = sign == UInt8(ascii: "-") ? -seconds : seconds
        return true
    }

    // MARK: Numbers

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.count <= 9, digits.allSatisfy(FeedDate.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1) - 0x30 }
    }

    private mutating func readNumbers(_ word: [UInt8]) -> Bool {
        if word.contains(UInt8(ascii: ":")) || expectsTime { return readTime(word[...]) }
        for separator in [UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: ".")] where word.contains(separator) {
            return readDate(word.split(separator: separator, omittingEmptySubsequences: false), separator)
        }
        if let number = Self.number(word[...]) { return readDigits(number, count: word.count) }
        // "1st", "2nd"
        let ending = word.suffix(2)
        guard day == nil, ["st", "nd", "rd", "th"].contains(where: { ending.elementsEqual($0.utf8) }),
            let number = Self.number(word.dropLast(2))
        else { return false }
        day = number
        return true
    }

    private mutating func readDigits(_ number: Int64, count: Int) -> Bool {
        switch count {
        case 8: (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
        case 7: (year, dayOfYear) = (number / 1_000, number % 1_000)
        case 6: (year, month, day) = (2_000 + number / 10_000, number / 100 % 100, number % 100)
        case 4, 3:
            // Behind the time, it is a zone without a sign.
            guard year == nil else { return time != nil }
            // RFC 2822, 4.3
            year = count == 3 ? 1_900 + number : number
        case 1, 2:
            if day == nil {
                day = number
            } else if year == nil {
                year = Self.whole(number)
            } else {
                return false
            }
        default: return false
        }
        return true
    }

    /// The year that two digits mean.
    private static func whole(_ number: Int64) -> Int64 { number + (number < 90 ? 2_000 : 1_900) }

    /// "2003-12-31", "2003-12", "2003-365", "21-nov-97", "12/31/2003", "31.12.2003".
    private mutating func readDate(_ parts: [ArraySlice<UInt8>], _ separator: UInt8) -> Bool {
        guard (2...3).contains(parts.count), year == nil else { return false }
        if parts.count == 3, Self.number(parts[1]) == nil {
            guard day == nil, month == nil, readName(Array(parts[1])), month != nil else { return false }
            return readDigits(parts[0]) && readDigits(parts[2])
        }
        let numbers = parts.compactMap(Self.number)
        guard numbers.count == parts.count else { return false }
        if parts[0].count == 4 {
            year = numbers[0]
            if parts[1].count == 3, parts.count == 2 {
                dayOfYear = numbers[1]
            } else {
                (month, day) = (numbers[1], numbers.count == 3 ? numbers[2] : nil)
            }
            return true
        }
        guard parts.count == 3, parts.allSatisfy({ $0.count <= 4 }) else { return false }
        if separator == UInt8(ascii: "-"), parts[2].count <= 2 {
            (year, month, day) = (Self.whole(numbers[0]), numbers[1], numbers[2])
        } else {
            year = parts[2].count <= 2 ? Self.whole(numbers[2]) : numbers[2]
            // With slashes America's order, unless that makes no month.
            let isDayFirst = separator != UInt8(ascii: "/") || numbers[0] > 12
            (month, day) = isDayFirst ? (numbers[1], numbers[0]) : (numbers[0], numbers[1])
        }
        return true
    }

    private mutating func readDigits(_ digits: ArraySlice<UInt8>) -> Bool {
        Self.number(digits).map { readDigits($0, count: digits.count) } ?? false
    }

    /// "10:14", "10:14:55.1", "101455", with "z", "am", "+01:00" behind.
    private mutating func readTime(_ word: ArraySlice<UInt8>) -> Bool {
        guard time == nil else { return false }
        let digits = word.prefix { FeedDate.isDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        var parts = digits.split(separator: UInt8(ascii: ":"))
        if parts.count == 1, let all = parts.first, all.count >= 4, all.count != 5 {
            // "1014", "101455.5"
            parts = [all.prefix(2), all.dropFirst(2).prefix(2), all.dropFirst(4)].filter { !$0.isEmpty }
        }
        guard (1...3).contains(parts.count), let hour = Self.number(parts[0]), hour <= 24 else { return false }
        var seconds = Double(hour * 3_600)
        if parts.count > 1 {
            guard let minute = Self.number(parts[1].prefix { $0 != UInt8(ascii: ".") }), minute < 60 else {
                return false
            }
            seconds += Double(minute * 60)
        }
        if parts.count > 2 {
            let halves = parts[2].split(separator: UInt8(ascii: "."))
            guard let first = halves.first, let second = Self.number(first), second <= 60 else { return false }
            // A leap second counts as the second before it.
            seconds += Double(min(second, 59))
            if halves.count > 1, let fraction = Double("0." + String(decoding: halves[1], as: UTF8.self)) {
                seconds += fraction
            }
        }
        time = seconds
        expectsTime = false
        let rest = word.dropFirst(digits.count)
        return rest.isEmpty || read(Array(rest))
    }
}
