import Model

/// The sleep timer: playing stops by itself after a time, or at the end of a clip. A value.
struct SleepTimer: Sendable, Equatable {
    enum Stop: Sendable, Equatable {
        case off
        /// Since the process began.
        case time(Duration)
        case clipEnd
    }

    /// The times to choose from with the key.
    static let lengths: [Duration] = [15, 30, 60].map { .seconds($0 * 60) }

    private(set) var stop = Stop.off
    /// How long the timer was set for; zero where it was not.
    private var length = Duration.zero
    /// When it was last looked at: what is shown as left counts from here.
    private var seen = Duration.zero

    mutating func start(for time: Duration, now: Duration) { (stop, length, seen) = (.time(now + time), time, now) }

    /// Turned off, or it has done its work.
    mutating func end() { self = SleepTimer() }

    /// The next longer time, then the end of the clip, then off.
    mutating func next(now: Duration) {
        if stop == .clipEnd { return end() }
        if let longer = Self.lengths.first(where: { $0 > length }) { return start(for: longer, now: now) }
        (stop, length) = (.clipEnd, .zero)
    }

    /// Time passes. Returns whether that of the timer has come.
    mutating func advance(to now: Duration) -> Bool {
        guard case .time(let time) = stop else { return false }
        if now >= seen + Self.step(time - seen) { seen = now }
        return now >= time
    }

    /// How often what is left is shown again.
    private static func step(_ left: Duration) -> Duration { left > .seconds(90) ? .seconds(20) : .seconds(1) }

    /// When its time comes, or what is left is to be shown again; nil without a time.
    var due: Duration? {
        guard case .time(let time) = stop else { return nil }
        return min(time, seen + Self.step(time - seen))
    }

    /// "Sleep timer: 30 min", "Sleep timer: after this clip", "Sleep timer: off".
    var words: String { "Sleep timer: \(left ?? "off")" }

    /// What is left: "30 min", "45 s", "after this clip"; nil while it is off.
    var left: String? {
        switch stop {
        case .off: return nil
        case .clipEnd: return "after this clip"
        case .time(let time):
            // Rounded up: the last second is "1 s".
            let seconds = Int(max(time - seen, .zero).seconds.rounded(.up))
            guard seconds > 90 else { return "\(seconds) s" }
            let minutes = (seconds + 30) / 60
            return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
        }
    }
}

extension State {
    /// The sleep timer's time has come: the clip in view pauses, and no other one follows.
    mutating func fallAsleep(now: Duration) -> [Effect] {
        let (looped, wasPaused) = (playback.loops(options), isPaused)
        playback.sleep.end()
        playback.wantsPlay = false
        toasts.show("Paused by the sleep timer", now: now)
        // A clip that loops again does so from its beginning on, once it is played.
        let settings: [Effect] = playback.loops(options) == looped ? [] : [.setLoop(!looped)]
        guard !wasPaused, !clip.hasEnded, items.count > 0 else { return settings }
        freeze(now: now)
        return onCurrent { .pause($0) } + settings
    }
}
