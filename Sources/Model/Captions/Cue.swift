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

/// A part of a clip that has a name. It ends where the next begins.
public struct Chapter: Hashable, Sendable {
    /// In the clip.
    public var start: Duration
    /// Cleaned, one line; may be empty.
    public var title: String

    public init(start: Duration, title: String) {
        self.start = start
        self.title = title
    }
}
