import Model

/// When the clip in view is tried again by itself, after its server could not be reached or did not answer. Pure; times are given.
///
/// The pauses are 3, 6, 12, 24 and then 30 s, until it opens or another page is in view; one that comes into view so is tried at once. Meanwhile the page
/// says what it has said.
struct LaterAttempts {
    private static let first = Duration.seconds(3)
    private static let longest = Duration.seconds(30)

    private var id: Item.ID?
    private var pause = first
    /// When it is tried again; nil while it does not stand there as failed.
    private(set) var due: Duration?

    /// What has become of the clip in view. Returns whether to try it again now.
    ///
    /// - Parameter isOpen: it could be opened.
    /// - Parameter mayOpenLater: it has failed, and the same may succeed later.
    mutating func note(_ id: Item.ID?, isOpen: Bool, mayOpenLater: Bool, now: Duration) -> Bool {
        let isNew = id != self.id
        if isNew || isOpen { (self.id, pause, due) = (id, Self.first, nil) }
        guard mayOpenLater else {
            due = nil
            return false
        }
        if isNew { return true }
        guard let due else {
            self.due = now + pause
            return false
        }
        guard now >= due else { return false }
        self.due = nil
        pause = min(pause * 2, Self.longest)
        return true
    }
}

extension PlayerPool {
    /// Tries the clip in view again if its server may be back.
    func tryLater(now: Duration) {
        let player = current.flatMap { players[$0] }
        let mayOpenLater = player.map { $0.phase == .failed && $0.supply.mayComeLater && !$0.playback.isHeld } ?? false
        guard laterAttempts.note(current, isOpen: player?.phase == .ready, mayOpenLater: mayOpenLater, now: now),
            let player
        else { return }
        // What happens in it is returned with all else.
        events += retry(player.item, now: now)
    }
}
