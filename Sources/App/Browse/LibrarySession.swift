import Engagement
import Model
import Player
import UI

/// What counts as watched, and what is remembered of it. Main thread.
@MainActor
final class LibrarySession {
    /// nil if there is no place to remember anything.
    let link: LibraryLink?
    private let pool: PlayerPool
    private let journal: Journal
    private var watch = EngagementWatch()
    /// When the watch wants to look at the time; nil unless something happens before.
    private(set) var nextWake: Duration?
    /// When the place of the clip in view was last remembered.
    private var placeNotedAt = Duration.zero

    private static let placeInterval = Duration.seconds(10)

    init(link: LibraryLink?, pool: PlayerPool, journal: Journal) {
        (self.link, self.pool, self.journal) = (link, pool, journal)
    }

    /// Looks at the page after a change.
    ///
    /// - Parameter page: the current one, from 0; nil in a part of the feed.
    func look(at state: State, page: Int?, now: Duration) {
        if let link, let content = state.content, content.item.id != link.shown {
            link.show(content.item, page: page)
        }
        note(watch.look(at: state, now: now), now: now)
    }

    /// Looks at what a player reports.
    ///
    /// - Parameter isPlaying: whether the item's clip plays.
    func note(_ report: PlayerReport, of item: Item.ID, isPlaying: Bool, now: Duration) {
        note(watch.note(report, of: item, isPlaying: isPlaying, now: now), now: now)
    }

    /// Looks at what is done for the page.
    func note(_ effect: Effect, now: Duration) { note(watch.note(effect, now: now), now: now) }

    func note(_ event: PlaybackEvent, of item: Item.ID, now: Duration) {
        note(watch.note(event, of: item, now: now), now: now)
    }

    /// Time has passed.
    ///
    /// - Parameter playing: the item whose clip plays; nil: none.
    func advance(playing: @autoclosure () -> Item.ID?, now: Duration) {
        if let nextWake, nextWake <= now { note(watch.tick(now: now), now: now) }
        // In case flick is killed.
        if now - placeNotedAt >= Self.placeInterval, let id = playing() { notePlace(of: id, now: now) }
        nextWake = watch.nextWake(after: now)
    }

    /// The terminal is about to be the shell's. `Event.resumed` follows.
    func suspend(now: Duration) { note(watch.suspend(now: now), now: now) }

    /// flick has the terminal again.
    func resume(now: Duration) { note(watch.resume(now: now), now: now) }

    /// The loop ends.
    func finish(now: Duration) { note(watch.finish(now: now), now: now) }

    private func note(_ events: [EngagementEvent], now: Duration) {
        // Most calls have none.
        guard !events.isEmpty else { return }
        for event in events { journal.record(.engage(item: event.item, what: event.name)) }
        link?.note(events)
        for event in events { if case .summary = event.what { notePlace(of: event.item, now: now) } }
    }

    /// Stores the position of a long clip, so that the next session resumes there.
    private func notePlace(of id: Item.ID, now: Duration) {
        placeNotedAt = now
        if let place = pool.place(of: id, now: now) { link?.left(id, place: place > .zero ? place : nil) }
    }
}
