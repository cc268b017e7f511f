import Model

/// Subtitles of the clip in view.
struct Subtitles: Sendable {
    /// The track that the user chose for this item, rather than by language.
    var chosen: (item: Item.ID, track: TextTrack.ID)?
    var files = CaptionFiles()
    /// Which of the clip's own tracks its player was asked for.
    var asked: (item: Item.ID, track: Int)?
    /// The item whose chapters were asked for last.
    var chaptersOf: Item.ID?
}

extension State {
    /// The text tracks of the clip in view, in the order in which they are chosen from: files that the item names, and
    /// the clip's own.
    var textTracks: [TextTrack] {
        guard let item = content?.item else { return [] }
        let files = item.captions.prefix(CaptionLink.limit).enumerated().map { index, link in
            TextTrack(
                id: .item(index), language: CleanText.line(link.language ?? "", limit: 40),
                title: CleanText.line(link.title ?? "", limit: 60))
        }
        let own = (clip.facts?.textTracks ?? []).enumerated().map { index, track in
            TextTrack(id: .stream(index), language: track.language, title: track.title)
        }
        return options.subtitles.ordered(files + own)
    }

    /// The track that is shown; nil without one.
    var textTrack: TextTrack? {
        // Most clips have none.
        let hasOwn = clip.facts?.textTracks.isEmpty == false
        guard content?.item.captions.isEmpty == false || hasOwn, clip.failure == nil else {
            return nil
        }
        let tracks = textTracks
        if let chosen = subtitles.chosen, chosen.item == currentID, options.subtitles.wish != .off,
            let track = tracks.first(where: { $0.id == chosen.track })
        {
            return track
        }
        return options.subtitles.first(of: tracks, isSilent: playback.sound.isSilent)
    }

    /// The place of the track behind the one that is shown, from 0 on; behind the last, that is how many there are.
    private var nextTextTrack: Int {
        textTrack.flatMap { shown in textTracks.firstIndex { $0.id == shown.id } }.map { $0 + 1 } ?? 0
    }

    /// What the key does: "Subtitles: English", "Subtitles off"; nil without subtitles.
    var nextSubtitlesWords: String? {
        let (tracks, next) = (textTracks, nextTextTrack)
        guard !tracks.isEmpty, clip.failure == nil else { return nil }
        return next < tracks.count ? "Subtitles: \(tracks[next].name(number: next + 1))" : "Subtitles off"
    }

    /// The next track, and after the last none.
    mutating func nextSubtitles(now: Duration) -> [Effect] {
        guard let item = currentID else { return [] }
        let (tracks, next) = (textTracks, nextTextTrack)
        guard next < tracks.count else {
            (options.subtitles.wish, subtitles.chosen) = (.off, nil)
            // These are off for all clips.
            if tracks.isEmpty {
                toasts.show("No subtitles", about: .clip, now: now)
            } else {
                toasts.show("Subtitles off", now: now)
            }
            return []
        }
        options.subtitles.wish = .language(tracks[next].language)
        subtitles.chosen = (item, tracks[next].id)
        // What could not be read is tried once more.
        if case .item(let index) = tracks[next].id {
            let name = CaptionFiles.Name(item: item, index: index)
            if subtitles.files[name] == .unusable { subtitles.files[name] = nil }
        }
        toasts.show("Subtitles: \(tracks[next].name(number: next + 1))", about: .clip, now: now)
        return []
    }

    /// Asks for the cues of the track that is shown, once its page rests.
    mutating func prepareSubtitles() -> [Effect] {
        guard !pager.isMoving, !isPassing, !isCovered, let item = currentID else { return [] }
        var (effects, stream): ([Effect], Int?) = ([], nil)
        switch textTrack?.id {
        case .item(let index):
            let name = CaptionFiles.Name(item: item, index: index)
            if subtitles.files[name] == nil {
                subtitles.files[name] = .reading
                effects.append(.readCaptions(item, index))
            }
        case .stream(let track): stream = track
        case nil: break
        }
        let asked = subtitles.asked?.item == item ? subtitles.asked?.track : nil
        if stream != asked {
            subtitles.asked = stream.map { (item, $0) }
            effects.append(.chooseText(item, stream))
        }
        return effects
    }

    /// Brings the chapters that the item has, and asks for those that it leads to, once its page rests.
    mutating func prepareChapters() -> [Effect] {
        guard !pager.isMoving, !isPassing, !isCovered, let item = content?.item, item.id != subtitles.chaptersOf,
            clips[item.id]?.linkedChapters.isEmpty == true
        else { return [] }
        subtitles.chaptersOf = item.id
        if !item.chapters.isEmpty { clip.linkedChapters = item.chapters }
        return item.chapters.isEmpty && item.chaptersURL != nil ? [.readChapters(item.id)] : []
    }

    // MARK: What comes

    mutating func receive(_ cues: [Cue], ofCaptions index: Int, of item: Item.ID, now: Duration) {
        guard !cues.isEmpty else { return fail(index, of: item, why: "they contain no text", now: now) }
        subtitles.files[.init(item: item, index: index)] = .read(CueList(cues))
    }

    /// - Parameter why: not clean; nil if they were not wanted any more.
    mutating func fail(_ index: Int, of item: Item.ID, why: String?, now: Duration) {
        subtitles.files[.init(item: item, index: index)] = why.map { _ in .unusable }
        guard let why, item == currentID, textTrack?.id == .item(index) else { return }
        toasts.show("No subtitles: \(CleanText.line(why, limit: 200))", as: .failure, about: .clip, now: now)
    }

    // MARK: What is shown

    /// The loaded cues of the track that is shown.
    private var cueList: CueList? {
        guard let item = currentID else { return nil }
        switch textTrack?.id {
        case .item(let index):
            if case .read(let cues)? = subtitles.files[.init(item: item, index: index)] { return cues }
            return nil
        case .stream: return clip.streamCues
        case nil: return nil
        }
    }

    /// What is said now; nil if that is nothing. Its lines are parted by "\n".
    func subtitle(now: Duration) -> String? {
        guard clip.isRendering || clip.isSoundOnly, let cues = cueList else { return nil }
        let shown = cues.shown(at: shownPosition(now: now) - tuning.subtitleDelay)
        return shown.isEmpty ? nil : shown.map(\.text).joined(separator: "\n")
    }

    /// When the subtitle changes next; nil while the clip does not advance.
    func nextSubtitle(after now: Duration) -> Duration? {
        let clip = self.clip
        guard clip.isPlaying, !clip.isStalled, !isPaused, !seeking.holdsPosition,
            now - clip.reportedAt < .milliseconds(500), let cues = cueList
        else { return nil }
        let position = clip.position(now: now, speed: playback.speed) - tuning.subtitleDelay
        // Just past the change, however the division was rounded.
        return cues.nextChange(after: position).map { now + ($0 - position) / playback.speed + .milliseconds(1) }
    }
}
