/// A piece of a subtitle, and when it is shown (WebVTT 1, "WebVTT cue").
public struct Cue: Hashable, Sendable {
    /// In the clip; `start <= end`.
    public var start: Duration
    public var end: Duration
    /// Cleaned, without markup; its lines are parted by "\n".
    public var text: String

    public init(start: Duration, end: Duration, text: String) {
        self.start = start
        self.end = end
        self.text = text
    }
}
