import Model

// Differences where the terminal shows the pixels themselves.
extension Canvas {
    /// The last rows of cells in which no pixels can be drawn. A picture ends above them, and its backdrop continues:
    /// cells of one colour each would look like a plinth.
    var rowsWithoutPixels: Int { pictureMode.hasPixels && !pictureMode.isBelowText ? 1 : 0 }

    /// Leaves a row to the pixels that can be shown there; text is drawn over it.
    func clearCells(row: Int) {
        let begin = row * size.columns
        glyphs.base.advanced(by: begin).update(repeating: PaintedCell.clear.glyph, count: size.columns)
        colors.base.advanced(by: begin).update(repeating: PaintedCell.clear.colors, count: size.columns)
        guard row >= size.rows - rowsWithoutPixels else { return }
        // No picture can be drawn in the last row: terminals make room for a row below it, and everything moves up. It
        // gets the pixels' colours.
        for column in 0..<size.columns {
            let mean = meanColor(
                of: pixels.base, samples: pictures.samplesPerCell, columns: size.columns, column: column, row: row)
            let ground = color == .mono ? 0 : quantiser.plain(mean)
            colors[begin + column] = UInt64(ground) | UInt64(ground) << 32
        }
    }

    /// As `darken`, and the darkness changes gradually between the cells
    /// of a row too: otherwise the edges of cells would be visible.
    ///
    /// - Parameter own: the darkness of the row's cells; in memory, the
    ///   rows beside it are directly above and below, if they exist.
    func darkenSmoothly(row: Int, by own: UnsafePointer<UInt8>) {
        let samples = pictures.samplesPerCell
        let (columns, width) = (size.columns, size.columns * samples.width)
        let above = row > 0 ? own - columns : own
        let below = row + 1 < size.rows ? own + columns : own
        for y in 0..<samples.height {
            // The middle of this row of pixels, in 16ths of the cell's height from its middle.
            let place = (16 * y + 8) / samples.height - 8
            let (beside, share) = place < 0 ? (above, Int32(-place)) : (below, Int32(place))
            let line = pixels.base + (row * samples.height + y) * width
            let pattern = Self.pattern(row: row * samples.height + y)
            /// The darkness in the middle of a column, in 16ths.
            func depth(_ column: Int) -> Int32 {
                let column = min(max(column, 0), columns - 1)
                return Int32(own[column]) * (16 - share) + Int32(beside[column]) * share
            }
            var (before, here) = (depth(0), depth(0))
            for column in 0..<columns {
                let after = depth(column + 1)
                defer { (before, here) = (here, after) }
                guard before | here | after != 0 else { continue }
                let cell = line + column * samples.width
                for x in 0..<samples.width {
                    let place = Int32((16 * x + 8) / samples.width - 8)
                    let depth = here * 16 + (place < 0 ? (here - before) * place : (after - here) * place)
                    let rounding = Int32(truncatingIfNeeded: pattern[(column * samples.width + x) & 3])
                    // In 256ths, rounded up or down by the pattern; nothing where there is no darkness at all.
                    let shade = depth == 0 ? 0 : (depth + rounding * 16 + 8) >> 8
                    cell[x] = shaded(cell[x], by: UInt8(truncatingIfNeeded: min(shade, 255)))
                }
            }
        }
    }

    /// The colours of a glyph that stands over the pixels. Its ground is painted into those: not every terminal shows a
    /// cell's own colour behind text that stands over a picture.
    func colorsAbovePixels(of cell: Cell, column: Int, row: Int, isWide: Bool) -> (UInt32, UInt32) {
        let columns = column..<(isWide ? column + 2 : column + 1)
        let isOpaque = cell.style.contains(.opaque)
        guard cell.opacity < 255 else {
            guard isOpaque else { return (cell.foreground.packed, PaintedCell.noGround) }
            for column in columns {
                eachSample(column: column, row: row) { $0.pointee = cell.background.packed }
            }
            return (cell.foreground.packed, cell.background.packed)
        }
        let weight = UInt32(cell.opacity) + UInt32(cell.opacity >> 7)
        if isOpaque {
            for column in columns {
                eachSample(column: column, row: row) {
                    $0.pointee = blend($0.pointee, with: cell.background.packed, weight: weight)
                }
            }
        }
        let below = meanColor(
            of: pixels.base, samples: pictures.samplesPerCell, columns: size.columns, column: column, row: row)
        return (blend(below, with: cell.foreground.packed, weight: weight), PaintedCell.noGround)
    }
}

/// The mean colour of a rectangle of more pixels than
/// `meanColor(of:samples:columns:column:row:)` has room for in its sums.
func meanColor(of pixels: UnsafePointer<UInt32>, size: PixelSize, stride: Int) -> UInt32 {
    var (red, green, blue) = (0, 0, 0)
    for y in 0..<size.height {
        for x in 0..<size.width {
            let pixel = Int(pixels[y * stride + x])
            red += pixel >> 16 & 0xFF
            green += pixel >> 8 & 0xFF
            blue += pixel & 0xFF
        }
    }
    let count = size.width * size.height
    func mean(_ sum: Int) -> UInt32 { UInt32((sum + count / 2) / count) }
    return mean(red) << 16 | mean(green) << 8 | mean(blue)
}
