import Model

/// How close the screen has to come to the canvas, in the cells that show
/// pictures. Text, and what the overlay draws, is exact at every precision.
///
/// A cell of a picture whose error is invisible stays as it is, and is written in colours that are set already where
/// those are near enough. `PerceptualErrors` sets the limit for each cell. Only 24-bit colours are approximated.
public struct Precision: Hashable, Sendable {
    /// 0 (the screen equals the canvas) … 1 (only the grossest changes are written).
    public let tolerance: Double

    /// - Parameter tolerance: 0 … 1; others become the nearer of the two, NaN becomes 0.
    public init(tolerance: Double) {
        self.tolerance = tolerance.isNaN ? 0 : min(max(tolerance, 0), 1)
    }

    /// The screen equals the canvas.
    public static let exact = Precision(tolerance: 0)

    /// The error cannot be seen while the picture moves.
    public static let moving = Precision(tolerance: 0.25)

    /// The error cannot be seen in the first picture of another clip: for some tenths of a second after a
    /// cut the eye sees less detail (Seyler and Budrikis, "Detail Perception after Scene Changes in Television Image
    /// Presentations", 1965).
    public static let cut = Precision(tolerance: 0.33)

    public var isExact: Bool { tolerance == 0 }
}

// Updates that need not be exact, or must not be longer than a budget.
extension Encoder {
    /// What one trial came to.
    private struct Trial {
        var cells = 0
        /// Rows that something was written in.
        var rows = 0
        var isExact = true
        var isCut = false
    }

    /// Appends the bytes that bring the screen as close to `canvas` as `precision` requires, or as `room` bytes allow.
    ///
    /// If these are not enough, the tolerance is raised all over the screen. Only
    /// if 1 is not enough either, rows are left out, and come first the next time.
    mutating func approximate(
        _ canvas: borrowing Canvas, into buffer: inout ByteBuffer, within room: Int, _ precision: Precision
    ) -> PaintStats {
        let least = precision.tolerance
        guard errors.measure(canvas, colors: colors, glyphs: glyphs) else {
            firstRow = 0
            return PaintStats(tolerance: least)
        }
        let start = buffer.count
        let before = (pen: pen, knowsScreen: knowsScreen)
        var search = ToleranceSearch(least: least, room: room)
        // The pictures of a clip cost much the same one after the other.
        var tolerance = room == .max ? least : max(least, lastTolerance)
        var trial: Trial
        while true {
            trial = write(canvas, RowAllowances(tolerance, rounds: !precision.isExact), into: &buffer)
            let bytes = buffer.count - start
            guard room != .max, let next = search.next(after: tolerance, bytes: bytes) else { break }
            if bytes > room { rowCosts.noteTooLarge() }
            tolerance = next
            buffer.shorten(to: start)
            (pen, knowsScreen) = before
        }
        lastTolerance = room == .max ? 0 : tolerance
        if let finer = search.finer, let rows = rowCosts.middle(total: buffer.count - start, room: room) {
            buffer.shorten(to: start)
            (pen, knowsScreen) = before
            trial = write(
                canvas, RowAllowances(tolerance, finer: finer, in: rows, rounds: !precision.isExact), into: &buffer)
            if buffer.count - start > room {
                buffer.shorten(to: start)
                (pen, knowsScreen) = before
                trial = write(canvas, RowAllowances(tolerance, rounds: !precision.isExact), into: &buffer)
            }
        }
        if buffer.count - start > room, trial.rows > 1 {
            buffer.shorten(to: start)
            (pen, knowsScreen) = before
            trial = write(
                canvas, RowAllowances(tolerance, rounds: !precision.isExact), into: &buffer, atMost: room)
        }
        if !trial.isCut { firstRow = 0 }
        keepWritten()
        let figures = PaintStats(cells: trial.cells, isExact: trial.isExact, tolerance: tolerance)
        return trial.rows == 0 ? figures : end(&buffer, figures, from: start)
    }

    /// Writes all rows, or those that find room: at least one. What the screen then shows is in `nextColors` and
    /// `nextGlyphs`, in the rows that `writtenRows` names.
    private mutating func write(
        _ canvas: borrowing Canvas, _ allowances: RowAllowances, into buffer: inout ByteBuffer, atMost room: Int = .max
    ) -> Trial {
        let start = buffer.count
        var trial = Trial()
        writtenRows.base.update(repeating: 0, count: writtenRows.count)
        for index in 0..<size.rows {
            let row = firstRow + index < size.rows ? firstRow + index : firstRow + index - size.rows
            rowCosts.newest[row] = 0
            guard errors.greatest[row] > 0 else { continue }
            let allowance = allowances[row]
            let begin = row * size.columns
            let line = ApproximateRow(
                new: CellRow(colors: canvas.colors.base + begin, glyphs: canvas.glyphs.base + begin),
                marks: canvas.pictureCells.base + begin, errors: errors.values.base + begin,
                slack: errors.slack(row: row), columns: size.columns, allowance: allowance)
            let first =
                errors.greatest[row] > allowance.error ? line.next(from: 0, isBeside: false) : size.columns
            guard first < size.columns else {
                trial.isExact = false
                continue
            }
            if trial.rows == 0 { beginUpdate(&buffer) }
            let before = (pen: pen, count: buffer.count)
            let shown = CellRow(colors: nextColors.base + begin, glyphs: nextGlyphs.base + begin)
            shown.colors.update(from: colors.base + begin, count: size.columns)
            shown.glyphs.update(from: glyphs.base + begin, count: size.columns)
            pen.out = buffer.reserve((size.columns + 1) * Pen.bytesPerCell)
            let cells = write(line, shown: shown, row: row, from: first, into: &buffer)
            buffer.commit(upTo: pen.out)
            if buffer.count - start > room, trial.rows > 0 {
                buffer.shorten(to: before.count)
                pen = before.pen
                firstRow = row
                (trial.isCut, trial.isExact) = (true, false)
                return trial
            }
            writtenRows[row] = 1
            rowCosts.newest[row] = Int32(buffer.count - before.count)
            trial.rows += 1
            trial.cells += cells
            if trial.isExact {
                trial.isExact = line.new.firstDifference(from: shown, at: 0, count: size.columns) == size.columns
            }
        }
        return trial
    }

    /// The last trial is what the terminal gets.
    private func keepWritten() {
        for row in 0..<size.rows where writtenRows[row] == 1 {
            let begin = row * size.columns
            (colors.base + begin).update(from: nextColors.base + begin, count: size.columns)
            (glyphs.base + begin).update(from: nextGlyphs.base + begin, count: size.columns)
        }
    }

    // MARK: Cells

    /// Writes one row from column `first` on, and notes its resulting
    /// look in `shown`. Returns how many differing cells were written.
    @inline(__always)
    private mutating func write(
        _ line: ApproximateRow, shown: CellRow, row: Int, from first: Int, into buffer: inout ByteBuffer
    ) -> Int {
        // A local copy stays in registers.
        var pen = self.pen
        defer { self.pen = pen }
        var changed = 0
        var column = first
        while column < size.columns {
            approach(column, row: row, line, shown: shown, &pen)
            let cell: PaintedCell
            var (length, width) = (0, 1)
            let isPicture = line.isPicture(column)
            if isPicture {
                cell =
                    line.new.isPixels(column)
                    ? pen.pixels(at: column, of: line) : pen.character(at: column, of: line)
                // Beyond ASCII it takes three bytes or four.
                length = pen.out[-1] < 0x80 ? 1 : 3
            } else {
                cell = PaintedCell(glyph: line.new.glyphs[column], colors: line.new.colors[column])
                width = column + 1 < size.columns && line.new.glyphs[column + 1] == Glyph.continuation.code ? 2 : 1
                length = text(line.new, at: column, width: width, &pen, &buffer)
            }
            shown.glyphs[column] = cell.glyph
            shown.colors[column] = cell.colors
            changed += 1
            if width == 2 {
                if line.errors[column + 1] > 0 { changed += 1 }
                shown.glyphs[column + 1] = line.new.glyphs[column + 1]
                shown.colors[column + 1] = line.new.colors[column + 1]
            }
            column += width
            pen.column = column
            if capabilities.repeats, width == 1, length > 0 {
                column = writeRun(
                    of: cell, length, isPicture: isPicture, from: column, line, shown: shown, &pen, &changed)
            }
            column = line.next(from: column, isBeside: true)
        }
        return changed
    }

    /// Repeats the character just written over the cells that may look like it, where that is shorter. Returns the
    /// column after the last of them.
    @inline(__always)
    private func writeRun(
        of cell: PaintedCell, _ length: Int, isPicture: Bool, from column: Int, _ line: ApproximateRow, shown: CellRow,
        _ pen: inout Pen, _ changed: inout Int
    ) -> Int {
        var (ahead, end) = (column, column)
        while ahead < size.columns {
            if isPicture {
                guard line.allows(cell, at: ahead) else { break }
            } else {
                guard !line.isPicture(ahead), line.new.glyphs[ahead] == cell.glyph,
                    line.new.colors[ahead] == cell.colors
                else { break }
            }
            ahead += 1
            if line.isWanted(ahead - 1) { end = ahead }
        }
        guard end > column, (end - column) * length > Pen.controlLength(end - column) else { return column }
        pen.control(end - column, 0x62)
        pen.column = end
        for each in column..<end {
            if line.errors[each] > 0 { changed += 1 }
            shown.glyphs[each] = cell.glyph
            shown.colors[each] = cell.colors
        }
        return end
    }

    /// Brings the cursor to `column`: by a move, or by spaces where those are shorter and the cells between may be of
    /// the colour that is set.
    @inline(__always)
    private func approach(_ column: Int, row: Int, _ line: ApproximateRow, shown: CellRow, _ pen: inout Pen) {
        guard pen.row == row, pen.column >= 0, pen.column < column else {
            if pen.row != row || pen.column != column { pen.move(row: row, column: column, columns: size.columns) }
            return
        }
        let gap = pen.column..<column
        if gap.count < Pen.controlLength(gap.count), pen.style == 0, pen.background != Pen.unknown {
            let blank = PaintedCell(
                glyph: Glyph.space.code, colors: UInt64(pen.background) | UInt64(pen.background) << 32)
            if gap.allSatisfy({ line.allows(blank, at: $0) }) {
                for each in gap {
                    pen.byte(0x20)
                    shown.glyphs[each] = blank.glyph
                    shown.colors[each] = blank.colors
                }
                pen.column = column
                return
            }
        }
        pen.move(row: row, column: column, columns: size.columns)
    }
}
