/// The pieces of one asset that a process knows, disjoint and in order, and which of them it has verified. Pure.
struct PieceTable {
    private struct Known {
        var piece: Piece
        var isVerified: Bool
    }

    private var known: [Known] = []
    private(set) var ranges = ByteRanges()

    var pieces: [Piece] { known.map(\.piece) }

    /// The piece that contains a byte, and whether it was verified.
    func piece(at offset: Int64) -> (piece: Piece, isVerified: Bool)? {
        let index = index(reaching: offset)
        guard index < known.count, known[index].piece.start <= offset else { return nil }
        return (known[index].piece, known[index].isVerified)
    }

    /// How many verified bytes follow from `offset` on without a gap, at most `limit`.
    func verified(from offset: Int64, upTo limit: Int) -> Int {
        var index = index(reaching: offset)
        var end = offset
        while index < known.count, known[index].isVerified, known[index].piece.start <= end, end - offset < limit {
            end = known[index].piece.range.upperBound + 1
            index += 1
        }
        return min(Int(end - offset), limit)
    }

    /// Adds a piece and removes those that it overlaps.
    mutating func insert(_ piece: Piece, isVerified: Bool) {
        remove(overlapping: piece.range)
        known.insert(Known(piece: piece, isVerified: isVerified), at: index(reaching: piece.start))
        ranges.insert(piece.range)
    }

    /// Marks a piece as verified, if it is unchanged in the table.
    mutating func markVerified(_ piece: Piece) {
        let index = index(reaching: piece.start)
        if index < known.count, known[index].piece == piece { known[index].isVerified = true }
    }

    /// The pieces in `range` must be verified again.
    mutating func markUnverified(_ range: ClosedRange<Int64>) {
        var index = index(reaching: range.lowerBound)
        while index < known.count, known[index].piece.start <= range.upperBound {
            known[index].isVerified = false
            index += 1
        }
    }

    /// Removes whole pieces, also those that reach beyond `range`.
    mutating func remove(overlapping range: ClosedRange<Int64>) {
        let first = index(reaching: range.lowerBound)
        var end = first
        while end < known.count, known[end].piece.start <= range.upperBound {
            ranges.remove(known[end].piece.range)
            end += 1
        }
        known.removeSubrange(first..<end)
    }

    mutating func removeAll() { self = PieceTable() }

    /// The index of the first piece that ends at `offset` or later.
    private func index(reaching offset: Int64) -> Int {
        var (low, high) = (0, known.count)
        while low < high {
            let middle = (low + high) / 2
            if known[middle].piece.range.upperBound < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
