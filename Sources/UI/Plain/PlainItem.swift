import Model

/// An item as plain mode prints it, the most important first. Its texts are clean, except for the separators. A value.
struct PlainItem {
    /// The most characters of a description in the short line.
    static let shortDescription = 200

    private let content: PageContent
    private let state: State
    private let now: Duration

    init(_ content: PageContent, _ state: State, now: Duration) {
        (self.content, self.state, self.now) = (content, state, now)
    }

    /// The clip's, else what the feed says.
    var duration: Duration? { state.clip.duration ?? content.item.duration.flatMap { $0 > .zero ? $0 : nil } }

    /// The line for a page that comes into view: "3 of 20: Night market in the rain. Mira Okafor. 0:21. …".
    var short: String {
        var parts = ["\(state.current + 1) of \(state.items.count): \(content.title.text)"]
        if content.name != content.title { parts.append(content.name.text) }
        if let duration { parts.append(Label.clock(duration)) }
        if let hidden { parts.append(hidden) }
        parts += marks
        let text = description
        if text.count > Self.shortDescription {
            let more = state.keyLabel(of: .caption).map { " (\($0) shows all)" } ?? ""
            parts.append(Self.cut(text) + "..." + more)
        } else if !text.isEmpty {
            parts.append(text)
        }
        if let trust { parts.append(trust) }
        if !content.tags.isEmpty { parts.append("topics \(topics)") }
        return Self.sentences(parts)
    }

    /// All that is known of it, a line each.
    var all: [String] {
        let stats = state.reactions.withOwnCounts(content.item).stats
        let counts = [
            count(stats?.likes, "like"),
            count(stats?.dislikes, "dislike"),
            count(state.discussion.count(of: content.item), "comment"),
            count(stats?.saves, "save"),
        ].compactMap(\.self)
        return [
            content.title.text, content.name == content.title ? "" : content.name.text, content.artist, hidden ?? "",
        ].filter { !$0.isEmpty } + paragraphs
            + [
                state.age(of: content.item, now: now).map { RelativeTime(age: $0).label } ?? "",
                content.sound.isEmpty ? "" : "Audio: \(content.sound.text)", trust ?? "",
                content.tags.isEmpty ? "" : "topics \(topics)", counts.joined(separator: ", "),
            ].filter { !$0.isEmpty }
    }

    /// What the user thinks of it.
    private var marks: [String] {
        let reaction = state.reactions[content.item.id]
        return [
            reaction.isLiked ? "liked" : nil, reaction.isDisliked ? "disliked" : nil,
            reaction.isSaved ? "saved" : nil, state.reactions.follows(content.item) ? "followed" : nil,
        ].compactMap(\.self)
    }

    /// That it is not played, why, and the key that shows it.
    private var hidden: String? {
        guard state.covers(content.item) else { return nil }
        let (words, warning) = state.coverWords(of: content.item)
        let key = state.keyLabel(of: .retry).map { "; \($0) shows it" } ?? ""
        return [words.text, warning.text].filter { !$0.isEmpty }.joined(separator: ": ") + key
    }

    /// What stands below the title.
    private var description: String {
        CleanText.line(content.caption.slice(content.titleCount..<content.caption.count).text)
    }

    /// The whole description, line by line.
    private var paragraphs: [String] {
        PageContent.description(of: content.item, limit: CaptionText.limit, isCovered: state.covers(content.item))
            .split(separator: "\n").map(String.init)
    }

    private var trust: String? {
        guard let score = content.trust else { return nil }
        let label = CleanText.line(content.item.trust?.label ?? "", limit: 40)
        return "trust \(score) of 100" + (label.isEmpty ? "" : ", \(label)")
    }

    private var topics: String { content.tags.map { String($0.text.dropFirst()) }.joined(separator: ", ") }

    private func count(_ count: Int?, _ word: String) -> String? {
        count.flatMap { $0 > 0 ? "\(Label.count($0)) \(word)\($0 == 1 ? "" : "s")" : nil }
    }

    /// The beginning of a text, up to the end of a word.
    private static func cut(_ text: String) -> String {
        let part = text.prefix(shortDescription)
        guard let space = part.lastIndex(of: " ") else { return String(part) }
        return String(part[..<space])
    }

    /// Adds a full stop to each part that does not end in punctuation: a voice pauses there.
    private static func sentences(_ parts: [String]) -> String {
        parts.map { part in
            part.last.map { ".!?…)".contains($0) } ?? true ? part : part + "."
        }.joined(separator: " ")
    }
}
