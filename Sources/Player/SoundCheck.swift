import Audio
import Threads

/// Reacts to the state of the audio device: reports its loss to
/// the user, and has it reopened. The caller passes the time.
struct SoundCheck {
    enum Action: Equatable {
        /// Nothing can be heard from now on.
        case lose
        /// Sound can be heard again.
        case resume
        case report(AudioError)
        case open
    }

    /// When it is tried again: after this, then after twice as long each time, up to `longest`.
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(30)
    /// The loss of a device that worked for this long is reported again.
    private static let settled = Duration.seconds(10)

    private var backoff = Backoff(from: SoundCheck.shortest, upTo: SoundCheck.longest)
    /// From when no device was found until one is ready.
    private(set) var isLost = false
    private var hasReported = false
    private var opensAt: Duration?
    private var readyAt: Duration?

    /// - Parameter isWanted: a clip with sound plays.
    mutating func check(_ state: SoundState, isWanted: Bool, now: Duration) -> [Action] {
        switch state {
        case .closed, .opening: return []
        case .ready: return ready(now: now)
        case .unavailable(let error): return unavailable(error, isWanted: isWanted, now: now)
        }
    }

    private mutating func ready(now: Duration) -> [Action] {
        opensAt = nil
        let since = readyAt ?? now
        readyAt = since
        if now - since >= SoundCheck.settled {
            backoff.reset()
            hasReported = false
        }
        defer { isLost = false }
        return isLost ? [.resume] : []
    }

    private mutating func unavailable(_ error: AudioError, isWanted: Bool, now: Duration) -> [Action] {
        guard let opensAt else {
            // It was lost just now, or was not found again.
            opensAt = now + backoff.next()
            readyAt = nil
            defer {
                isLost = true
                hasReported = true
            }
            return hasReported ? [.lose] : [.lose, .report(error)]
        }
        guard isWanted, now >= opensAt else { return [] }
        self.opensAt = nil
        return [.open]
    }
}
