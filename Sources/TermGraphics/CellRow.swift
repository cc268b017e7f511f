import Model

/// One row of a grid of cells, for the encoder's comparisons. Columns are not checked.
struct CellRow {
    let colors: UnsafeMutablePointer<UInt64>
    let glyphs: UnsafeMutablePointer<UInt32>

    @inline(__always)
    func upper(_ column: Int) -> UInt32 { UInt32(truncatingIfNeeded: colors[column]) & 0xFF_FFFF }

    @inline(__always)
    func lower(_ column: Int) -> UInt32 { UInt32(truncatingIfNeeded: colors[column] >> 32) }

    @inline(__always)
    func differs(from other: CellRow, at column: Int) -> Bool {
        colors[column] != other.colors[column] || glyphs[column] != other.glyphs[column]
    }

    /// The first column from `start` on that differs, or `count`.
    @inline(__always)
    func firstDifference(from other: CellRow, at start: Int, count: Int) -> Int {
        var column = start
        // Four cells at a time: most cells of a still page are equal.
        while column + 4 <= count {
            let color =
                (colors[column] ^ other.colors[column]) | (colors[column + 1] ^ other.colors[column + 1])
                | (colors[column + 2] ^ other.colors[column + 2]) | (colors[column + 3] ^ other.colors[column + 3])
            let glyph =
                (glyphs[column] ^ other.glyphs[column]) | (glyphs[column + 1] ^ other.glyphs[column + 1])
                | (glyphs[column + 2] ^ other.glyphs[column + 2]) | (glyphs[column + 3] ^ other.glyphs[column + 3])
            if color | UInt64(glyph) != 0 { break }
            column += 4
        }
        while column < count, !differs(from: other, at: column) { column += 1 }
        return column
    }

    /// The last column that differs; one does.
    func lastDifference(from other: CellRow, _ columns: Int) -> Int {
        var column = columns - 1
        while column > 0, !differs(from: other, at: column) { column -= 1 }
        return column
    }

    /// The first column from which all cells to the end are one and the same plain colour.
    func uniformTail(_ columns: Int) -> Int {
        guard columns > 0, upper(columns - 1) == lower(columns - 1) else { return columns }
        let last = colors[columns - 1]
        var column = columns
        while column > 0, glyphs[column - 1] == PaintedCell.pixelPair, colors[column - 1] == last { column -= 1 }
        return column
    }

    /// The end of the run of cells like the one at `column`, no further than the last that differs.
    @inline(__always)
    func run(at column: Int, over other: CellRow, _ columns: Int) -> Int {
        var end = column + 1
        var changed = end
        while end < columns, colors[end] == colors[column], glyphs[end] == glyphs[column] {
            if differs(from: other, at: end) { changed = end + 1 }
            end += 1
        }
        return changed
    }
}
