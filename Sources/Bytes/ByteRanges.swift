/// A set of bytes, as disjoint closed ranges in order, merged where they overlap or touch (L2).
struct ByteRanges: Equatable, Sendable {
    init() { fatalError("to come") }
    /// Whether it holds nothing.
    var isEmpty: Bool { fatalError("to come") }
    /// How many bytes it holds.
    var total: Int64 { fatalError("to come") }
    /// In order.
    var ranges: [ClosedRange<Int64>] { fatalError("to come") }
    mutating func insert(_ range: ClosedRange<Int64>) { fatalError("to come") }
    mutating func remove(_ range: ClosedRange<Int64>) { fatalError("to come") }
    /// How many bytes from `offset` on are held without a gap. O(log n).
    func prefix(from offset: Int64) -> Int64 { fatalError("to come") }
    /// The first bytes of `range` that are not held; nil if all are. O(log n).
    func firstGap(in range: ClosedRange<Int64>) -> ClosedRange<Int64>? { fatalError("to come") }
}
