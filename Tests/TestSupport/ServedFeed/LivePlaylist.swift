/// A live stream made of a finished one: a window that slides over its segments, round and round, as time goes by. Pure.
public struct LivePlaylist: Sendable {
    /// URLs, as the playlist names them.
    public var segments: [String]
    public var duration: Duration
    /// How many segments the playlist names at a time.
    public var window: Int

    public init(segments: [String], duration: Duration, window: Int = 3) {
        self.segments = segments
        self.duration = duration
        self.window = window
    }

    /// The playlist at a time since the stream's beginning. A segment is named once it is over; those of the first window were so at 0.
    public func text(at time: Duration) -> String {
        let first = max(0, Int(time / duration))
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:\(Int((duration / .seconds(1)).rounded(.up)))",
            "#EXT-X-MEDIA-SEQUENCE:\(first)", "#EXT-X-DISCONTINUITY-SEQUENCE:\(max(0, first - 1) / segments.count)",
        ]
        for number in first..<first + window {
            // The first segment's times begin anew.
            if number > 0, number % segments.count == 0 { lines.append("#EXT-X-DISCONTINUITY") }
            lines.append("#EXTINF:\(duration / .seconds(1)),")
            // No two segments have the same name.
            lines.append("\(segments[number % segments.count])?n=\(number)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
