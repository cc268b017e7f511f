import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A moment in the user's time zone: "today 16:28", "yesterday 9:05", "2026-11-20 14:02". A value.
struct LocalMoment: Equatable {
    let text: String

    /// Both in seconds since 1970.
    init(_ seconds: Double, now: Double) {
        var (time, parts) = (time_t(seconds.rounded(.down)), tm())
        localtime_r(&time, &parts)
        let date = WallClock.localDate(seconds)
        let day =
            switch date {
            case WallClock.localDate(now): "today"
            case WallClock.localDate(now - 86_400): "yesterday"
            default: date
            }
        let minute = parts.tm_min < 10 ? "0\(parts.tm_min)" : "\(parts.tm_min)"
        text = "\(day) \(parts.tm_hour):\(minute)"
    }
}
