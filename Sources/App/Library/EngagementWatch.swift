import Engagement
import Model
import UI

/// Passes what happens on the pages to the tracker, and returns what counts as engagement. Main thread.
struct EngagementWatch {
    private var tracker = Tracker()
    /// The state of the page that the tracker knows.
    private var current: Item.ID?
    private var position: Double?
    private var speed = 1.0

    /// When to call `tick`, unless something happens before.
    func nextWake(after now: Duration) -> Duration? { tracker.nextWake(after: now) }

    mutating func tick(now: Duration) -> [EngagementEvent] { tracker.note(.tick, now: now) }

    /// Looks at the page after an event has changed it. Cheap where nothing has.
    mutating func look(at state: State, now: Duration) -> [EngagementEvent] {
        var events: [EngagementEvent] = []
        if state.currentID != current {
            current = state.currentID
            events += tracker.note(current.map { .arrived($0, duration: state.clip.duration) } ?? .finished, now: now)
            // Of a clip that was open before, this was reported before.
            if let current, state.clip.facts?.isStill == true { events += tracker.note(.still(current), now: now) }
            if let current, state.clip.isStalled { events += tracker.note(.stalled(current, true), now: now) }
            position = nil
        }
        if state.playback.speed != speed {
            speed = state.playback.speed
            events += tracker.note(.speed(speed), now: now)
        }
        // A grid of stills stands in place of the page.
        let place = state.feed.grid == nil ? state.pager.position : nil
        if place != position, state.items.count > 0 {
            position = place
            events += tracker.note(.visible(place.map { Self.visible(state, at: $0) } ?? []), now: now)
        }
        return events
    }

    /// The pages of which something can be seen, and how much of each.
    private static func visible(_ state: State, at place: Double) -> [(item: Item.ID, share: Double)] {
        let first = Int(place.rounded(.down))
        let share = place - Double(first)
        return [(first, 1 - share), (first + 1, share)].compactMap { index, share in
            guard share > 0, index >= 0, index < state.items.count else { return nil }
            return (state.content(of: index).item.id, share)
        }
    }

    /// What a player reports.
    ///
    /// - Parameter isPlaying: whether the item's clip plays.
    mutating func note(
        _ report: PlayerReport, of item: Item.ID, isPlaying: Bool, now: Duration
    ) -> [EngagementEvent] {
        switch report {
        case .playing: tracker.note(.playing(item), now: now)
        case .paused, .failed: tracker.note(.paused(item), now: now)
        case .position(let position, let duration):
            tracker.note(.position(item, position, duration: duration), now: now)
        case .stalled(let isStalled): tracker.note(.stalled(item, isStalled), now: now)
        // A picture forward or back.
        case .sought(let position) where !isPlaying: tracker.note(.sought(item, to: position), now: now)
        case .ended: tracker.note(.ended(item), now: now)
        case .opened(let facts): facts.isStill ? tracker.note(.still(item), now: now) : []
        default: []
        }
    }

    /// What is done for the page.
    mutating func note(_ effect: Effect, now: Duration) -> [EngagementEvent] {
        switch effect {
        case .seek(let item, let to), .preview(let item, let to): tracker.note(.sought(item, to: to), now: now)
        case .pause(let item): tracker.note(.paused(item), now: now)
        default: []
        }
    }

    mutating func note(_ event: PlaybackEvent, of item: Item.ID, now: Duration) -> [EngagementEvent] {
        switch event {
        case .started(_, let sincePage, let how):
            tracker.note(.firstFrame(item, how: how, sincePage: sincePage), now: now)
        case .recovering: tracker.note(.recovering(item), now: now)
        }
    }

    /// The shell gets the terminal.
    mutating func suspend(now: Duration) -> [EngagementEvent] { tracker.note(.suspended, now: now) }

    /// flick has the terminal again.
    mutating func resume(now: Duration) -> [EngagementEvent] { tracker.note(.resumed, now: now) }

    /// The session is over.
    mutating func finish(now: Duration) -> [EngagementEvent] { tracker.note(.finished, now: now) }
}
