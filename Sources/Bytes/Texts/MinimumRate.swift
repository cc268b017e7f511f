/// The minimum rate of a text that may be endless; a slower transfer fails. Pure.
struct MinimumRate: Sendable {
    /// The time over which the rate is measured: only time spent waiting for bytes counts.
    static let span: Duration = .seconds(30)
    /// The fewest bytes in that time. Any item has more.
    static let least = 64

    private var waited = Duration.zero
    private var got = 0

    /// Counts bytes that arrived after a wait. False once too few arrived in `span`.
    mutating func isMet(_ bytes: Int, after wait: Duration) -> Bool {
        waited += wait
        got += bytes
        guard waited >= MinimumRate.span else { return true }
        defer { (waited, got) = (.zero, 0) }
        return got >= MinimumRate.least
    }
}
