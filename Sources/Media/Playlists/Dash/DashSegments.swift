import Wire

/// The segments of a track within its period (ISO 23009-1, 5.3.9), in the
/// track's timescale. Pure; the numbers are not trusted.
struct DashSegments {
    struct Segment: Equatable {
        /// As a timestamp.
        var time: Int64
        var duration: Int64
        /// Relative to the track's base URL; empty for the base URL itself.
        var reference: String
        /// A part of the resource; nil for all of it.
        var range: Range?
    }

    struct Range: Equatable {
        var offset: Int64
        var length: Int64
    }

    struct Header: Equatable {
        var reference: String
        var range: Range?
    }

    /// Ticks a second.
    private(set) var timescale: Int64 = 1
    /// The timestamp at the beginning of the period.
    private(set) var origin: Int64 = 0
    /// The initialization segment, which says how segments are coded.
    private(set) var header: Header?
    private(set) var list: [Segment] = []

    /// The largest accepted number of ticks, so that sums of two cannot overflow 64 bits.
    private static let maxTicks: Int64 = 1 << 61

    /// - Parameters:
    ///   - period: the duration of the track's period.
    ///   - index: the index of the track's file, if the track is a single file with an index.
    init(_ track: DashTrack, period: Microseconds?, index: DashIndex?) throws(MediaError) {
        let addressing = track.addressing
        // A timescale has 32 bits (5.3.9.2).
        if let given = addressing?.number("timescale") { timescale = min(max(given, 1), 1 << 32) }
        origin = min(addressing?.number("presentationTimeOffset") ?? 0, DashSegments.maxTicks)
        let initialization = addressing?.child("Initialization")
        header = initialization.map {
            Header(reference: $0["sourceURL"] ?? "", range: $0["range"].flatMap { DashSegments.range($0) })
        }
        let ticks = period.map { DashSegments.ticks($0, timescale) }
        if let addressing, addressing.name == "SegmentTemplate" {
            try readTemplate(track, addressing, ticks)
        } else if let addressing, addressing.name == "SegmentList" {
            try readList(addressing, ticks)
        } else {
            try readFile(index, ticks)
        }
    }

    /// Parses `a-b`, both inclusive (5.3.9.2.2); nil for anything else.
    static func range(_ text: String) -> Range? {
        let ends = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = PlaylistText.number(ends[0]), let last = PlaylistText.number(ends[1]),
            first <= last, last < maxTicks
        else { return nil }
        return Range(offset: first, length: last - first + 1)
    }

    private static func ticks(_ time: Microseconds, _ timescale: Int64) -> Int64 {
        // 2^46 microseconds times 2^32 ticks overflow 64 bits, so convert the seconds separately.
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000)
        let (whole, tooLarge) = seconds.multipliedReportingOverflow(by: timescale)
        return tooLarge ? maxTicks : min(whole + (rest * timescale + 500_000) / 1_000_000, maxTicks)
    }

    // MARK: Forms of addressing

    private mutating func readTemplate(
        _ track: DashTrack, _ addressing: XMLElement, _ period: Int64?
    ) throws(MediaError) {
        func template(_ text: String) -> DashTemplate {
            DashTemplate(text, id: track.id, bandwidth: track.bandwidth)
        }
        if let text = addressing["initialization"] {
            header = Header(reference: template(text).address(number: 0, time: 0))
        }
        guard let media = addressing["media"].map(template) else {
            throw MediaError(.notMedia, "its manifest has no segment addresses")
        }
        let first = firstNumber(addressing)
        let most = addressing.number("endNumber").map { max(0, min($0, DashSegments.maxTicks) - first + 1) }
        // A short manifest can expand to more text than fits into memory.
        var length = 0
        for (index, part) in try times(addressing, period, most: most).enumerated() {
            let address = media.address(number: first + Int64(index), time: part.time)
            length += address.utf8.count
            guard length <= PlaylistText.maxBytes else {
                throw MediaError(.limits, "its manifest's addresses have more than \(PlaylistText.maxBytes) bytes")
            }
            list.append(Segment(time: part.time, duration: part.duration, reference: address))
        }
    }

    private mutating func readList(_ addressing: XMLElement, _ period: Int64?) throws(MediaError) {
        let places = addressing.children("SegmentURL")
        let times = try times(addressing, period, most: Int64(places.count))
        for (place, part) in zip(places, times) {
            let range = place["mediaRange"].flatMap { DashSegments.range($0) }
            guard range != nil || place["mediaRange"] == nil else { throw PlaylistWriter.noPlace }
            list.append(
                Segment(
                    time: part.time, duration: part.duration, reference: place["media"] ?? "", range: range))
        }
    }

    private mutating func readFile(_ index: DashIndex?, _ period: Int64?) throws(MediaError) {
        guard let index else {
            // The file is a single segment with its own initialization data.
            header = nil
            list = [Segment(time: origin, duration: period ?? 0, reference: "")]
            return
        }
        // The index has its own timescale.
        let seconds = DashTime.microseconds(origin, timescale)
        timescale = index.timescale
        origin = DashSegments.ticks(seconds, timescale)
        if header?.range == nil { header = Header(reference: "", range: Range(offset: 0, length: index.place)) }
        list = index.entries.map {
            Segment(
                time: $0.time, duration: $0.duration, reference: "", range: Range(offset: $0.offset, length: $0.length))
        }
    }

    // MARK: Times

    private func firstNumber(_ addressing: XMLElement) -> Int64 {
        min(addressing.number("startNumber") ?? 1, DashSegments.maxTicks)
    }

    /// When segments begin and how long they last: at most `most` of them.
    private func times(
        _ addressing: XMLElement, _ period: Int64?, most: Int64?
    ) throws(MediaError) -> [(time: Int64, duration: Int64)] {
        if let timeline = addressing.child("SegmentTimeline") {
            let times = try DashTimeline.times(timeline, origin: origin, end: period.map { origin + $0 })
            return Array(times.prefix(Int(clamping: most ?? .max)))
        }
        guard let duration = addressing.number("duration"), duration > 0 else {
            // Without any times there is one segment.
            return (most ?? 1) > 0 ? [(origin, period ?? 0)] : []
        }
        guard let count = period.map({ ($0 - 1) / duration + 1 }) ?? most else {
            throw MediaError(.notMedia, "its manifest has no duration")
        }
        // A list can continue beyond the end of the period.
        let wanted = most.map { addressing.name == "SegmentList" ? $0 : min($0, count) } ?? count
        guard wanted <= MediaPlaylist.maxSegments else {
            throw MediaError(.limits, "its manifest has more than \(MediaPlaylist.maxSegments) segments")
        }
        guard duration < DashSegments.maxTicks / max(1, wanted) else {
            throw MediaError(.notMedia, "its manifest has an invalid time")
        }
        return (0..<max(0, wanted)).map { number in
            let time = number * duration
            let rest = period.map { $0 - time } ?? duration
            return (origin + time, rest > 0 ? min(duration, rest) : duration)
        }
    }
}

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
