import Model

/// What the terminal is known to understand beyond SGR and cursor moves.
public struct EncoderCapabilities: Hashable, Sendable {
    /// Mode 2026: an update is shown at once, not while it arrives.
    public var synchronised: Bool
    /// REP (`CSI n b`, terminfo `rep`) repeats the character before.
    public var repeats: Bool
    /// Characters beyond ASCII can be shown; otherwise each becomes a question mark.
    public var unicode: Bool
    /// A full block fills its cell. A font's may be lower than the cell, and then the background is seen as a line.
    public var fullBlocks: Bool

    public init(synchronised: Bool = false, repeats: Bool = false, unicode: Bool = true, fullBlocks: Bool = true) {
        self.synchronised = synchronised
        self.repeats = repeats
        self.unicode = unicode
        self.fullBlocks = fullBlocks
    }
}

/// Writes the fewest bytes that make the terminal show a canvas, given its current content.
///
/// Nothing else may write to the terminal between two calls, or `forget()` must be called. The
/// cursor is left anywhere, the colours and the style are left set. Not thread-safe; never blocks.
public struct Encoder: ~Copyable {
    public let size: GridSize
    /// May change between two updates: the screen's content stays known.
    public var capabilities: EncoderCapabilities
    /// What the screen shows.
    let colors: Plane<UInt64>
    let glyphs: Plane<UInt32>
    /// The `pictureCells` of the canvas before.
    private let shownPictures: Plane<UInt8>
    private let decimals: Plane<UInt64>
    var pen: Pen
    var knowsScreen = false
    /// The row that an update begins with: after one that its budget cut short, the first row it left out.
    var firstRow = 0
    /// How far the screen is from the canvas.
    let errors: PerceptualErrors
    /// The screen's content if the current trial is sent, in the rows that are 1 in `writtenRows`.
    let nextColors: Plane<UInt64>
    let nextGlyphs: Plane<UInt32>
    let writtenRows: Plane<UInt8>
    var rowCosts: RowCosts
    /// The tolerance that the last budget came to; 0 after an update without one.
    var lastTolerance = 0.0

    /// A code no cell of a canvas has, so that an unknown cell equals none.
    private static let unknownGlyph: UInt32 = 0xFFFF_FFFE

    /// An encoder for a terminal of `size` cells, of whose contents nothing is known yet.
    public init(size: GridSize, capabilities: EncoderCapabilities) {
        self.size = size
        self.capabilities = capabilities
        colors = Plane(count: size.cells, filledWith: 0)
        glyphs = Plane(count: size.cells, filledWith: Self.unknownGlyph)
        shownPictures = Plane(count: size.cells, filledWith: 0)
        errors = PerceptualErrors(size: size)
        nextColors = Plane(count: size.cells, filledWith: 0)
        nextGlyphs = Plane(count: size.cells, filledWith: Self.unknownGlyph)
        writtenRows = Plane(count: size.rows, filledWith: 0)
        rowCosts = RowCosts(rows: size.rows)
        decimals = Decimals.make()
        // `encode` gives the pen a place to write; until then nothing is written. Only an address of 0 would be nil.
        pen = Pen(out: UnsafeMutablePointer(bitPattern: 8)!, decimals: UnsafePointer(decimals.base), color: .truecolor)
    }

    /// Forgets the screen's content: the next update paints all of it, and starts by resetting the colours.
    public mutating func forget() {
        glyphs.base.update(repeating: Self.unknownGlyph, count: glyphs.count)
        knowsScreen = false
    }

    /// Forgets the content of a rectangle of cells: they are written again.
    public mutating func forget(_ area: GridRect) {
        for row in max(area.row, 0)..<max(min(area.row + area.rows, size.rows), max(area.row, 0)) {
            for column in max(area.column, 0)..<max(min(area.column + area.columns, size.columns), max(area.column, 0))
            {
                glyphs[row * size.columns + column] = Self.unknownGlyph
            }
        }
    }

    /// Cells that are clear on `canvas` are left to pixels that another component draws.
    mutating func leaveClear(_ canvas: borrowing Canvas) {
        for index in 0..<size.cells where canvas.colors[index] == PaintedCell.clear.colors {
            colors[index] = canvas.colors[index]
            glyphs[index] = canvas.glyphs[index]
        }
    }

    /// Cells where pictures and what lies over them have taken each other's place are written again:
    /// - A full block of a picture looks like a blank of a text, but would be copied as one.
    /// - What is left of a closed sheet does not count as a picture that is near enough, nor do its colours, which the
    ///   pen may still have.
    ///
    /// Clear cells are not: where pixels are drawn in place of characters, a blank would erase them.
    private mutating func forgetReplaced(by canvas: borrowing Canvas) {
        var hasPicturesAgain = false
        for row in 0..<size.rows {
            let begin = row * size.columns
            let (old, new) = (shownPictures.base + begin, canvas.pictureCells.base + begin)
            var column = 0
            while column < size.columns {
                // Eight cells at a time: most stay what they are.
                if column + 8 <= size.columns,
                    UnsafeRawPointer(old + column).loadUnaligned(as: UInt64.self)
                        == UnsafeRawPointer(new + column).loadUnaligned(as: UInt64.self)
                {
                    column += 8
                    continue
                }
                let isReplaced = new[column] > old[column] || new[column] < old[column] && isBlank(begin + column)
                if isReplaced, canvas.colors[begin + column] != PaintedCell.clear.colors {
                    glyphs[begin + column] = Self.unknownGlyph
                }
                hasPicturesAgain = hasPicturesAgain || new[column] > old[column]
                column += 1
            }
            old.update(from: new, count: size.columns)
        }
        if hasPicturesAgain { (pen.foreground, pen.background) = (Pen.unknown, Pen.unknown) }
    }

    private func isBlank(_ index: Int) -> Bool { glyphs[index] == Glyph.space.code }

    /// Appends what turns the screen into `canvas`, which is of the encoder's size; nothing, if it shows it already.
    ///
    /// - Parameters:
    ///   - budget: the most bytes to append. 24-bit pictures become coarser to fit. Rows that find no room all the same
    ///     stay as they are, and come first
    ///     the next time. One row is always written.
    ///   - precision: how close to `canvas` 24-bit pictures have to be; all else is exact.
    public mutating func encode(
        _ canvas: borrowing Canvas, into buffer: inout ByteBuffer, within budget: Int = .max,
        precision: Precision = .exact
    ) -> PaintStats {
        precondition(canvas.size == size, "the canvas is the terminal's size")
        if canvas.color != pen.color {
            forget()
            pen.color = canvas.color
        }
        pen.usesBlocks = canvas.pictureMode.needsUnicode && capabilities.fullBlocks
        forgetReplaced(by: canvas)
        let start = buffer.count
        let room =
            budget == .max || !capabilities.synchronised ? budget : budget - SynchronisedUpdate.end.utf8CodeUnitCount
        if canvas.color == .truecolor, capabilities.unicode, budget != .max || !precision.isExact {
            return approximate(canvas, into: &buffer, within: room, precision)
        }
        var changed = 0
        var rows = 0
        for index in 0..<size.rows {
            let row = firstRow + index < size.rows ? firstRow + index : firstRow + index - size.rows
            let begin = row * size.columns
            let new = CellRow(colors: canvas.colors.base + begin, glyphs: canvas.glyphs.base + begin)
            let old = CellRow(colors: colors.base + begin, glyphs: glyphs.base + begin)
            let first = new.firstDifference(from: old, at: 0, count: size.columns)
            guard first < size.columns else { continue }
            if rows == 0 { beginUpdate(&buffer) }
            let before = (pen: pen, count: buffer.count)
            pen.out = buffer.reserve((size.columns + 1) * Pen.bytesPerCell)
            let marks = UnsafePointer(canvas.pictureCells.base + begin)
            let cells = encode(new, over: old, marks: marks, row: row, from: first, into: &buffer)
            buffer.commit(upTo: pen.out)
            if buffer.count - start > room, rows > 0 {
                buffer.shorten(to: before.count)
                pen = before.pen
                firstRow = row
                return end(&buffer, PaintStats(bytes: 0, cells: changed, isExact: false), from: start)
            }
            rows += 1
            changed += cells
            old.colors.update(from: new.colors, count: size.columns)
            old.glyphs.update(from: new.glyphs, count: size.columns)
        }
        firstRow = 0
        return rows == 0 ? PaintStats() : end(&buffer, PaintStats(cells: changed), from: start)
    }

    func end(_ buffer: inout ByteBuffer, _ figures: PaintStats, from start: Int) -> PaintStats {
        if capabilities.synchronised { buffer.append(SynchronisedUpdate.end) }
        var figures = figures
        figures.bytes = buffer.count - start
        return figures
    }

    mutating func beginUpdate(_ buffer: inout ByteBuffer) {
        if capabilities.synchronised { buffer.append(SynchronisedUpdate.begin) }
        guard !knowsScreen else { return }
        buffer.append("\u{1B}[m")
        pen.foreground = Pen.unknown
        pen.background = Pen.unknown
        pen.style = 0
        pen.row = -1
        pen.column = -1
        knowsScreen = true
    }

    /// Writes one row from its first difference on, and returns how many cells differ. `marks` are those of
    /// `Canvas.pictureCells`.
    @inline(__always)
    private mutating func encode(
        _ new: CellRow, over old: CellRow, marks: UnsafePointer<UInt8>, row: Int, from first: Int,
        into buffer: inout ByteBuffer
    ) -> Int {
        let columns = size.columns
        // A local copy stays in registers.
        var pen = self.pen
        defer { self.pen = pen }
        var changed = 0
        var column = first
        let hasPixels = pen.color != .mono && capabilities.unicode
        while column < columns {
            approach(column, row: row, new, &pen)
            var length = 0
            var width = 1
            var isBlock = false
            if hasPixels, new.isPixels(column) {
                let next = column + 1 < columns ? new.colors[column + 1] : 0
                length = pen.pixels(
                    upper: new.foreground(column), lower: new.background(column), next: next,
                    mayBeBlock: marks[column] == 1)
                isBlock = length > 1 && new.glyphs[column] == Glyph.space.code
            } else if hasPixels, let inverse = new.inverse(column) {
                length = pen.parts(
                    new.glyphs[column], or: inverse, ink: new.foreground(column), paper: new.background(column))
            } else {
                width = column + 1 < columns && new.glyphs[column + 1] == Glyph.continuation.code ? 2 : 1
                length = text(new, at: column, width: width, &pen, &buffer)
            }
            pen.column = column + width
            changed += 1
            if width == 2, new.differs(from: old, at: column + 1) { changed += 1 }
            column += width
            if capabilities.repeats, width == 1, length > 0 {
                let end = isBlock ? Self.end(of: marks, from: column, columns) : columns
                let run = new.run(at: column - 1, over: old, end)
                if run > column, (run - column) * length > Pen.controlLength(run - column) {
                    for each in column..<run where new.differs(from: old, at: each) { changed += 1 }
                    pen.control(run - column, 0x62)
                    pen.column = run
                    column = run
                }
            }
            column = new.firstDifference(from: old, at: column, count: columns)
        }
        return changed
    }

    /// The end of the cells of a picture that begin at `start`.
    private static func end(of marks: UnsafePointer<UInt8>, from start: Int, _ columns: Int) -> Int {
        (start..<columns).first { marks[$0] == 0 } ?? columns
    }

    /// Brings the cursor to `column`, by writing the cells between again where that is shorter than a move.
    @inline(__always)
    private func approach(_ column: Int, row: Int, _ new: CellRow, _ pen: inout Pen) {
        if pen.row == row, pen.column == column { return }
        if pen.row == row, pen.column >= 0, pen.column < column, column - pen.column <= 4 {
            let gap = column - pen.column
            var cost = 0
            for each in pen.column..<column { cost += rewriteLength(new, at: each, pen) }
            if cost < Pen.controlLength(gap) {
                for each in pen.column..<column {
                    if pen.color != .mono, capabilities.unicode, new.isPixels(each) {
                        _ = pen.pixels(upper: new.foreground(each), lower: new.background(each), next: 0)
                    } else {
                        pen.scalar(new.glyphs[each])
                    }
                }
                pen.column = column
                return
            }
        }
        pen.move(row: row, column: column, columns: size.columns)
    }

    /// The bytes that writing a cell again takes when nothing must be set for it; otherwise more than any move.
    @inline(__always)
    private func rewriteLength(_ new: CellRow, at column: Int, _ pen: Pen) -> Int {
        let never = 100
        let cell = PaintedCell(glyph: new.glyphs[column], colors: new.colors[column])
        guard pen.style == cell.style, !new.isClear(column) else { return never }
        let isASCII = cell.glyph >= 0x20 && cell.glyph < 0x7F
        if pen.color == .mono { return isASCII ? 1 : never }
        if capabilities.unicode, new.isPixels(column) {
            if cell.foreground == cell.background, pen.background == cell.background { return 1 }
            let fits =
                pen.foreground == cell.foreground && pen.background == cell.background
                || pen.foreground == cell.background && pen.background == cell.foreground
            return fits ? 3 : never
        }
        guard isASCII else { return never }
        return pen.foreground == cell.foreground && pen.background == cell.background ? 1 : never
    }

    /// Writes a character with its colours and style; returns its length, or 0 for one that must not be repeated.
    @inline(__always)
    func text(
        _ new: CellRow, at column: Int, width: Int, _ pen: inout Pen, _ buffer: inout ByteBuffer
    ) -> Int {
        let cell = PaintedCell(glyph: new.glyphs[column], colors: new.colors[column])
        let isMono = pen.color == .mono
        let isBlank = cell.glyph == Glyph.space.code && cell.style == 0
        pen.set(
            foreground: isMono || isBlank ? nil : cell.foreground, background: isMono ? nil : cell.background,
            style: cell.style)
        if cell.glyph >= 0x20, cell.glyph < 0x7F {
            pen.byte(UInt8(truncatingIfNeeded: cell.glyph))
            return 1
        }
        if !capabilities.unicode {
            for _ in 0..<width { pen.byte(UInt8(ascii: "?")) }
            return 0
        }
        if PartGlyphs.isOneColumn(cell.glyph) { return pen.scalar(cell.glyph) }
        var clean = CleanGlyph.text(of: Glyph(code: cell.glyph))
        let isReplaced = clean == CleanGlyph.replacement
        clean.withUTF8 { bytes in
            // A cluster may be longer than the space reserved for a cell.
            buffer.commit(upTo: pen.out)
            buffer.append(bytes)
            if isReplaced, width == 2 { buffer.append(0x20) }
            pen.out = buffer.reserve((size.columns - column + 1) * Pen.bytesPerCell)
        }
        return 0
    }
}

/// What of a glyph may be sent to a terminal.
public enum CleanGlyph {
    public static let replacement = "\u{FFFD}"

    /// The glyph's text, or U+FFFD where it would steer the terminal or leave the cell empty.
    public static func text(of glyph: Glyph) -> String {
        let text = GlyphTable.text(of: glyph)
        guard let first = text.unicodeScalars.first, canStand(first), !text.unicodeScalars.contains(where: isControl)
        else { return replacement }
        return text
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
    }

    /// Whether the scalar occupies its own cell: marks and invisible formats would shift the rest of the row.
    private static func canStand(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .nonspacingMark, .enclosingMark: false
        default: true
        }
    }
}
