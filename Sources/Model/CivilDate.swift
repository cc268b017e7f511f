/// Days and dates of the Gregorian calendar (Howard Hinnant, "chrono-compatible low-level date algorithms"). Pure.
package enum CivilDate {
    /// Days from 1970-01-01 to a date.
    package static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Years begin in March here, so that the leap day comes last.
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.quotientAndRemainder(floorDividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The same; nil for what is no date, such as the 31st of February.
    package static func days(ofYear year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (1...12).contains(month), (1...length(of: month, in: year)).contains(day) else { return nil }
        return daysSince1970(year, month, day)
    }

    private static func length(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The inverse of `daysSince1970`.
    static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(floorDividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// A number with zeros before it.
    static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    func quotientAndRemainder(floorDividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// The preferred format of dates in HTTP, "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7).
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Seconds since 1970; nil for other formats.
    package static func seconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT", let dayOfMonth = number(words[1], 1...31),
            let month = months.firstIndex(of: String(words[2])), let year = number(words[3], 1...9999),
            let day = CivilDate.days(ofYear: year, month: Int64(month) + 1, day: dayOfMonth)
        else { return nil }
        let time = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], 0...23), let minute = number(time[1], 0...59),
            // 60 is a leap second.
            let second = number(time[2], 0...60)
        else { return nil }
        return day * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// The same of a date in any of the three formats that HTTP has had, which a server has to accept (RFC 9110,
    /// 5.6.7): also "Sunday, 06-Nov-94 08:49:37 GMT" and "Sun Nov  6 08:49:37 1994".
    package static func secondsInAnyFormat(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        switch words.count {
        case 4:
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, date[2].utf8.count == 2 else { return nil }
            // A year that seems far ahead is one of the last century.
            let century = date[2] < "70" ? "20" : "19"
            return seconds("\(words[0]) \(date[0]) \(date[1]) \(century)\(date[2]) \(words[2]) \(words[3])")
        case 5: return seconds("\(words[0]), \(words[2]) \(words[1]) \(words[4]) \(words[3]) GMT")
        default: return seconds(text)
        }
    }

    /// - Parameter seconds: since 1970.
    package static func text(seconds: Int64) -> String {
        let (day, rest) = seconds.quotientAndRemainder(floorDividingBy: 86_400)
        let (year, month, dayOfMonth) = CivilDate.date(daysSince1970: day)
        // The first of January 1970 was a Thursday.
        let weekday = days[Int((day + 4).quotientAndRemainder(floorDividingBy: 7).1)]
        let time = [rest / 3_600, rest / 60 % 60, rest % 60].map { CivilDate.padded($0, 2) }.joined(separator: ":")
        let date = "\(CivilDate.padded(dayOfMonth, 2)) \(months[Int(month) - 1]) \(CivilDate.padded(year, 4))"
        return "\(weekday), \(date) \(time) GMT"
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text),
            range.contains(number)
        else { return nil }
        return number
    }
}
