/// Notices a decoder that reads nothing of what waits for it. Times are given.
struct UnreadWatch {
    private var last: (taken: Int, since: Duration)?

    /// Whether it has read nothing for as long as it may be silent.
    ///
    /// - Parameter unread: `Outbox.unread`.
    mutating func isStuck(_ unread: Int?, now: Duration) -> Bool {
        guard let unread else {
            last = nil
            return false
        }
        guard let last, last.taken == unread else {
            last = (unread, now)
            return false
        }
        return now - last.since >= Watchdog.patience
    }
}
