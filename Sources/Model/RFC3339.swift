#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Dates in the format of RFC 3339: "2026-05-01T12:00:00Z". Pure.
public enum RFC3339 {
    /// Parses a date and time with its offset. Also accepts a date alone (midnight UTC), a space for the `T`, and a
    /// missing offset (UTC). nil for anything else.
    public static func date(from text: String) -> Date? {
        var reader = DigitReader(bytes: Array(text.utf8))
        guard let year = reader.number(4), reader.consume("-"), let month = reader.number(2), reader.consume("-"),
            let dayOfMonth = reader.number(2), let day = CivilDate.days(ofYear: year, month: month, day: dayOfMonth)
        else { return nil }
        var seconds = Double(day) * 86_400
        if !reader.isAtEnd {
            guard reader.consume("T") || reader.consume("t") || reader.consume(" "), let time = reader.timeOfDay(),
                let offset = reader.offset(), reader.isAtEnd
            else { return nil }
            seconds += time - offset
        }
        return Date(timeIntervalSince1970: seconds)
    }

    /// In UTC; with milliseconds only if they are not zero.
    public static func text(from date: Date) -> String { text(seconds: date.timeIntervalSince1970) }

    /// The same of seconds since 1970.
    public static func text(seconds: Double) -> String {
        let milliseconds = Int64((seconds * 1_000).rounded())
        let (day, rest) = milliseconds.quotientAndRemainder(floorDividingBy: 86_400_000)
        let (year, month, dayOfMonth) = CivilDate.date(daysSince1970: day)
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { CivilDate.padded($0, 2) }
        let fraction = rest % 1_000 == 0 ? "" : "." + CivilDate.padded(rest % 1_000, 3)
        return
            "\(CivilDate.padded(year, 4))-\(CivilDate.padded(month, 2))-\(CivilDate.padded(dayOfMonth, 2))T\(time.joined(separator: ":"))\(fraction)Z"
    }
}

private struct DigitReader {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func consume(_ character: Character) -> Bool {
        guard index < bytes.count, bytes[index] == character.asciiValue else { return false }
        index += 1
        return true
    }

    /// Exactly `digits` digits.
    mutating func number(_ digits: Int) -> Int64? {
        guard index + digits <= bytes.count else { return nil }
        var value: Int64 = 0
        for byte in bytes[index..<index + digits] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        index += digits
        return value
    }

    /// In seconds. A leap second counts as the second before it.
    mutating func timeOfDay() -> Double? {
        guard let hours = number(2), consume(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        var seconds = 0.0
        if consume(":") {
            guard let whole = number(2), whole <= 60 else { return nil }
            seconds = Double(min(whole, 59))
            if consume(".") {
                var place = 0.1
                var digits = 0
                while let digit = number(1) {
                    seconds += Double(digit) * place
                    place /= 10
                    digits += 1
                }
                if digits == 0 { return nil }
            }
        }
        return Double(hours * 3_600 + minutes * 60) + seconds
    }

    /// In seconds east of UTC.
    mutating func offset() -> Double? {
        if isAtEnd || consume("Z") || consume("z") { return 0 }
        let sign: Double = consume("+") ? 1 : -1
        guard sign > 0 || consume("-"), let hours = number(2), hours < 24 else { return nil }
        _ = consume(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        return sign * Double(hours * 3_600 + minutes * 60)
    }
}
