import Model

/// Chapters and sound tracks of the clip in view.
extension State {
    /// Later in a chapter than this, one goes back to its beginning first.
    private static let chapterBegins = Duration.seconds(2)

    /// To the beginning of the next chapter (1); to that of this chapter, or of the one before (-1).
    mutating func goToChapter(by step: Int, now: Duration) -> [Effect] {
        guard clip.failure == nil, clip.facts != nil else { return [] }
        let chapters = clip.chapters
        guard !chapters.isEmpty else {
            toasts.show("No chapters", as: .failure, about: .clip, now: now)
            return []
        }
        let position = shownPosition(now: now)
        let current = clip.chapter(at: position)
        var wanted = (current ?? -1) + max(step, 0)
        if step < 0, let current, current > 0, position - chapters[current].start < Self.chapterBegins { wanted -= 1 }
        guard wanted < chapters.count else {
            toasts.show("This is the last chapter", about: .clip, now: now)
            return []
        }
        // What lies before the first chapter has no name.
        let effects = seek(toTime: wanted < 0 ? .zero : chapters[wanted].start, now: now)
        if !effects.isEmpty, wanted >= 0 { toasts.show(clip.words(ofChapter: wanted), about: .clip, now: now) }
        return effects
    }

    /// The next of the clip's sounds, after the last the first.
    mutating func nextSound(now: Duration) -> [Effect] {
        guard clip.failure == nil, let facts = clip.facts, let id = currentID else { return [] }
        guard facts.soundTracks.count > 1 else {
            toasts.show(
                facts.hasAudio ? "Only one audio track" : "No audio", as: .failure, about: .clip, now: now
            )
            return []
        }
        let next = facts.nextSoundTrack
        clip.facts?.soundTrack = next
        if let words = clip.soundWords { toasts.show("Audio: \(words)", about: .clip, now: now) }
        return [.chooseSound(id, next)]
    }

    /// What the key does: "Sound: Deutsch"; nil if there is nothing to choose from.
    var nextSoundWords: String? {
        guard clip.failure == nil, let facts = clip.facts, facts.soundTracks.count > 1 else { return nil }
        let next = facts.nextSoundTrack
        return "Audio: \(facts.soundTracks[next].name(number: next + 1))"
    }
}

extension ClipFacts {
    /// The place of the sound behind the one that plays; behind the last comes the first. There must be one.
    fileprivate var nextSoundTrack: Int { ((soundTrack ?? -1) + 1) % soundTracks.count }
}
