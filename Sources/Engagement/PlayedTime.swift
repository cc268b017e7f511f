/// Which parts of a clip were played: disjoint stretches of its time in order,
/// merged where they overlap or touch. A value.
///
/// There are as many as the user has jumped to places that had not been played, at most.
struct PlayedTime: Sendable, Equatable {
    private(set) var stretches: [Range<Duration>] = []

    /// Adds a stretch; an empty or reversed one adds nothing. O(log n), plus what is merged or moved.
    mutating func insert(from lower: Duration, to upper: Duration) {
        guard lower < upper else { return }
        let first = index { $0.upperBound >= lower }
        let end = index { $0.lowerBound > upper }
        let touched = stretches[first..<end]
        let merged = min(lower, touched.first?.lowerBound ?? lower)..<max(upper, touched.last?.upperBound ?? upper)
        stretches.replaceSubrange(first..<end, with: [merged])
    }

    /// How much of a clip's first `duration` was played.
    func total(within duration: Duration) -> Duration {
        stretches.reduce(.zero) { $0 + max(min($1.upperBound, duration) - $1.lowerBound, .zero) }
    }

    /// The first stretch that `isBeyond`, which holds for none before it and all after it.
    private func index(where isBeyond: (Range<Duration>) -> Bool) -> Int {
        var (low, high) = (0, stretches.count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(stretches[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
