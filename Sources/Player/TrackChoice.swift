import Model
import Wire

/// Which of a clip's tracks are wanted, and what its text says. A value.
struct TrackChoice {
    /// The track chosen for this clip, rather than by language; nil without a choice.
    var sound: Int?
    var text: Int?
    /// The track that its decoder plays; nil while that is not one of the selectable ones.
    var playing: Int?
    var cues = CueWindow()
}

/// Chapters, sound tracks and text tracks.
extension ClipPlayer {
    /// Sends the wanted tracks before the clip is opened.
    func sendTrackWishes() {
        tracks.cues.clear()
        let languages = settings.soundLanguages.flatMap(Language.codes)
        if !languages.isEmpty { decoder.handle?.send(.soundLanguages(Array(languages.prefix(WireLimit.tracks)))) }
        if let level = settings.soundLevel {
            decoder.handle?.send(.loudness(target: Int32((level * 100).rounded())))
        }
        if let text = tracks.text { decoder.handle?.send(.textTrack(UInt32(text))) }
        if variantWish != .automatic { decoder.handle?.send(.variant(variantWish)) }
    }

    /// What is wanted of the clip's variants.
    var variantWish: VariantWish {
        if let index = tuning.variant { return .index(UInt32(clamping: index)) }
        return settings.savesData ? .smallest : .automatic
    }

    /// Sound alone has nothing that it could be late for.
    func delaySound() { sound.setDelay(hasVideo ? tuning.audioDelay.microseconds : 0) }

    /// Takes over what the user has set for this clip. Another variant is played at once, at the clip's position; where
    /// seeking is impossible, it follows what has been read.
    func tune(_ tuning: ClipTuning, now: Duration) {
        let before = variantWish
        self.tuning = tuning
        delaySound()
        guard variantWish != before else { return }
        decoder.handle?.send(.variant(variantWish))
        // What was read ahead has been paid for, and is good enough unless the user wants to see the other one.
        // A clip that has ended begins again with it.
        if phase == .ready, !playback.hasEnded, let wanted = tuning.variant, wanted != variantIndex {
            refresh(now: now)
        }
    }

    /// Adds the decoder's report of the clip's chapters and tracks, cleaned. Chapters are in order, as on the wire.
    func addParts(of info: MediaInfo, in facts: inout ClipFacts) {
        func clean(_ text: String, limit: Int = 80) -> String { CleanText.line(text, limit: limit) }
        func track(_ track: MediaInfo.Track) -> ClipTrack {
            ClipTrack(language: clean(track.language, limit: 40), title: clean(track.title))
        }
        facts.chapters = info.chapters.map {
            Chapter(start: .microseconds($0.start), title: clean($0.title, limit: 200))
        }.filter { duration == nil || $0.start < duration ?? .zero }
        facts.soundTracks = info.soundTracks.map(track)
        facts.soundTrack = info.soundTracks.firstIndex(where: \.isChosen)
        facts.textTracks = info.textTracks.map(track)
        tracks.playing = facts.soundTrack
    }

    /// Another decoder has reopened the clip, and knows only the languages.
    func chooseTracksAgain(now: Duration) {
        if let sound = tracks.sound, sound != tracks.playing { choose(sound: sound, now: now) }
    }

    /// Plays another sound track at the clip's position. An unseekable clip
    /// switches to it once the part that was read ahead has been played.
    func choose(sound track: Int, now: Duration) {
        guard phase == .ready, let info, info.soundTracks.indices.contains(track) else { return }
        tracks.sound = track
        guard tracks.playing != track else { return }
        tracks.playing = track
        decoder.handle?.send(.soundTrack(UInt32(track)))
        report(.soundTrack(track))
        refresh(now: now)
    }

    /// The language tag in the file; nil if it is missing or invalid.
    func language(ofSound track: Int) -> String? {
        guard let info, info.soundTracks.indices.contains(track) else { return nil }
        let language = info.soundTracks[track].language
        return Language.isTag(language) ? language : nil
    }

    /// The languages have changed. The clip in view keeps its sound: its user has chosen it.
    func followLanguages(now: Duration) {
        guard !isInView, tracks.sound == nil, phase == .ready, let offered = info?.soundTracks else { return }
        let best = settings.soundLanguages.lazy.compactMap { wanted in
            offered.firstIndex { Language.isSame($0.language, wanted) }
        }.first
        guard let best, best != tracks.playing else { return }
        choose(sound: best, now: now)
        tracks.sound = nil
    }

    /// Reports the cues of another text from here on.
    func choose(text track: Int?, now: Duration) {
        guard tracks.text != track else { return }
        tracks.text = track
        guard phase == .ready, let info, track.map(info.textTracks.indices.contains) ?? true else { return }
        decoder.handle?.send(.textTrack(track.map(UInt32.init)))
        // What was read ahead was read without the text.
        if track != nil { refresh(now: now) } else { tracks.cues.clear() }
    }

    /// Decodes the same place again. A seek in progress keeps its target.
    private func refresh(now: Duration) {
        let (target, isPreview) = (mediaPosition(at: now), seeks.pending?.purpose == .preview)
        jump(to: target, mode: isPreview ? .key : .exact, purpose: seeks.pending?.purpose ?? .refresh, now: now)
    }
}

/// The pieces of text that a decoder has sent lately. Those that came first go first.
struct CueWindow {
    /// A piece as it came, by which it is known when it comes again, and as it is shown.
    private struct Entry {
        var start: Microseconds
        var end: Microseconds
        var text: String
        var cue: Cue
    }

    /// How many are stored: enough for those ahead and those that have just passed.
    static let limit = 400
    private static let maxLines = 10
    /// In the order of their arrival.
    private var entries: [Entry] = []
    private(set) var hasChanged = false

    /// Adds what a decoder sent, cleaned; nothing if it is empty or was sent before, as when a clip begins again.
    mutating func add(start: Microseconds, end: Microseconds, text: String) {
        let isKnown = entries.contains { $0.start == start && $0.end == end && $0.text == text }
        guard end > start, !isKnown else { return }
        let lines = CleanText.block(text, limit: WireLimit.cue).split(separator: "\n").prefix(Self.maxLines)
        let cue = Cue(start: .microseconds(start), end: .microseconds(end), text: lines.joined(separator: "\n"))
        guard !cue.text.isEmpty else { return }
        entries.append(Entry(start: start, end: end, text: text, cue: cue))
        if entries.count > Self.limit { entries.removeFirst() }
        hasChanged = true
    }

    mutating func clear() {
        if !entries.isEmpty { hasChanged = true }
        entries = []
    }

    /// All of them, in order of their start, then of their end.
    mutating func take() -> [Cue] {
        hasChanged = false
        return entries.map(\.cue).sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }
}
