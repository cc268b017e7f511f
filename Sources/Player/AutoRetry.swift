import Model
import Threads

/// Schedules automatic retries of the clip in view after its server was
/// unreachable or did not answer. Pure; the caller passes the time.
///
/// The pauses are 3, 6, 12, 24 and then 30 s. They start again at 3 s when another page comes into view, and after an
/// attempt has played for 30 s; an attempt that stops at the end of the cached bytes does not count. A page that has
/// already failed when it comes into view is retried at once. Until a retry succeeds the page keeps showing its error.
struct AutoRetry {
    private static let first = Duration.seconds(3)
    private static let longest = Duration.seconds(30)

    private var id: Item.ID?
    private var backoff = Backoff(from: first, upTo: longest)
    /// When it was last tried.
    private var triedAt: Duration?
    /// When it is tried again; nil while it does not stand there as failed.
    private(set) var due: Duration?

    /// Notes the state of the clip in view. Returns whether to retry it now.
    ///
    /// - Parameter mayOpenLater: it has failed, and a retry may succeed later.
    mutating func note(_ id: Item.ID?, mayOpenLater: Bool, now: Duration) -> Bool {
        guard id == self.id else {
            self = AutoRetry(id: id, triedAt: mayOpenLater ? now : nil)
            return mayOpenLater
        }
        guard mayOpenLater else {
            due = nil
            return false
        }
        guard let due else {
            if let triedAt, now - triedAt > Self.longest { backoff.reset() }
            self.due = now + backoff.pause
            return false
        }
        guard now >= due else { return false }
        (self.due, triedAt) = (nil, now)
        backoff.grow()
        return true
    }
}

extension PlayerPool {
    /// Tries the clip in view again if its server may be back.
    func tryLater(now: Duration) {
        let player = current.flatMap { players[$0] }
        let mayOpenLater = player.map { $0.phase == .failed && $0.supply.mayComeLater && !$0.playback.isHeld } ?? false
        guard laterAttempts.note(current, mayOpenLater: mayOpenLater, now: now), let player else { return }
        // What happens in it is returned with all else.
        events += retry(player.item, now: now)
    }
}
