import Model

/// Text that can be shown over a clip: subtitles, captions, a transcript. A value.
public struct TextTrack: Hashable, Sendable, Identifiable {
    /// Where its cues come from.
    public enum ID: Hashable, Sendable {
        /// A file that the item names: the index in `Item.captions`.
        case item(Int)
        /// A track of the clip itself, or a rendition of its playlist, as its player numbers them.
        case stream(Int)
    }

    public var id: ID
    /// Cleaned: "en", "pt-BR", "eng"; empty if unknown.
    public var language: String
    /// Cleaned, one line; empty if it has none.
    public var title: String

    public init(id: ID, language: String = "", title: String = "") {
        self.id = id
        self.language = language
        self.title = title
    }

    /// What it is called where it stands at place `number`, from 1 on: "English", "English (auto)", "Deutsch, for the
    /// deaf", "track 2".
    func name(number: Int) -> String {
        let language = Language.name(of: language) ?? language
        if title.lowercased().hasPrefix(language.lowercased()), !title.isEmpty { return title }
        if language.isEmpty { return "track \(number)" }
        return title.isEmpty ? language : "\(language), \(title)"
    }
}
