/// Distinguishes an endless page without new items from a long one. A value.
struct IdleEntries {
    /// After this many entries in a row without a new item, or this long, a page counts as ended.
    static let countLimit = 20_000
    static let timeLimit: Duration = .seconds(60)

    /// How many entries in a row had no new item.
    private(set) var count = 0
    private(set) var isOver = false
    private var since: ContinuousClock.Instant?

    mutating func note(isNew: Bool, now: @autoclosure () -> ContinuousClock.Instant) {
        guard !isNew else { return (count, since) = (0, nil) }
        count += 1
        let now = now()
        let first = since ?? now
        since = first
        isOver = isOver || count >= Self.countLimit || now - first >= Self.timeLimit
    }
}
