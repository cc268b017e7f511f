import Wire

/// Decides when a live playlist is reloaded (RFC 8216, 6.3.4), and when it counts as stopped. Pure; all times are of
/// the same clock.
struct ReloadSchedule {
    /// The shortest interval between requests, however short the segments are.
    private static let shortestPause: Microseconds = 1_000_000
    /// After this many target durations without a change (and a minimum), the playlist counts as stopped.
    private static let maxUnchanged: Microseconds = 3
    private static let alwaysWaited: Microseconds = 30_000_000
    /// After failing for this many target durations (and a minimum), reloading stops.
    private static let maxFailing: Microseconds = 3
    private static let alwaysRetried: Microseconds = 10_000_000
    private static let maxDoublings = 4
    /// How long to wait for the first segment, whatever the playlist says.
    private static let waitsForFirst: ClosedRange<Microseconds> = 15_000_000...60_000_000

    private var loadTime: Microseconds
    private var changeTime: Microseconds
    private var isChanged = true
    /// Since when reloads fail, and how many did; nil: the last one did not.
    private var failing: (since: Microseconds, count: Int)?

    init(now: Microseconds) { (loadTime, changeTime) = (now, now) }

    mutating func begin(now: Microseconds) { loadTime = now }

    mutating func end(isChanged: Bool) {
        failing = nil
        self.isChanged = isChanged
        if isChanged { changeTime = loadTime }
    }

    /// The reload was interrupted, which says nothing about the server.
    mutating func interrupt() { isChanged = false }

    /// The reload failed. Returns whether failures have lasted long enough to stop reloading.
    mutating func fail(target: Microseconds) -> Bool {
        isChanged = false
        let since = failing?.since ?? loadTime
        failing = (since, (failing?.count ?? 0) + 1)
        return loadTime - since > max(ReloadSchedule.maxFailing * target, ReloadSchedule.alwaysRetried)
    }

    /// When it may be reloaded at the earliest. After a failure each further pause is twice as long: `RequestBudget`
    /// allows four requests in 30 s.
    func nextTime(target: Microseconds) -> Microseconds {
        let pause = max(ReloadSchedule.shortestPause, target / (isChanged ? 1 : 2))
        let doublings = failing.map { min($0.count - 1, ReloadSchedule.maxDoublings) } ?? 0
        return loadTime + (pause << doublings)
    }

    /// Whether it has not changed for long enough that no more segments are expected.
    func hasStopped(target: Microseconds) -> Bool {
        !isChanged
            && loadTime - changeTime >= max(ReloadSchedule.alwaysWaited, ReloadSchedule.maxUnchanged * target)
    }

    /// How long to wait for the first segment of an empty playlist.
    static func longestWait(target: Microseconds) -> Microseconds {
        min(max(waitsForFirst.lowerBound, maxUnchanged * target), waitsForFirst.upperBound)
    }
}
