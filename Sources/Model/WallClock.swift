#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time of day, which people and other programs see. It may be set at any time.
package enum WallClock {
    /// In seconds since 1970.
    package static var now: Double { Date().timeIntervalSince1970 }

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
        let (year, month, day) = (Int64(parts.tm_year) + 1_900, Int64(parts.tm_mon) + 1, Int64(parts.tm_mday))
        return "\(CivilDate.padded(year, 4))-\(CivilDate.padded(month, 2))-\(CivilDate.padded(day, 2))"
    }
}
