import Model

/// Takes words until they make a date. A value.
struct DateReader {
    private var year: Int64?
    /// As a number, or as a name between hyphens.
    private var month: Int64?
    /// Of months and days of the week, in their order.
    private var names: [DateNames.Name] = []
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
    /// Whether the first two numbers may be month and day, or day and month: "1/2/2003".
    private var isEitherOrder = false
    /// Whether no word has been read.
    private var isFirst = true

    /// Since 1970; nil if it is not a date.
    var seconds: Double? {
        guard let year, (1900...9_999).contains(year) else { return nil }
        let days: Int64
        if let dayOfYear {
            guard (1...Self.length(of: year)).contains(dayOfYear) else { return nil }
            days = CivilDate.daysSince1970(year, 1, 1) + dayOfYear - 1
        } else {
            guard let (month, day) = monthAndDay, let date = CivilDate.days(ofYear: year, month: month, day: day) else {
                return nil
            }
            days = date
        }
        var time = time ?? 0
        if let isAfternoon {
            // With an hour from 13 on, "am" or the hour is wrong.
            if !isAfternoon, time >= 13 * 3_600 { return nil }
            let hour = time >= 12 * 3_600 && time < 13 * 3_600 ? time - 12 * 3_600 : time
            time = isAfternoon && hour < 12 * 3_600 ? hour + 12 * 3_600 : hour
        }
        return Double(days) * 86_400 + time - (offset ?? 0)
    }

    /// nil if it is not clear which they are. A year alone is its first day, and a month, too.
    private var monthAndDay: (Int64, Int64)? {
        // Authors who write "PM" write the month first.
        if isEitherOrder, isAfternoon == nil { return nil }
        if let month {
            return names.allSatisfy(\.isWeekday) ? (month, day ?? 1) : nil
        }
        if let month = namedMonth { return (month, day ?? 1) }
        return day == nil && names.isEmpty ? (1, 1) : nil
    }

    private static func length(of year: Int64) -> Int64 {
        CivilDate.daysSince1970(year + 1, 1, 1) - CivilDate.daysSince1970(year, 1, 1)
    }

    /// Takes the next word, folded (`LetterFold`); false if no date has it.
    mutating func read(_ word: [UInt8]) -> Bool {
        if word.allSatisfy({ (0x61...0x7A).contains($0) || $0 >= 0x80 }) { return readName(word) }
        defer { isFirst = false }
        // "segunda-feira"
        let parts = word.split(separator: UInt8(ascii: "-"))
        if parts.count == 2, !word.contains(where: FeedDate.isDigit),
            DateNames.name(String(decoding: parts[0], as: UTF8.self)) != nil
        {
            return readName(Array(parts[0]))
        }
        switch word.first {
        case UInt8(ascii: "+"), UInt8(ascii: "-"): return time == nil ? readNumbers(word) : readOffset(word[...])
        case let first? where FeedDate.isDigit(first): return readNumbers(word)
        default: return readZone(word[...])
        }
    }

    // MARK: Names

    private mutating func readName(_ word: [UInt8]) -> Bool {
        defer { isFirst = false }
        if word == [UInt8(ascii: "t")], time == nil {
            expectsTime = true
            return true
        }
        let text = String(decoding: word, as: UTF8.self)
        if let half = DateNames.half(of: text, isBehindTime: time != nil) {
            guard isAfternoon == nil || isAfternoon == half else { return false }
            isAfternoon = half
            return true
        }
        // "pt" is Friday in Polish, and a zone behind a time. Most dates need no names but English ones, so others are
        // not looked up first.
        let mayBeZone = time != nil && offset == nil && Self.zones[text] != nil
        if mayBeZone, day != nil { return readZone(word[...]) }
        let name = DateNames.name(text)
        if mayBeZone, name == nil { return readZone(word[...]) }
        if let name {
            // Behind all of a date, words explain its zone: "(Samoa Standard Time)".
            if offset == nil || year == nil || day == nil { names.append(name) }
            return true
        }
        return DateNames.fillers.contains(text) || readZone(word[...])
    }

    /// A month is named by the last word that can name one, if all others name the day of the week: "mar., 06 mar.
    /// 2024". nil if there is no such word.
    private var namedMonth: Int64? {
        names.indices.reversed().first { place in
            names[place].month != nil && names.indices.allSatisfy { $0 == place || names[$0].isWeekday }
        }.flatMap { names[$0].month }
    }

    /// An unknown word: the day of the week if it comes first, a zone after a time; after a zone it explains that.
    /// Elsewhere it may be the month.
    private func allowsUnknown(_ word: ArraySlice<UInt8>) -> Bool {
        if isFirst || offset != nil { return true }
        let isZone =
            (2...5).contains(word.count) && word.allSatisfy { (0x61...0x7A).contains($0) }
            || word.contains(UInt8(ascii: "/"))
        return time != nil && isZone && (month != nil || names.contains { $0.month != nil && !$0.isWeekday })
    }

    /// Zones in hours; letters are those of RFC 822, of which only a few are ever meant.
    private static let zones: [String: Double] = [
        "ut": 0, "gmt": 0, "utc": 0, "z": 0, "wet": 0, "west": 1, "bst": 1, "cet": 1, "cest": 2, "met": 1, "mest": 2,
        "eet": 2,
        "eest": 3, "msk": 3, "ist": 5.5, "jst": 9, "kst": 9, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13,
        "nst": -3.5, "ndt": -2.5, "adt": -3, "ast": -4, "at": -4, "edt": -4, "est": -5, "et": -5, "cdt": -5, "cst": -6,
        "ct": -6, "mdt": -6, "mst": -7, "mt": -7, "pdt": -7, "pst": -8, "pt": -8, "akdt": -8, "akst": -9, "hst": -10,
        "a": -1, "n": 1, "m": -12, "y": 12,
    ]

    /// A zone, or a word without a meaning.
    private mutating func readZone(_ word: ArraySlice<UInt8>) -> Bool {
        var rest = word
        if rest.starts(with: "etc/".utf8) { rest = rest.dropFirst(4) }
        for name in ["gmt", "utc"] where rest.starts(with: name.utf8) && rest.count > 3 {
            return readOffset(rest.dropFirst(3))
        }
        guard let hours = Self.zones[String(decoding: rest, as: UTF8.self)] else { return allowsUnknown(word) }
        guard time != nil, offset == nil else { return true }
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
        let digits = word.prefix(while: FeedDate.isDigit)
        let ending = String(decoding: word.dropFirst(digits.count), as: UTF8.self)
        if ending.first == "h", digits.count <= 2, time == nil {
            // "14h05", "14h"
            let minutes = word.dropFirst(digits.count + 1).prefix(while: FeedDate.isDigit)
            guard minutes.isEmpty || minutes.count == 2 else { return false }
            return readTime(
                (Array(digits) + [UInt8(ascii: ":")] + (minutes.isEmpty ? [0x30, 0x30] : Array(minutes)))[...])
        }
        guard day == nil, ["st", "nd", "rd", "th", "er", "re", "º", "°", "o", "a", "e"].contains(ending),
            let number = Self.number(digits)
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
            // RFC 2822, 4.3: years since 1900, as programs of 2000 wrote them. "013" is not such a year.
            guard count == 4 || (100..<150).contains(number) else { return false }
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
            let name = DateNames.name(String(decoding: parts[1], as: UTF8.self))
            guard day == nil, month == nil, let named = name?.month else { return false }
            month = named
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
            // With slashes the American order, unless that gives no valid month. Others write the day first there, too.
            let isDayFirst = separator != UInt8(ascii: "/") || numbers[0] > 12
            isEitherOrder = !isDayFirst && numbers[1] <= 12 && numbers[0] != numbers[1]
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
