/// Detects a decoder that does not read its messages. The caller passes the time.
struct StalledReaderDetector {
    /// The longest time between two looks that counts: during a longer gap
    /// flick was stopped or the machine slept, and the decoder with it.
    static let longestGap = Duration.seconds(1)

    private var last: (taken: Int, at: Duration)?
    /// For how long nothing was read.
    private var silent = Duration.zero

    /// Whether it has read nothing for as long as it may be silent. To be called twice a second while messages wait.
    ///
    /// - Parameter unread: `Outbox.unread`.
    mutating func isStuck(_ unread: Int?, now: Duration) -> Bool {
        if let last, last.taken == unread {
            silent += min(now - last.at, Self.longestGap)
        } else {
            silent = .zero
        }
        last = unread.map { ($0, now) }
        return silent >= Watchdog.patience
    }
}
