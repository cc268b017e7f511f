import Model

extension State {
    /// Handles a player's report. Ignores reports of items that no page near the current one shows.
    mutating func receive(_ report: PlayerReport, of item: Item.ID, now: Duration) -> [Effect] {
        guard let place = clips.index(forKey: item) else { return [] }
        let isInView = item == currentID
        if isInView, case .offline(let state) = report { reportDownload(state, now: now) }
        let isUnasked = isInView && playback.wantsPlay && !isHeld
        clips.values[place].note(report, isUnasked: isUnasked, speed: playback.speed, now: now)
        switch report {
        case .title, .opened: renewContents(of: item)
        case .playing where isInView: reactions.see(item)
        case .sought where isInView: seeking.arrive()
        default: break
        }
        if isInView, clips.values[place].isSettled { toasts.allowRemarks(from: now + Toasts.remarkDelay) }
        guard isInView, case .ended = report else { return [] }
        return ended(now: now)
    }

    /// The current clip has ended: goes to the next item, or waits with the play mark.
    private mutating func ended(now: Duration) -> [Effect] {
        if playback.sleep.stop == .clipEnd { return fallAsleep(now: now) }
        if mayAutoAdvance { return page(by: 1, now: now) }
        playback.wantsPlay = false
        return []
    }

    private var mayAutoAdvance: Bool {
        playback.autoAdvances && current + 1 < items.count && !pager.isDragging && view.sheet == nil && typing == nil
            && feed.grid == nil
            && !playback.lacksFocus
    }

    /// Moves to the next item when a page without an end has been in view for long enough: a still image, or a clip
    /// that cannot be played or is hidden. A pause, a sheet, a grid or a drag restarts that time.
    mutating func advancePastEndless(now: Duration) -> [Effect] {
        let clip = self.clip
        let isEndless = clip.failure != nil || clip.facts?.isStill == true && clip.isRendering || isCovered
        let waits = mayAutoAdvance && playback.wantsPlay && !pager.isMoving && isEndless
        guard playback.isEndlessOver(waits, now: now) else { return [] }
        return playback.sleep.stop == .clipEnd ? fallAsleep(now: now) : page(by: 1, now: now)
    }
}
