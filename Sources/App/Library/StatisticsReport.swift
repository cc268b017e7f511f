import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What `flick stats` draws. Pure.
struct StatisticsReport {
    /// Of the terminal.
    var columns: Int
    var isASCII: Bool
    /// "2026-11-22", in the user's time zone.
    var today: String

    /// The number of days to draw, up to today.
    private static let days = 14
    private static let nameColumns = 24

    /// A line of a drawing. A value.
    private struct Bar {
        var name: String
        var value: Double
        var words: String
    }

    func text(_ statistics: Statistics) -> String {
        guard statistics.all.visits > 0 else { return "nothing watched\n" }
        let all = statistics.all
        let visits = all.visits == 1 ? "1 visit" : "\(all.visits) visits"
        let clips = statistics.clips == 1 ? "1 clip" : "\(statistics.clips) clips"
        var text =
            "\(Self.time(all.watched)) watched, \(visits) to \(clips), \(Self.percent(all.completion)) of a clip on average\n"
        text += section("Minutes per day", dayBars(statistics.days))
        text += section("Creators, and how much of their clips was played", statistics.creators.map(bar), of: 1)
        text += section("Topics, and how much of their clips was played", statistics.topics.map(bar), of: 1)
        if statistics.skips.contains(where: { $0 > 0 }) {
            text += section(
                "Where clips are left",
                statistics.skips.enumerated().map { tenth, count in
                    Bar(name: "\(tenth * 10) to \(tenth * 10 + 10) %", value: Double(count), words: "\(count)")
                })
        }
        return text
    }

    // MARK: Drawing

    private func dayBars(_ days: [Statistics.Day]) -> [Bar] {
        let watched = Dictionary(days.map { ($0.date, $0.watched) }, uniquingKeysWith: { $1 })
        guard let today = RFC3339.date(from: today)?.timeIntervalSince1970 else { return [] }
        let bars = (0..<Self.days).reversed().map { ago in
            let date = String(RFC3339.text(seconds: today - Double(ago) * 86_400).prefix(10))
            let seconds = watched[date] ?? 0
            return Bar(name: date, value: seconds, words: seconds > 0 ? Self.minutes(seconds) : "")
        }
        return Array(bars.drop { $0.value == 0 })
    }

    /// As long as clips were played to their end; the words say how much that was.
    private func bar(_ group: Statistics.Group) -> Bar {
        Bar(
            name: group.name, value: group.completion,
            words: "\(Self.percent(group.completion)), \(Self.time(group.watched))")
    }

    /// - Parameter whole: the value of a bar of full length; nil for the largest one's.
    private func section(_ title: String, _ bars: [Bar], of whole: Double? = nil) -> String {
        guard let largest = bars.map(\.value).max(), !bars.isEmpty else { return "" }
        let whole = max(whole ?? largest, .leastNormalMagnitude)
        let names = bars.map {
            GlyphLine(CleanText.line($0.name, limit: 80)).truncated(to: Self.nameColumns, ellipsis: ellipsis)
        }
        let width = names.map(\.columns).max() ?? 0
        let words = bars.map(\.words.utf8.count).max() ?? 0
        let room = max(columns - width - words - 6, 4)
        var text = "\n\(title)\n"
        for (name, bar) in zip(names, bars) {
            let line = drawn(bar.value / whole, columns: room)
            let shown = name.text
            text += "  \(shown)\(String(repeating: " ", count: width - name.columns))  \(line)"
            text += bar.words.isEmpty ? "\n" : "\(line.isEmpty ? "" : " ")\(bar.words)\n"
        }
        return text
    }

    private var ellipsis: Glyph { Glyph(isASCII ? "." : "…") }

    /// A bar in eighths of a column, or in whole ones.
    private func drawn(_ part: Double, columns: Int) -> String {
        let eighths = Int((min(max(part, 0), 1) * Double(columns) * 8).rounded())
        guard part > 0 else { return "" }
        if isASCII { return String(repeating: "#", count: max((eighths + 4) / 8, 1)) }
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return eighths == 0 ? "▏" : String(repeating: "█", count: eighths / 8) + rest
    }

    static func percent(_ part: Double) -> String { "\(Int((min(max(part, 0), 1) * 100).rounded())) %" }

    private static func minutes(_ seconds: Double) -> String {
        seconds < 60 ? "under 1" : "\(Int(min(seconds / 60, 1e9)))"
    }

    /// "42 s", "12 min", "3 h 5 min".
    static func time(_ seconds: Double) -> String {
        let seconds = Int(min(max(seconds, 0), 1e12))
        if seconds < 60 { return "\(seconds) s" }
        let minutes = seconds / 60
        return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }
}
