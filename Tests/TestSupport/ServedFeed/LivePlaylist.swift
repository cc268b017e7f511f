/// A live stream made from finished segments: a window that slides over them in a loop as time passes. Pure.
public struct LivePlaylist: Sendable {
    /// URLs as they appear in the playlist.
    public var segments: [String]
    public var duration: Duration
    /// How many segments the playlist names at a time.
    public var window: Int

    public init(segments: [String], duration: Duration, window: Int = 3) {
        self.segments = segments
        self.duration = duration
        self.window = window
    }

    /// The playlist at a time since the stream's start. A segment appears when
    /// it is complete; the first window is complete at 0.
    public func text(at time: Duration) -> String {
        let first = max(0, Int(time / duration))
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:\(Int((duration / .seconds(1)).rounded(.up)))",
            "#EXT-X-MEDIA-SEQUENCE:\(first)", "#EXT-X-DISCONTINUITY-SEQUENCE:\(max(0, first - 1) / segments.count)",
        ]
        for number in first..<first + window {
            // The timestamps begin again.
            if number > 0, number % segments.count == 0 { lines.append("#EXT-X-DISCONTINUITY") }
            lines.append("#EXTINF:\(duration / .seconds(1)),")
            // Each segment gets a unique name.
            lines.append("\(segments[number % segments.count])?n=\(number)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
