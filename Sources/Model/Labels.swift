/// Short texts for figures. Pure.
public enum Label {
    /// A count in at most five characters: "987", "1.2K", "12.3K", "3.4M", "1.2B". Always rounded down.
    public static func count(_ count: Int) -> String {
        let count = max(count, 0)
        let units: [(size: Int, name: String)] = [(1_000_000_000, "B"), (1_000_000, "M"), (1_000, "K")]
        for unit in units where count >= unit.size {
            let whole = count / unit.size
            let tenths = count % unit.size / (unit.size / 10)
            if whole > 99_999 { return "99999\(unit.name)" }
            return whole >= 100 || tenths == 0 ? "\(whole)\(unit.name)" : "\(whole).\(tenths)\(unit.name)"
        }
        return "\(count)"
    }

    /// Bytes a second: "950 B/s", "40 KB/s", "3.1 MB/s".
    public static func speed(_ bytes: Int64) -> String {
        switch max(bytes, 0) {
        case ..<1_000: "\(max(bytes, 0)) B/s"
        case ..<1_000_000: "\(bytes / 1_000) KB/s"
        case ..<10_000_000: "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB/s"
        default: "\(min(bytes / 1_000_000, 99_999)) MB/s"
        }
    }

    /// A time in a clip: "0:07", "12:34", "1:02:03". At most ten characters, whatever the file claims.
    public static func clock(_ time: Duration) -> String {
        let seconds = min(max(Int(time.components.seconds), 0), 9_999 * 3_600 + 3_599)
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        if hours > 0 { return "\(hours):\(twoDigits(minutes)):\(twoDigits(seconds % 60))" }
        return "\(minutes):\(twoDigits(seconds % 60))"
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

/// An age such as "3m ago", and when its text changes: a timer updates it then, so nothing has to poll. A value.
public struct RelativeTime: Sendable, Equatable {
    public var label: String
    /// How long the text stays right.
    public var nextChange: Duration
    /// The columns of the longest label before the year 1000.
    public static let widest = "11mo ago".utf8.count

    /// The label of something `age` old. A time in the future (a wrong clock) is "now".
    public init(age: Duration) {
        let seconds = max(Int(age.components.seconds), 0)
        let (minute, hour, day, week, month) = (60, 3_600, 86_400, 604_800, 2_629_746)
        func next(_ unit: Int, atLeast least: Int) -> Duration { .seconds(max(unit - seconds % unit, least)) }
        switch seconds {
        case ..<minute: (label, nextChange) = (seconds < 5 ? "now" : "\(seconds)s ago", .seconds(1))
        case ..<hour: (label, nextChange) = ("\(seconds / minute)m ago", next(minute, atLeast: 10))
        case ..<day: (label, nextChange) = ("\(seconds / hour)h ago", next(hour, atLeast: 60))
        case ..<week: (label, nextChange) = ("\(seconds / day)d ago", next(day, atLeast: 600))
        case ..<month:
            // A month is no whole number of weeks.
            let left = min(week - seconds % week, month - seconds)
            (label, nextChange) = ("\(seconds / week)w ago", .seconds(max(left, 1_800)))
        case ..<(12 * month): (label, nextChange) = ("\(seconds / month)mo ago", next(month, atLeast: 3_600))
        default: (label, nextChange) = ("\(seconds / (12 * month))y ago", next(month, atLeast: 3_600))
        }
    }
}
