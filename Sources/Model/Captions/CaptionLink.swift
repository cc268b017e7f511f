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
