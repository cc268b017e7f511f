import Model

extension State {
    /// Handles a player's report. Ignores reports of items that no page near the current one shows.
    mutating func receive(_ report: PlayerReport, of item: Item.ID, now: Duration) -> [Effect] {
        guard var clip = clips[item] else { return [] }
        let isInView = item == currentID
        switch report {
        case .opened(let facts):
            clip.facts = facts
            clip.failure = nil
            if let duration = facts.duration, duration > .zero { clip.duration = duration }
        case .firstFrame:
            clip.isRendering = true
            clip.hasStill = true
        case .picture(let size):
            clip.hasStill = true
            clip.picture = size
        case .position(let position, let duration):
            clip.report(position: position, duration: duration, now: now)
        case .buffered(let until): clip.buffered = until
        case .cached(let ranges): clip.cached = ranges
        case .offline(let state): receive(state, of: &clip, isInView: isInView, now: now)
        case .title(let title): clip.title = CleanText.line(title ?? "", limit: 240)
        case .level(let level):
            clip.levels.append(min(max(level.isFinite ? level : 0, 0), 1))
            if clip.levels.count > Clip.levelCount { clip.levels.removeFirst() }
        case .playing:
            clip.reportedAt = now
            clip.isPlaying = true
            if isInView { reactions.see(item) }
            clip.wasStopped = false
            clip.hasEnded = false
        case .paused:
            clip.report(position: clip.position(now: now, speed: playback.speed), duration: nil, now: now)
            clip.isPlaying = false
            clip.wasStopped = isInView && playback.wantsPlay && !isHeld
        case .stalled(let stalled):
            clip.report(position: clip.position(now: now, speed: playback.speed), duration: nil, now: now)
            clip.isStalled = stalled
        case .waits(let wait): clip.wait = wait.map(Clip.Wait.init)
        case .ended:
            clip.isPlaying = false
            clip.hasEnded = true
            if let duration = clip.duration { clip.report(position: duration, duration: nil, now: now) }
        case .sought(let position):
            clip.report(position: position, duration: nil, now: now)
            if isInView { seeking.arrive() }
        case .diagnostics(let figures):
            clip.diagnostics = figures
            clip.rates.note(figures)
        case .soundTrack(let track): clip.facts?.soundTrack = track
        case .cues(let cues): clip.streamCues = CueList(cues)
        case .failed(let why, let advice, let detail):
            clip.isPlaying = false
            clip.isRendering = false
            clip.wait = nil
            clip.failure = Clip.Failure(why, advice: advice, detail: detail)
        }
        clips[item] = clip
        switch report {
        case .title, .opened: renewContents(of: item)
        default: break
        }
        if isInView, clip.failure != nil || clip.isPlaying && (clip.isRendering || clip.isSoundOnly) {
            toasts.allowRemarks(from: now + Toasts.remarkDelay)
        }
        guard isInView, case .ended = report else { return [] }
        return ended(now: now)
    }

    /// The current clip has ended: goes to the next item, or waits with the play mark.
    private mutating func ended(now: Duration) -> [Effect] {
        if mayAutoAdvance { return page(by: 1, now: now) }
        playback.wantsPlay = false
        return []
    }

    private var mayAutoAdvance: Bool {
        playback.autoAdvances && current + 1 < items.count && !pager.isDragging && view.sheet == nil && typing == nil
            && feed.grid == nil
            && !playback.lacksFocus
    }

    /// Goes on to the next item when a page without an end has been in view for long enough: a clip of one picture, or
    /// one that cannot be played or is hidden. A pause, a sheet, a grid or a drag begins that time anew.
    mutating func advancePastEndless(now: Duration) -> [Effect] {
        let clip = self.clip
        let isEndless = clip.failure != nil || clip.facts?.isStill == true && clip.isRendering || isHidden
        let waits = mayAutoAdvance && playback.wantsPlay && !pager.isMoving && isEndless
        return playback.isEndlessOver(waits, now: now) ? page(by: 1, now: now) : []
    }
}
