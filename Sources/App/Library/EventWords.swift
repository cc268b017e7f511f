import Feeds
import Model
import Platform

/// What the engagement log has of an event, in words: "opened ahead, 53 ms"; empty where it has nothing more. A value.
struct EventWords: Equatable {
    let text: String

    /// - Parameters:
    ///   - what: as in the log: `start`, `view`.
    ///   - detail: an object of JSON that flick wrote, or nothing.
    init(_ what: String, _ detail: String) {
        // `try?`: another program may have written it. The event is listed without words then.
        guard let json = try? JSON(whole: Array(detail.utf8)) else {
            text = ""
            return
        }
        let words: [String?] =
            switch what {
            case "start": [json["how"]?.asText(limit: 20).map(Self.how), json["after"]?.asNumber.map(Self.time)]
            case "view": [json["watched"]?.asNumber.map { "\(Self.time($0)) watched" }]
            case "milestone": [json["percent"]?.asNumber.map { Self.percent($0 / 100) }]
            case "skip": [json["completion"]?.asNumber.map { "\(Self.percent($0)) watched" }]
            case "summary": Self.summary(json)
            default: []
            }
        text = words.compactMap(\.self).joined(separator: ", ")
    }

    private static func summary(_ json: JSON) -> [String?] {
        let replays = json["replay_count"]?.asCount ?? 0
        let waited = json["buffer_duration"]?.asNumber ?? 0
        return [
            json["watch_time"]?.asNumber.map { "\(time($0)) watched" },
            json["completion"]?.asNumber.map { "\(percent($0)) of the clip" },
            replays > 0 ? replays == 1 ? "1 replay" : "\(replays) replays" : nil,
            json["has_skipped"]?.asFlag == true ? "skipped" : nil, waited > 0 ? "\(time(waited)) stalled" : nil,
        ]
    }

    private static func how(_ name: String) -> String {
        switch ClaimKind(rawValue: name) {
        case .resume: "still open"
        case .warm, .pool: "opened ahead"
        case .cold: "opened on demand"
        case nil: name
        }
    }

    /// "53 ms", "2.1 s", "42 s", "12 min", "3 h 5 min".
    static func time(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds > 0 else { return "0 s" }
        switch seconds {
        case ..<0.9995: return "\(max(Int((seconds * 1_000).rounded()), 1)) ms"
        case ..<9.95:
            let tenths = Int((seconds * 10).rounded())
            return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
        default: return StatisticsReport.time(seconds)
        }
    }

    private static func percent(_ part: Double) -> String { StatisticsReport.percent(part.isFinite ? part : 0) }
}

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
