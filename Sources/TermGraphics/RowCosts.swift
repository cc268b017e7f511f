/// The tolerances of an update's rows: one for all, and a finer
/// one for those in the middle, which viewers look at most.
struct RowAllowances {
    private let outside: ColorTolerance
    private let inside: ColorTolerance
    private let rows: Range<Int>

    init(_ tolerance: Double, rounds: Bool) {
        outside = ColorTolerance(tolerance: tolerance, rounds: rounds)
        (inside, rows) = (outside, 0..<0)
    }

    init(_ tolerance: Double, finer: Double, in rows: Range<Int>, rounds: Bool) {
        outside = ColorTolerance(tolerance: tolerance, rounds: rounds)
        inside = ColorTolerance(tolerance: finer, rounds: rounds)
        self.rows = rows
    }

    subscript(row: Int) -> ColorTolerance { rows.contains(row) ? inside : outside }
}

/// The cost of each row of an update, in the current trial and in the last one that did not fit.
struct RowCosts: ~Copyable {
    /// Bytes per row, of the current trial.
    let newest: Plane<Int32>
    private let tooLarge: Plane<Int32>

    init(rows: Int) {
        newest = Plane(count: rows, filledWith: 0)
        tooLarge = Plane(count: rows, filledWith: 0)
    }

    /// The current trial does not fit.
    func noteTooLarge() { tooLarge.base.update(from: newest.base, count: newest.count) }

    /// The rows around the middle that can be as fine as in the trial that did
    /// not fit, when the others are as in the current one; nil if no row can.
    ///
    /// - Parameters:
    ///   - total: the bytes of the current trial.
    ///   - room: in bytes.
    func middle(total: Int, room: Int) -> Range<Int>? {
        // The first cell of a row may cost more when the row before ends in another colour.
        var left = room - room / 64 - total
        let middle = newest.count / 2
        var rows = middle..<middle
        while rows.count < newest.count {
            let isNextBelow = middle - rows.lowerBound >= rows.upperBound - middle || rows.lowerBound == 0
            let row = isNextBelow && rows.upperBound < newest.count ? rows.upperBound : rows.lowerBound - 1
            left -= Int(tooLarge[row] - newest[row])
            guard left >= 0 else { break }
            rows = min(rows.lowerBound, row)..<max(rows.upperBound, row + 1)
        }
        return rows.isEmpty ? nil : rows
    }
}
