import Model

/// What feeds call sensitive is hidden until Enter shows it, or a click on the hint at that key: no player opens it,
/// and of its pictures only the blurhash is drawn.
extension State {
    public func covers(_ item: Item) -> Bool {
        options.coversSensitive && feed.isSensitive(item)
    }

    /// Whether the page in view hides its clip.
    var isCovered: Bool { content.map { covers($0.item) } ?? false }

    /// Shows the clip of the page in view from now on.
    mutating func reveal(now: Duration) -> [Effect] {
        guard let id = currentID else { return [] }
        feed.reveal(id)
        // Its text was left out, too.
        contents = contents.filter { $0.value.item.id != id }
        prepareContents()
        playback.wantsPlay = true
        clip.wasStopped = false
        loading.startOver(now: now)
        questions.page += 1
        return playCurrent()
    }

    /// The effects without playing what is hidden: there all others fall silent.
    func withoutHidden(_ effects: [Effect]) -> [Effect] {
        guard options.coversSensitive else { return effects }
        return effects.flatMap { effect -> [Effect] in
            guard case .play(let id) = effect, let item = item(id), covers(item) else { return [effect] }
            return clips.keys.filter { $0 != id }.sorted().map { .pause($0) }
        }
    }

    /// What the page of an item says that is hidden: that it is, and its warning.
    func coverWords(of item: Item) -> (words: GlyphLine, warning: GlyphLine) {
        (GlyphLine("Sensitive"), GlyphLine(CleanText.line(item.warning ?? "", limit: 300)))
    }

    /// Where the hint at the key that shows the clip in view stands: a click on it does as the key does. nil if the
    /// clip is not hidden, or no key shows it.
    var revealFrame: GridRect? {
        guard isCovered, let item = content?.item else { return nil }
        let reveal = footer([(.retry, "show it")])
        let floor = PageLayout(self, index: current).text.row
        guard !reveal.isEmpty, var frame = words(of: item, clip, above: floor)?.firstHint else { return nil }
        frame.columns = min(reveal.columns, frame.columns)
        return frame
    }
}
