/// A list of start times, each for a number of equal segments (ISO 23009-1,
/// 5.3.9.6). Pure; the numbers are not trusted.
enum DashTimeline {
    /// The times of all segments. A missing start time follows from the previous segment; `end` is the end of the
    /// period in ticks.
    static func times(
        _ timeline: XMLElement, origin: Int64, end: Int64?
    ) throws(MediaError) -> [(time: Int64, duration: Int64)] {
        var times: [(time: Int64, duration: Int64)] = []
        var time: Int64 = 0
        let entries = timeline.children("S")
        for (index, entry) in entries.enumerated() {
            time = entry.number("t") ?? time
            guard let duration = entry.number("d"), duration > 0 else { continue }
            let repeats: Int64
            if entry["r"]?.first == "-" {
                // Repeat until the next entry's start time, or until the end of the period.
                let next = index + 1 < entries.count ? entries[index + 1].number("t") : nil
                guard let until = next ?? end else {
                    throw MediaError(.notMedia, "its manifest has no duration")
                }
                repeats = until > time ? (until - time - 1) / duration : 0
            } else {
                repeats = entry.number("r") ?? 0
            }
            guard repeats < MediaPlaylist.maxSegments - times.count else {
                throw MediaError(.limits, "its manifest has more than \(MediaPlaylist.maxSegments) segments")
            }
            for _ in 0...repeats {
                let (next, tooLarge) = time.addingReportingOverflow(duration)
                guard !tooLarge, next < 1 << 61 else {
                    throw MediaError(.notMedia, "its manifest has an invalid time")
                }
                times.append((time, duration))
                time = next
            }
        }
        return times
    }
}
