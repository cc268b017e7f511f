import Model

/// Turns signals of the pages and of the clip in view into engagement: which items the
/// user saw, for how long, and how much of them. A value.
///
/// The rules, beyond those of `EngagementEvent`:
/// - A visit of an item begins when the user turns to its page and ends with the next page,
///   or with `finished`. Only the item in view is watched.
/// - Watch time is real time in which the clip played and did not wait. It is counted, like the played
///   part of the clip, when the next position comes: ten times a second. On leaving and before a seek it
///   is counted up to that moment, unless the clip may have stood since its last report. A clip that
///   continues in its middle is watched from its first report on.
/// - Completion is a union of stretches of the clip's time: seeking over a stretch is not
///   playing it, and loops do not add to it. A clip that ends or loops up to 0.5 s before the
///   duration that its container gives has been played to its end.
/// - Milestones come when completion reaches them, each once a visit.
/// - A replay is a restart after the end: a loop, once a position of the next
///   round has come, or playing an ended clip again.
/// - A clip without a known duration (live), or of one frame, has neither completion nor milestones, and cannot be
///   skipped. The watch time of a still is the time that it is shown and not paused.
/// - Stall time is what the player calls a stall while it should play, also at the
///   start: the first frame is there then, and stands.
/// - Where time jumps, back or by more than a second between two signals (the machine slept, the loop was held up), or
///   where a playing clip reports nothing for more than a second, the time between counts as nothing: neither as
///   watched nor as played, stalled or seen. Nor does the time of a suspension.
/// - On leaving there is always a summary, also of a page that never started but was seen; but not of a page that was
///   only passed: not seen for 300 ms, not started and not played. Only a clip that has begun can be skipped.
///
/// It remembers the ids of the items that were seen and viewed in the session,
/// and nothing else of items that are out of view.
public struct Tracker: Sendable {
    /// The loop's observations. Signals of items that are not in view do nothing, except `visible`.
    public enum Signal: Sendable {
        /// All pages of which something is visible now, and which share of each, 0 … 1. Whenever the pager has moved.
        case visible([(item: Item.ID, share: Double)])
        /// The user turned to this item's page. `duration` if known.
        case arrived(Item.ID, duration: Duration?)
        /// The first real frame of a claim is on the terminal.
        case firstFrame(Item.ID, how: ClaimKind, sincePage: Duration)
        /// Its clip is a single picture.
        case still(Item.ID)
        case playing(Item.ID)
        /// It was paused, by the user or by another player, or it failed.
        case paused(Item.ID)
        /// Where the clip is. Reported ten times a second while it plays.
        case position(Item.ID, Duration, duration: Duration?)
        /// A seek to `to`, also while scrubbing; a frame step is one, too.
        case sought(Item.ID, to: Duration)
        case stalled(Item.ID, Bool)
        /// Its decoder is replaced. It continues with the next position, perhaps a little before where it was.
        case recovering(Item.ID)
        /// It ended and does not loop.
        case ended(Item.ID)
        /// Of this clip and of all after it. Anything but a positive number is ignored.
        case speed(Double)
        /// The terminal is not flick's, until `resumed`.
        case suspended
        case resumed
        /// Time has passed: when `nextWake` is due.
        case tick
        /// The session is over, or the feed is empty: no page is in view.
        case finished
    }

    /// An item of which enough is visible.
    private struct Sight {
        var item: Item.ID
        var since: Duration
        /// For long enough.
        var isSeen = false
    }

    static let longestGap = Duration.seconds(1)
    private static let visibleShare = 0.6
    private static let seenAfter = Duration.milliseconds(300)
    private static let viewedAfter = Duration.seconds(2)
    /// How often time is looked at where nothing is reported.
    private static let look = Duration.milliseconds(500)

    private var last: Duration?
    private var isSuspended = false
    /// Thousandths of the clips' own speed.
    private var rate = 1_000
    private var sights: [Sight] = []
    private var visit: Visit?
    private var seen: Set<Item.ID> = []
    private var viewed: Set<Item.ID> = []

    public init() {}

    /// Returns the events that a signal causes, in order.
    ///
    /// - Parameter now: of any clock that does not depend on the time of day.
    public mutating func note(_ signal: Signal, now: Duration) -> [EngagementEvent] {
        var events = pass(to: now)
        switch signal {
        case .visible(let pages):
            sights = pages.filter { $0.share >= Self.visibleShare }.map { page in
                sights.first { $0.item == page.item } ?? Sight(item: page.item, since: now)
            }
        case .arrived(let item, let duration):
            if visit?.item == item {
                visit?.learn(duration)
            } else {
                events += leave(now: now)
                let wasSeen = sights.contains { $0.item == item && $0.isSeen }
                visit = Visit(item, duration: duration, wasSeen: wasSeen)
            }
        case .firstFrame(let item, let how, let sincePage):
            guard isInView(item) else { break }
            visit?.start()
            events.append(EngagementEvent(item: item, at: now, what: .start(how: how, after: sincePage)))
        case .still(let item): if isInView(item) { visit?.isStill = true }
        case .playing(let item): if isInView(item) { visit?.play() }
        case .paused(let item): if isInView(item) { visit?.pause() }
        case .position(let item, let position, let duration):
            if isInView(item) { visit?.report(position: position, duration: duration, rate: rate) }
        case .sought(let item, let place): if isInView(item) { visit?.seek(to: place) }
        case .stalled(let item, let stalls): if isInView(item) { visit?.stall(stalls) }
        case .recovering(let item): if isInView(item) { visit?.recover() }
        case .ended(let item): if isInView(item) { visit?.end() }
        case .speed(let speed): change(speed: speed)
        case .suspended: isSuspended = true
        case .resumed: resume(now: now)
        case .tick: break
        case .finished: events += leave(now: now)
        }
        return events + progress(now: now)
    }

    /// When to note a `tick` if no other signal comes; nil if nothing is counted that only a `tick` would report.
    public func nextWake(after now: Duration) -> Duration? {
        guard !isSuspended else { return nil }
        var next = sights.filter { !$0.isSeen }.map { $0.since + Self.seenAfter }
        if let visit, let last {
            if visit.isTimed { next.append(last + Self.look) }
            if visit.isShowing, visit.watched < Self.viewedAfter {
                next.append(last + Self.viewedAfter - visit.watched)
            }
        }
        return next.min().map { max($0, now) }
    }

    private func isInView(_ item: Item.ID) -> Bool { visit?.item == item }

    /// Time passes up to `now`.
    private mutating func pass(to now: Duration) -> [EngagementEvent] {
        let step = now - (last ?? now)
        last = now
        guard !isSuspended else { return [] }
        let isKnown = step >= .zero && step <= Self.longestGap
        visit?.pass(isKnown ? step : nil, rate: rate)
        var events: [EngagementEvent] = []
        for index in sights.indices where !sights[index].isSeen {
            let sight = sights[index]
            if !isKnown {
                sights[index].since = now
            } else if sight.since + Self.seenAfter <= now {
                sights[index].isSeen = true
                if isInView(sight.item) { visit?.wasSeen = true }
                let isFirst = seen.insert(sight.item).inserted
                events.append(
                    EngagementEvent(
                        item: sight.item, at: sight.since + Self.seenAfter, what: isFirst ? .impression : .again))
            }
        }
        return events
    }

    private mutating func change(speed: Double) {
        guard speed > 0, speed < 1_000 else { return }
        let rate = max(Int((speed * 1_000).rounded()), 1)
        guard rate != self.rate else { return }
        self.rate = rate
        // The player stops for a moment, as what was made for the other speed must go.
        visit?.doubt()
    }

    private mutating func resume(now: Duration) {
        guard isSuspended else { return }
        isSuspended = false
        visit?.doubt()
        for index in sights.indices where !sights[index].isSeen { sights[index].since = now }
    }

    /// The events that are due in the visit.
    private mutating func progress(now: Duration) -> [EngagementEvent] {
        guard let item = visit?.item, let watched = visit?.watched else { return [] }
        var events: [EngagementEvent.What] = []
        if watched >= Self.viewedAfter, viewed.insert(item).inserted { events.append(.view(watched: watched)) }
        events += visit?.newMilestones().map(EngagementEvent.What.milestone) ?? []
        return events.map { EngagementEvent(item: item, at: now, what: $0) }
    }

    private mutating func leave(now: Duration) -> [EngagementEvent] {
        visit?.settle()
        let events = progress(now: now)
        defer { visit = nil }
        guard let visit else { return [] }
        return events + visit.ending().map { EngagementEvent(item: visit.item, at: now, what: $0) }
    }
}
