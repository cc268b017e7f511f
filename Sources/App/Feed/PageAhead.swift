import Threads

/// Decides when to load the next page of a feed: near the end of the loaded items, one page at a time. After a failure
/// it retries when the user comes nearer, or after a pause. A value.
struct PageAhead {
    /// The pause after the first failure, and the longest pause after several.
    static let shortestPause = Duration.seconds(2)
    static let longestPause = Duration.seconds(60)

    /// The next page is loaded when at most this many items follow the current one.
    let distance: Int
    private var isLoading = false
    /// What remains of the last failures.
    private var failure: (left: Int, until: Duration)?
    private var backoff = Backoff(from: shortestPause, upTo: longestPause)

    init(distance: Int = 5) { self.distance = distance }

    /// Whether to load the next page now; it then counts as loading. `left`: the number of items after the current one.
    mutating func begins(left: Int, now: Duration) -> Bool {
        guard !isLoading, left <= distance else { return false }
        if let failure, left >= failure.left, now < failure.until { return false }
        isLoading = true
        return true
    }

    /// The user asks for the page, so the pause after a failure ends.
    mutating func hurry() { failure?.until = .zero }

    mutating func loaded() {
        isLoading = false
        failure = nil
        backoff.reset()
    }

    /// True for the first of several failures: only that one is shown to the user.
    mutating func failed(left: Int, now: Duration) -> Bool {
        isLoading = false
        defer { failure = (left, now + backoff.next()) }
        return failure == nil
    }

    /// When to call `begins` again although nothing happens; nil if that is not needed.
    func nextWake(left: Int) -> Duration? { !isLoading && left <= distance ? failure?.until : nil }
}
