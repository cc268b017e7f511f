import Model

/// What another program wants of the page: `flick ctl`, a media key of the desktop. A value.
public enum ExternalCommand: Sendable, Equatable {
    /// The same as its key on the page.
    case action(Action)
    case play(Bool)
    /// Plays if it is paused, and pauses if it plays.
    case togglePlay
    case seek(to: Duration)
    /// 0 … 1; what is beyond is cut.
    case setVolume(Double)
    /// One of `Playback.speeds`; what is beyond is cut.
    case setSpeed(Double)
}

extension State {
    mutating func perform(_ command: ExternalCommand, now: Duration) -> [Effect] {
        switch command {
        case .action(let action): return perform(action, now: now)
        case .togglePlay: return perform(.play(isPaused), now: now)
        case .play(let plays):
            // A user who plays the clip from elsewhere does not want it to wait for the focus.
            let effects = plays ? focus(true, now: now) : []
            guard plays == isPaused, !isHeld else { return effects }
            return effects + perform(.pause, now: now)
        case .seek(let time):
            guard items.count > 0, !isCovered else { return [] }
            endScrub()
            return seek(toTime: max(time, .zero), now: now)
        case .setVolume(let volume): return setVolume(volume, now: now)
        case .setSpeed(let speed): return setSpeed(speed, now: now)
        }
    }
}
