/// Notices a decoder that reads nothing of what waits for it. Times are given.
struct StalledReaderDetector {
    /// Of the time between two looks at most so much counts: over a longer one flick was stopped or the machine slept,
    /// and the decoder with it.
    static let longestGap = Duration.seconds(1)

    private var last: (taken: Int, at: Duration)?
    /// For how long nothing was read.
    private var silent = Duration.zero

    /// Whether it has read nothing for as long as it may be silent. To be asked twice a second while something waits.
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
