/// When the next page of a feed is asked for: near the end of what is loaded, one at a time; after a failure once the user comes nearer, or a while later.
struct PageAhead {
    /// After the first failure, and the most after many.
    static let shortestPause = Duration.seconds(2)
    static let longestPause = Duration.seconds(60)

    /// The most items after the one in view at which the next page is wanted.
    let distance: Int
    private var isLoading = false
    /// What the last failures left behind.
    private var failure: (left: Int, until: Duration, pause: Duration)?

    init(distance: Int = 5) { self.distance = distance }

    /// Whether the next page is to be asked for now; it is under way from then on. `left`: the items after the one in view.
    mutating func begins(left: Int, now: Duration) -> Bool {
        guard !isLoading, left <= distance else { return false }
        if let failure, left >= failure.left, now < failure.until { return false }
        isLoading = true
        return true
    }

    /// The user asks for it: there is no more waiting after a failure.
    mutating func hurry() { failure?.until = .zero }

    mutating func loaded() {
        isLoading = false
        failure = nil
    }

    /// True for the first failure in a row: the one that the user sees.
    mutating func failed(left: Int, now: Duration) -> Bool {
        isLoading = false
        let pause = failure.map { min($0.pause * 2, PageAhead.longestPause) } ?? PageAhead.shortestPause
        defer { failure = (left, now + pause, pause) }
        return failure == nil
    }

    /// When `begins` may answer differently although nothing happens; nil if it will not.
    func nextWake(left: Int) -> Duration? { !isLoading && left <= distance ? failure?.until : nil }
}
