/// A file of subtitles that an item leads to: WebVTT, SubRip or a podcast's transcript. A value.
public struct CaptionLink: Hashable, Sendable {
    /// The most that an item has.
    public static let limit = 32
    /// The most bytes of such a file.
    public static let sizeLimit = 16 << 20

    /// Absolute.
    public var url: String
    /// A tag, as it is written: "en", "pt-BR". Not clean.
    public var language: String?
    /// Its title: "English (auto)". Not clean.
    public var title: String?

    public init(url: String, language: String? = nil, title: String? = nil) {
        self.url = url
        self.language = language
        self.title = title
    }
}

/// A sound or text track of a clip, as it is shown. A value.
public struct ClipTrack: Hashable, Sendable {
    /// A tag as files write it: "de", "ger", "de-AT"; empty if unknown. Cleaned.
    public var language: String
    /// Cleaned; empty if it has none.
    public var title: String

    public init(language: String, title: String) {
        self.language = language
        self.title = title
    }
}

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
