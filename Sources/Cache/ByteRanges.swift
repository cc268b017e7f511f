/// A set of byte offsets: disjoint closed ranges in order, merged where they overlap or touch. A value.
///
/// The ranges lie in leaves of at most `leafLimit`. The leaves lie in one array,
/// with their first bytes in a second one. Two binary searches find a place, and an
/// insertion moves one leaf at most. Copies share leaves until one of them changes.
package struct ByteRanges: Sendable {
    private struct Span: Equatable {
        var lower: Int64
        var upper: Int64
    }

    /// The place of a span. The end is (`leaves.count`, 0).
    private struct Place {
        var leaf: Int
        var index: Int
    }

    private static let leafLimit = 256

    /// No leaf is empty.
    private var leaves: [[Span]] = []
    /// The first byte of each leaf.
    private var firsts: [Int64] = []

    package init() {}

    /// Whether the set is empty.
    package var isEmpty: Bool { leaves.isEmpty }

    /// All ranges in order. O(n).
    package var ranges: [ClosedRange<Int64>] { leaves.flatMap { leaf in leaf.map { $0.lower...$0.upper } } }

    /// O(log n), plus the ranges that are merged.
    package mutating func insert(_ range: ClosedRange<Int64>) {
        var span = Span(lower: range.lowerBound, upper: range.upperBound)
        // Also merges neighbours that touch the range. The checks avoid an overflow at Int64's ends.
        let first = place(reaching: span.lower == .min ? .min : span.lower - 1)
        let last = span.upper == .max ? Int64.max : span.upper + 1
        guard first.leaf < leaves.count, leaves[first.leaf][first.index].lower <= last else {
            return add(span, at: first)
        }
        var end = first
        while end.leaf < leaves.count, leaves[end.leaf][end.index].lower <= last {
            let swallowed = leaves[end.leaf][end.index]
            span.lower = min(span.lower, swallowed.lower)
            span.upper = max(span.upper, swallowed.upper)
            end = place(after: end)
        }
        replace(from: first, to: end, with: [span])
    }

    /// O(log n), plus the ranges that are removed.
    package mutating func remove(_ range: ClosedRange<Int64>) {
        let first = place(reaching: range.lowerBound)
        var rest: [Span] = []
        var end = first
        while end.leaf < leaves.count, leaves[end.leaf][end.index].lower <= range.upperBound {
            let span = leaves[end.leaf][end.index]
            // Cannot overflow: the span has a byte beyond the range's end.
            if span.lower < range.lowerBound { rest.append(Span(lower: span.lower, upper: range.lowerBound - 1)) }
            if span.upper > range.upperBound { rest.append(Span(lower: range.upperBound + 1, upper: span.upper)) }
            end = place(after: end)
        }
        if end.leaf != first.leaf || end.index != first.index { replace(from: first, to: end, with: rest) }
    }

    /// How many bytes from `offset` on are in the set without a gap, at most `Int64.max`. O(log n).
    package func prefix(from offset: Int64) -> Int64 {
        guard let span = span(reaching: offset), span.lower <= offset else { return 0 }
        return Int64(clamping: Int128(span.upper) - Int128(offset) + 1)
    }

    /// The first missing run of bytes of `range`; nil if the range is complete. O(log n).
    package func firstGap(in range: ClosedRange<Int64>) -> ClosedRange<Int64>? {
        guard let span = span(reaching: range.lowerBound) else { return range }
        if span.lower > range.lowerBound { return range.lowerBound...min(span.lower - 1, range.upperBound) }
        guard span.upper < range.upperBound else { return nil }
        // Spans never touch, so the byte after one is missing.
        let start = span.upper + 1
        guard let next = self.span(reaching: start) else { return start...range.upperBound }
        return start...min(next.lower - 1, range.upperBound)
    }

    /// All bytes of `range` that are missing, in order.
    package func gaps(in range: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        var gaps: [ClosedRange<Int64>] = []
        var rest = range
        while let gap = firstGap(in: rest) {
            gaps.append(gap)
            if gap.upperBound == range.upperBound { break }
            rest = gap.upperBound + 1...range.upperBound
        }
        return gaps
    }

    // MARK: - Places

    /// The place of the first span that ends at `offset` or later.
    private func place(reaching offset: Int64) -> Place {
        var (low, high) = (0, firsts.count)
        while low < high {
            let middle = (low + high) / 2
            if firsts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        // The previous leaf has the last span that begins at `offset` or
        // earlier; all spans before that one end earlier.
        guard low > 0 else { return Place(leaf: 0, index: 0) }
        let leaf = low - 1
        let index = leaves[leaf].withUnsafeBufferPointer { spans in
            var (low, high) = (0, spans.count)
            while low < high {
                let middle = (low + high) / 2
                if spans[middle].upper < offset { low = middle + 1 } else { high = middle }
            }
            return low
        }
        return index < leaves[leaf].count ? Place(leaf: leaf, index: index) : Place(leaf: leaf + 1, index: 0)
    }

    private func span(reaching offset: Int64) -> Span? {
        let place = place(reaching: offset)
        return place.leaf < leaves.count ? leaves[place.leaf][place.index] : nil
    }

    private func place(after place: Place) -> Place {
        place.index + 1 < leaves[place.leaf].count
            ? Place(leaf: place.leaf, index: place.index + 1) : Place(leaf: place.leaf + 1, index: 0)
    }

    // MARK: - Changing leaves

    private mutating func add(_ span: Span, at place: Place) {
        guard !leaves.isEmpty else {
            leaves = [[span]]
            firsts = [span.lower]
            return
        }
        // A span in front of a leaf goes to the end of the previous leaf.
        let leaf = place.index == 0 && place.leaf > 0 ? place.leaf - 1 : place.leaf
        let index = leaf == place.leaf ? place.index : leaves[leaf].count
        leaves[leaf].insert(span, at: index)
        balance(leaf)
    }

    private mutating func replace(from first: Place, to end: Place, with spans: [Span]) {
        if end.leaf == first.leaf {
            leaves[first.leaf].replaceSubrange(first.index..<end.index, with: spans)
        } else {
            leaves[first.leaf].replaceSubrange(first.index..., with: spans)
            if end.index > 0 { leaves[end.leaf].removeFirst(end.index) }
            if end.index > 0 { firsts[end.leaf] = leaves[end.leaf][0].lower }
            leaves.removeSubrange(first.leaf + 1..<end.leaf)
            firsts.removeSubrange(first.leaf + 1..<end.leaf)
        }
        balance(first.leaf)
    }

    /// After a change: corrects the leaf's first byte, splits the leaf if it is too large, and merges it with the next
    /// if both are small.
    private mutating func balance(_ leaf: Int) {
        let size = leaves[leaf].count
        if size == 0 {
            leaves.remove(at: leaf)
            firsts.remove(at: leaf)
        } else if size > Self.leafLimit {
            let half = Array(leaves[leaf][(size / 2)...])
            leaves[leaf].removeSubrange((size / 2)...)
            leaves.insert(half, at: leaf + 1)
            firsts[leaf] = leaves[leaf][0].lower
            firsts.insert(half[0].lower, at: leaf + 1)
        } else {
            firsts[leaf] = leaves[leaf][0].lower
            // Without this, removals would leave a long array of nearly empty leaves.
            if leaf + 1 < leaves.count, size + leaves[leaf + 1].count < Self.leafLimit / 2 {
                leaves[leaf] += leaves[leaf + 1]
                leaves.remove(at: leaf + 1)
                firsts.remove(at: leaf + 1)
            }
        }
    }
}

extension ByteRanges: Equatable {
    /// Whether both contain the same bytes, however their leaves are divided.
    package static func == (one: ByteRanges, other: ByteRanges) -> Bool {
        one.leaves.joined().elementsEqual(other.leaves.joined())
    }
}

extension Int64 {
    /// `self + count`, limited to the largest and smallest Int64: offsets come from servers and files.
    package func advanced(upTo count: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(count)
        return overflows ? .max : sum
    }
}
