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
