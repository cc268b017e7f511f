import Model
import Wire

/// Leaving a clip's page, and resuming the clip when the user comes back to it.
extension ClipPlayer {
    /// Another page is the current one. The clip falls silent at once; its picture moves on until `end`, when its page
    /// has slid out of view.
    func leave(until end: Duration, now: Duration) {
        isInView = false
        isLeft = isLeft || playback.hasBegun
        guard playback.isWanted else { return }
        guard end > now, clock.isRunning else { return interrupt(now: now) }
        seeks.endScrub()
        silence(keepsUnheard: true)
        watchdog.end()
        silentUntil = end
        report(.paused)
    }

    /// Its page is pulled into view: its pictures move before the user has let go, in silence.
    func peek(now: Duration) {
        guard phase == .ready, hasVideo, pictures.current != nil, !playback.isWanted, seeks.pending == nil else {
            return
        }
        playback.isWanted = true
        silentUntil = .seconds(Int64.max)
    }

    /// The page was released, and slides back out of view.
    func endPeek(now: Duration) {
        guard silentUntil != nil else { return }
        pause(now: now)
        isLeft = true
    }

    /// Whether a return to it begins at its beginning.
    private var restarts: Bool { info?.isStill != true && duration.map { $0 <= settings.resumesOver } ?? false }

    /// The user has come back.
    func comeBack(now: Duration) {
        guard isLeft else { return }
        isLeft = false
        if restarts, phase == .ready { startOver(now: now) }
    }

    /// The page is out of sight: makes the picture that it starts with when the user comes back.
    func rewind(now: Duration) {
        guard isLeft, !playback.isWanted, phase == .ready, isSeekable, seeks.pending == nil, restarts else { return }
        isLeft = false
        playback = Playback()
        jump(to: 0, mode: .exact, purpose: .refresh, now: now)
        report(.position(.zero, duration: duration))
    }

    /// The position at which a later player is to resume this clip;
    /// 0: at the beginning. nil if there is nothing to resume.
    func placeToResume(now: Duration) -> Microseconds? {
        guard playback.hasBegun, !restarts, duration != nil, phase == .ready else { return nil }
        return playback.hasEnded ? 0 : mediaPosition(at: now)
    }

    /// It was left at `place` in an earlier session. False if it plays already: then it is too late.
    func resume(at place: Microseconds, now: Duration) -> Bool {
        guard start == 0, !playback.hasBegun || phase != .ready else { return false }
        start = place
        if phase == .ready { goToStart(now: now) }
        return true
    }

    /// The clip is open, perhaps elsewhere than it is to begin, and nothing of it was shown. It may be shorter than it
    /// was when it was left.
    func goToStart(now: Duration) {
        guard let info else { return }
        if restarts || (info.duration > 0 && start >= info.duration) { start = 0 }
        guard clock.position(at: now) != start else { return }
        clock.set(to: start, now: now)
        jump(to: start, mode: .exact, purpose: .refresh, now: now)
    }

    /// Whether it can be handed over to its page: it has its first picture, and has read enough to keep playing.
    func isPrepared(now: Duration) -> Bool {
        guard phase == .ready, seeks.pending == nil, !hasVideo || pictures.current != nil else { return false }
        guard supply.isRemote else { return true }
        let supply = ahead(now: now)
        return supply.isAll || !supply.isFilling || supply.ahead >= settings.warm.buffer
    }
}

/// Where long clips were left whose players are gone. The oldest places are forgotten.
struct LeftPlaces {
    static let limit = 1_000

    private var places: [Item.ID: Microseconds] = [:]
    /// By age.
    private var order: [Item.ID] = []

    subscript(id: Item.ID) -> Microseconds { places[id] ?? 0 }

    func knows(_ id: Item.ID) -> Bool { places[id] != nil }

    mutating func note(_ id: Item.ID, _ place: Microseconds) {
        if places.updateValue(place, forKey: id) != nil { order.removeAll { $0 == id } }
        order.append(id)
        if order.count > LeftPlaces.limit { places[order.removeFirst()] = nil }
    }
}
