import Model

/// A source as the user named it, what they call it, and how much they want of it. A value.
public struct FeedSource: Hashable, Sendable {
    /// How often it has its turn in a mixed feed, compared with others.
    public static let weights = 0.1...10.0
    /// In characters.
    public static let nameLimit = 100

    /// A folder, a file, an address: what `loadFeed` takes.
    public var text: String
    /// nil for the feed's own title.
    public var name: String?
    /// Within `weights`. 1 for one that has its turn as others have.
    public var weight: Double

    public init(_ text: String, name: String? = nil, weight: Double = 1) {
        (self.text, self.name, self.weight) = (text, name, weight)
    }

    /// Whether a source can be called that: one line that a terminal shows as it is.
    public static func isName(_ text: String) -> Bool {
        (1...nameLimit).contains(text.count) && text == CleanText.line(text) && text == text.trimmed
    }

    /// The name to show for a feed or list with this title; nil if the title has no visible text.
    public static func name(from title: String?) -> String? {
        let name = title.map { String(CleanText.line($0).prefix(nameLimit)).trimmed } ?? ""
        return isName(name) ? name : nil
    }
}
