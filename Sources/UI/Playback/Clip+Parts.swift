import Model

extension Clip {
    /// Its chapters: the file's own, else those that the item has; none that begins at the clip's end or behind it,
    /// where nobody can go.
    public var chapters: [Chapter] {
        let own = facts?.chapters ?? []
        let all = own.isEmpty ? linkedChapters : own
        guard let duration, all.contains(where: { $0.start >= duration }) else { return all }
        return all.filter { $0.start < duration }
    }

    /// A picture is shown from up to so long before a chapter begins: who goes to the chapter is in it.
    private static let chapterTolerance = Duration.milliseconds(500)

    /// The place of the chapter that is played at `position`; nil before the first.
    func chapter(at position: Duration) -> Int? {
        chapters.lastIndex { $0.start <= position + Self.chapterTolerance }
    }

    /// "chapter 3 of 12: Title".
    func words(ofChapter place: Int) -> String {
        let title = chapters[place].title
        return "chapter \(place + 1) of \(chapters.count)" + (title.isEmpty ? "" : ": \(title)")
    }

    /// "Deutsch (2 of 3)"; nil if nothing can be chosen.
    var soundWords: String? {
        guard let facts, facts.soundTracks.count > 1, let track = facts.soundTrack,
            facts.soundTracks.indices.contains(track)
        else { return nil }
        return "\(facts.soundTracks[track].name(number: track + 1)) (\(track + 1) of \(facts.soundTracks.count))"
    }
}
