import Model

/// One row of a grid of cells, for the encoder's comparisons. Columns are not checked.
struct CellRow {
    let colors: UnsafeMutablePointer<UInt64>
    let glyphs: UnsafeMutablePointer<UInt32>

    @inline(__always)
    func foreground(_ column: Int) -> UInt32 { UInt32(truncatingIfNeeded: colors[column]) & 0xFF_FFFF }

    @inline(__always)
    func background(_ column: Int) -> UInt32 { UInt32(truncatingIfNeeded: colors[column] >> 32) }

    /// Nothing but the pixels of a picture below: the colour of a letter does not matter there.
    @inline(__always)
    func isClear(_ column: Int) -> Bool {
        colors[column] == PaintedCell.clear.colors && glyphs[column] == PaintedCell.clear.glyph
    }

    /// Two plain colours, one above the other (a space is twice the same
    /// one), which can be written in more than one way. Not used in mono.
    @inline(__always)
    func isPixels(_ column: Int) -> Bool {
        (glyphs[column] == HalfBlock.upper || glyphs[column] == Glyph.space.code)
            && colors[column] & 0xFF00_0000_FF00_0000 == 0
    }

    /// The character that shows a plain cell of parts with its colours swapped; nil for other cells. Not used in mono.
    @inline(__always)
    func inverse(_ column: Int) -> UInt32? {
        guard colors[column] & 0xFF00_0000 == 0 else { return nil }
        let inverse = PartGlyphs.inverse(of: glyphs[column])
        return inverse == 0 ? nil : inverse
    }

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
