import Model

/// Chapters and sound tracks of the clip in view, and what the user sets for it.
extension State {
    /// What the user has set for the clip in view.
    var tuning: ClipTuning { currentID.flatMap { playback.tunings[$0] } ?? ClipTuning() }

    mutating func tune(_ tuning: ClipTuning) -> [Effect] {
        guard let id = currentID, tuning != self.tuning else { return [] }
        playback.tunings[id] = tuning
        return [.tune(id, tuning)]
    }

    /// By how much a key moves subtitles or audio, and how far they can be moved.
    private static let delayStep = Duration.milliseconds(100)
    private static let maxSubtitleDelay = Duration.seconds(60)
    private static let maxAudioDelay = Duration.seconds(2)

    /// Shows this clip's subtitles later (1) or earlier (-1).
    mutating func delaySubtitles(by steps: Int, now: Duration) -> [Effect] {
        guard !textTracks.isEmpty else {
            toasts.show("No subtitles", as: .failure, about: .clip, now: now)
            return []
        }
        var tuning = self.tuning
        tuning.subtitleDelay = Self.delay(tuning.subtitleDelay, by: steps, upTo: Self.maxSubtitleDelay)
        toasts.show("Subtitles \(Self.words(ofDelay: tuning.subtitleDelay))", about: .clip, now: now)
        return tune(tuning)
    }

    /// Plays this clip's audio later (1) or earlier (-1).
    mutating func delayAudio(by steps: Int, now: Duration) -> [Effect] {
        guard let facts = clip.facts, facts.hasAudio, facts.hasVideo else {
            let words = clip.facts?.hasAudio == true ? "This clip has only audio" : "No audio"
            toasts.show(words, as: .failure, about: .clip, now: now)
            return []
        }
        var tuning = self.tuning
        tuning.audioDelay = Self.delay(tuning.audioDelay, by: steps, upTo: Self.maxAudioDelay)
        toasts.show("Audio \(Self.words(ofDelay: tuning.audioDelay))", about: .clip, now: now)
        return tune(tuning)
    }

    private static func delay(_ delay: Duration, by steps: Int, upTo most: Duration) -> Duration {
        min(max(delay + delayStep * steps, .zero - most), most)
    }

    /// "0.2 s later", "1.5 s earlier", "in sync".
    static func words(ofDelay delay: Duration) -> String {
        let tenths = Int((abs(delay.seconds) * 10).rounded())
        guard tenths > 0 else { return "in sync" }
        return "\(tenths / 10).\(tenths % 10) s \(delay > .zero ? "later" : "earlier")"
    }

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

    /// Whether the toast in view names this chapter.
    func showsToast(ofChapter place: Int) -> Bool {
        toasts.current?.text == GlyphLine(CleanText.sentence(clip.words(ofChapter: place)))
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
