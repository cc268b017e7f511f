/// The least rate of a text that may go on for ever: one that is slower is given up. Pure.
struct MinimumRate: Sendable {
    /// The time over which it is measured: of waiting for bytes, without what the reader does in between.
    static let span: Duration = .seconds(30)
    /// The fewest bytes in that time. Any item has more.
    static let least = 64

    private var waited = Duration.zero
    private var got = 0

    /// Counts bytes that came after a wait. False once too few came in `span`.
    mutating func isMet(_ bytes: Int, after wait: Duration) -> Bool {
        waited += wait
        got += bytes
        guard waited >= MinimumRate.span else { return true }
        defer { (waited, got) = (.zero, 0) }
        return got >= MinimumRate.least
    }
}
