import Audio
import Threads

/// What follows from the state of the sound device: tells the user of its loss,
/// and has it opened again. Times are given.
struct SoundCheck {
    enum Action: Equatable {
        /// Nothing can be heard from now on.
        case lose
        /// Sound can be heard again.
        case resume
        case tell(SoundFault)
        case open
    }

    /// When it is tried again: after this, then after twice as long each time, up to `longest`.
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(30)
    /// A device that was there for so long, and goes, is news.
    private static let settled = Duration.seconds(10)

    private var backoff = Backoff(from: SoundCheck.shortest, upTo: SoundCheck.longest)
    /// From when no device was found until one is ready.
    private(set) var isLost = false
    private var hasTold = false
    private var opensAt: Duration?
    private var readyAt: Duration?

    /// - Parameter isWanted: a clip with sound plays.
    mutating func check(_ state: SoundState, isWanted: Bool, now: Duration) -> [Action] {
        switch state {
        case .closed, .opening: return []
        case .ready: return ready(now: now)
        case .unavailable(let fault): return unavailable(fault, isWanted: isWanted, now: now)
        }
    }

    private mutating func ready(now: Duration) -> [Action] {
        opensAt = nil
        let since = readyAt ?? now
        readyAt = since
        if now - since >= SoundCheck.settled {
            backoff.reset()
            hasTold = false
        }
        defer { isLost = false }
        return isLost ? [.resume] : []
    }

    private mutating func unavailable(_ fault: SoundFault, isWanted: Bool, now: Duration) -> [Action] {
        guard let opensAt else {
            // It has just been lost, or not been found once more.
            opensAt = now + backoff.next()
            readyAt = nil
            defer {
                isLost = true
                hasTold = true
            }
            return hasTold ? [.lose] : [.lose, .tell(fault)]
        }
        guard isWanted, now >= opensAt else { return [] }
        self.opensAt = nil
        return [.open]
    }
}
