import Model

/// What the user did in this session that the feed's service does not have yet. A value.
struct Outbox: Sendable {
    struct Act: Hashable, Sendable {
        var item: Item.ID
        /// As the page has it: `like`, `comments`.
        var action: Action
    }

    /// Whether the service did not answer the last time.
    private(set) var isOffline = false
    /// Acts that were not confirmed yet.
    private var sent: Set<Act> = []
    /// Those of them that the page says wait.
    private var waiting: Set<Act> = []

    func waits(_ act: Act) -> Bool { waiting.contains(act) }

    /// The user did this. Returns whether it waits from the start, because the service does not answer.
    mutating func add(_ act: Act) -> Bool {
        sent.insert(act)
        if isOffline { waiting.insert(act) }
        return isOffline
    }

    /// The service could not be given this. Until it can, nothing else is sent, so all of it waits. Returns whether
    /// that is new: acts of an earlier session are not announced, and a second attempt changes nothing.
    mutating func fail(_ act: Act) -> Bool {
        isOffline = true
        defer { waiting = sent }
        return sent.contains(act) && !waiting.contains(act)
    }

    /// The service has this, or refused it.
    mutating func settle(_ act: Act) {
        isOffline = false
        sent.remove(act)
        waiting.remove(act)
    }
}

extension State {
    /// The user did this with an item; shows a notice if the feed's service cannot be reached now.
    mutating func send(_ action: Action, of item: Item.ID, now: Duration) {
        guard feed.takesComments, reactions.outbox.add(Outbox.Act(item: item, action: action)) else { return }
        sayThatItWaits(now: now)
    }

    /// The service could not be reached with this, and gets it later.
    mutating func keepForLater(_ act: Outbox.Act, now: Duration) {
        if reactions.outbox.fail(act) { sayThatItWaits(now: now) }
    }

    private mutating func sayThatItWaits(now: Duration) {
        toasts.show("Not sent yet; flick retries when the server responds", now: now)
    }
}
