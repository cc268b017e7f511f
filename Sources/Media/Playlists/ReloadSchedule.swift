import Wire

/// When a playlist that goes on is loaded again (RFC 8216, 6.3.4), and when it counts as stopped. Pure; times are those of one clock.
struct ReloadSchedule {
    /// However short its segments are, a server is not asked more often.
    private static let shortestPause: Microseconds = 1_000_000
    /// So many target durations without a change, and so long at least, and nothing more will come.
    private static let mostUnchanged: Microseconds = 3
    private static let alwaysWaited: Microseconds = 30_000_000
    /// How long the first segment is waited for, whatever the playlist says.
    private static let waitsForFirst: ClosedRange<Microseconds> = 15_000_000...60_000_000

    private var loadTime: Microseconds
    private var changeTime: Microseconds
    private var isChanged = true

    init(now: Microseconds) { (loadTime, changeTime) = (now, now) }

    mutating func begin(now: Microseconds) { loadTime = now }

    mutating func end(isChanged: Bool) {
        self.isChanged = isChanged
        if isChanged { changeTime = loadTime }
    }

    /// The moment from which it may be loaded again.
    func nextTime(target: Microseconds) -> Microseconds {
        loadTime + max(ReloadSchedule.shortestPause, target / (isChanged ? 1 : 2))
    }

    /// Whether it was last seen unchanged, and for so long that its end is no longer waited for.
    func hasStopped(target: Microseconds) -> Bool {
        !isChanged
            && loadTime - changeTime >= max(ReloadSchedule.alwaysWaited, ReloadSchedule.mostUnchanged * target)
    }

    /// How long a playlist without segments is waited for to get one.
    static func longestWait(target: Microseconds) -> Microseconds {
        min(max(waitsForFirst.lowerBound, mostUnchanged * target), waitsForFirst.upperBound)
    }
}
