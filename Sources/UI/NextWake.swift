import Model

extension State {
    /// The interval between drawings while something moves.
    static let frame = Duration.milliseconds(16)
    /// The interval at which the scrubber moves.
    static let scrubberStep = Duration.milliseconds(100)

    /// When the next tick is needed after `now`; nil while nothing on the page changes by itself.
    public func nextWake(after now: Duration) -> Duration? {
        [nextMotion(after: now), nextText(after: now)].compactMap(\.self).min()
    }

    /// When something next moves, appears or disappears; nil while nothing does.
    public func nextMotion(after now: Duration) -> Duration? {
        guard !isTooSmall else { return playback.sleep.due.map { max($0, now + .milliseconds(1)) } }
        if feed.grid != nil {
            let toast = toasts.nextChange(after: now, frame: options.reducedMotion ? .milliseconds(100) : Self.frame)
            return [toast, view.hint?.until, playback.sleep.due].compactMap { $0 }.min().map {
                max($0, now + .milliseconds(1))
            }
        }
        var due: [Duration?] = [
            pointer.due, seeking.due,
            toasts.nextChange(after: now, frame: options.reducedMotion ? .milliseconds(100) : Self.frame),
            loading.nextChange(after: now, fades: !options.reducedMotion, frame: Self.frame),
            playback.due, view.hint?.until,
            feed.lateAt,
        ]
        // What is left to be looked through is, while nothing else is to be done.
        if let filter = typing?.filter, !filter.isDone(items.count) { due.append(now) }
        if pager.isSnapping || playback.pop != nil || reactions.burst != nil { due.append(now + Self.frame) }
        due.append(pager.slideEnd)
        if items.count > 0, !options.reducedMotion, loading.isShown(now: now) {
            due.append(Self.after(now, in: Loading.step))
        }
        return due.compactMap { $0 }.min().map { max($0, now + .milliseconds(1)) }
    }

    /// When a clock, a bar or a line of text next changes; nil while none does.
    /// Such a change may be drawn a moment late.
    public func nextText(after now: Duration) -> Duration? {
        guard !isTooSmall, items.count > 0, feed.grid == nil else { return nil }
        // In plain mode, nothing else changes by itself.
        if options.isPlain { return nextSubtitle(after: now) }
        return textChanges(now: now).compactMap { $0 }.min().map { max($0, now + .milliseconds(1)) }
    }

    private func textChanges(now: Duration) -> [Duration?] {
        var due: [Duration?] = []
        if let item = content?.item, let age = age(of: item, now: now) {
            due.append(now + RelativeTime(age: age).nextChange)
        }
        due.append(feed.readAt.map { CachedFeed(age: now - $0).nextChange + now })
        due.append(nextCommentAge(after: now))
        due.append(nextSubtitle(after: now))
        let clip = self.clip
        guard clip.isPlaying, !clip.isStalled, !isPaused else { return due }
        // A layout takes as long as all the rest, and few pages have a sound's title.
        if marqueeRuns(in: 0), let sound = PageLayout(self, index: current).sound,
            marqueeRuns(in: sound.columns - 2)
        {
            let start = loading.pageShownAt + Marquee.pause
            due.append(now < start ? start : start + Self.after(now - start, in: Marquee.step))
        }
        if hasScrubber, !seeking.holdsPosition, now - clip.reportedAt < .milliseconds(500) {
            let bar = PageLayout.bar(of: clip, on: size)
            due.append(now + scrubberChange(of: clip, cells: bar.columns, now: now))
        }
        return due
    }

    /// How long it takes until the scrubber's time or another cell of its line changes, but at least `scrubberStep`.
    private func scrubberChange(of clip: Clip, cells: Int, now: Duration) -> Duration {
        let position = clip.position(now: now, speed: playback.speed)
        var next = Duration.seconds(position.components.seconds + 1)
        if let duration = clip.duration, duration > .zero,
            let step = ScrubberLine.nextStep(after: position / duration, cells: cells)
        {
            next = min(next, duration * step)
        }
        // Just past the change, however the division was rounded.
        return max((next - position) / playback.speed + .milliseconds(1), Self.scrubberStep)
    }

    /// The next multiple of `step` after `now`.
    private static func after(_ now: Duration, in step: Duration) -> Duration {
        step * (Int(now / step) + 1)
    }
}
