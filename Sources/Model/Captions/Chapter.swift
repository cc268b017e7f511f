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

extension Chapter {
    /// The most chapters of a clip.
    package static let limit = 1_000
    /// No clip is longer, in seconds: a hundred thousand hours.
    private static let longest = 3.6e8

    /// A list as podcasts have it (`startTime`, `title`), yt-dlp (`start_time`) and
    /// manifests (`start`): seconds and a title each. What is no chapter is left out, and
    /// so is one that is not to be listed (`"toc": false`). In order of their starts.
    package static func list(of value: JSON?) -> [Chapter] {
        guard case .list(let values)? = value else { return [] }
        let chapters = values.prefix(limit).compactMap { value -> Chapter? in
            guard value["toc"]?.asFlag != false,
                let start = (value["start"] ?? value["startTime"] ?? value["start_time"])?.asNumber,
                (0...longest).contains(start)
            else { return nil }
            let title = value["title"]?.asText(limit: 200) ?? ""
            return Chapter(
                start: .milliseconds(Int((start * 1_000).rounded())), title: CleanText.line(title, limit: 200))
        }
        return chapters.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            .map(\.element)
    }
}
