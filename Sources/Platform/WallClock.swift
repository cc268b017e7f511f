/// The time of day, which people and other programs see. It may be set at any time.
package enum WallClock {
    /// In seconds since 1970.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The hour of a moment in the user's time zone, 0 … 23.
    package static func localHour(_ seconds: Double) -> Int {
        // The clock of another machine may have been anything.
        guard seconds.magnitude < 1e12 else { return 0 }
        var (time, parts) = (time_t(seconds), tm())
        localtime_r(&time, &parts)
        return Int(parts.tm_hour)
    }

    /// The date of a moment in the user's time zone: "2026-11-22".
    package static func localDate(_ seconds: Double) -> String {
        var (time, parts) = (time_t(seconds), tm())
        localtime_r(&time, &parts)
        // As an argument an array is a pointer to C libraries that allow NULL here and to those that do not.
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%d", &parts)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
