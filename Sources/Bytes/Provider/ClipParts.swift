/// Parts of a clip, as fractions of it.
enum ClipParts {
    /// In order, within 0 … 1. Merges parts that are less than a thousandth apart, because rounding the times of
    /// segments leaves small gaps.
    static func merged(_ parts: [(Double, Double)]) -> [ClosedRange<Double>] {
        var merged: [ClosedRange<Double>] = []
        for (from, to) in parts.sorted(by: { $0.0 < $1.0 }) {
            let (from, to) = (min(max(from, 0), 1), min(max(to, 0), 1))
            guard from < to else { continue }
            if let last = merged.last, from <= last.upperBound + 0.001 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, to)
            } else {
                merged.append(from...to)
            }
        }
        return merged
    }
}
