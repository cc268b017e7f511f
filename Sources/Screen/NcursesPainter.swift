internal import CNcurses
import Model
import TermGraphics

/// Has ncurses paint: any terminal that terminfo can drive, in as many colours as terminfo lists.
///
/// The page is one window: `Canvas` has laid captions and sheets over the picture
/// already, as shades and the backgrounds of letters depend on the pixels below.
/// Cells that have not changed since the last update are not handed to ncurses again.
final class NcursesPainter: Painter {
    let size: GridSize
    let pictures: PictureFormat
    /// Where terminfo lists eight colours, bold makes a foreground bright; nothing makes a background bright.
    var hasBrightGrounds: Bool { !pairs.areEight }
    var isSynchronised: Bool
    private let session: NcursesSession
    private let window: UnsafeMutableRawPointer
    private let isUnicode: Bool
    private var pairs: ColorPairs
    /// The cells that the window holds, row after row.
    private let glyphs: UnsafeMutablePointer<UInt32>
    private let colors: UnsafeMutablePointer<UInt64>
    /// One row's characters on their way to the window.
    private let characters: UnsafeMutablePointer<cchar_t>
    private var firstRow = 0

    /// A code that no cell of a canvas has.
    private static let unknown: UInt32 = 0xFFFF_FFFE
    /// How many bytes ncurses recently wrote per changed cell.
    /// Starts with the cost of a cell that needs two new colours.
    private var bytesPerCell = 48.0
    /// What ncurses will write is not known in advance. A row
    /// rarely costs more than this factor above the previous rows.
    private static let reserve = 1.5
    /// What a row takes whatever is in it: moves.
    private static let bytesPerRow = 32

    /// nil if there is no memory for a window of that size.
    ///
    /// - Parameter session: has been resumed, in the size `size`.
    init?(
        session: NcursesSession, size: GridSize, pictures: PictureFormat, color: ColorMode, isUnicode: Bool,
        isSynchronised: Bool
    ) {
        guard let window = flick_window_make(Int32(size.rows), Int32(size.columns)) else { return nil }
        self.window = window
        self.session = session
        self.size = size
        self.isUnicode = isUnicode
        self.isSynchronised = isSynchronised
        self.pictures = pictures
        pairs = ColorPairs(color, colors: color == .mono ? 0 : session.startColor())
        glyphs = .allocate(capacity: max(size.cells, 1))
        glyphs.initialize(repeating: Self.unknown, count: size.cells)
        colors = .allocate(capacity: max(size.cells, 1))
        colors.initialize(repeating: 0, count: size.cells)
        characters = .allocate(capacity: max(size.columns, 1))
        characters.initialize(repeating: cchar_t(), count: max(size.columns, 1))
    }

    deinit {
        flick_window_free(window)
        characters.deallocate()
        glyphs.deallocate()
        colors.deallocate()
    }

    func forget() { glyphs.update(repeating: Self.unknown, count: size.cells) }

    /// Paints exactly, whatever the precision.
    func paint(
        _ canvas: borrowing Canvas, within budget: Int, precision: Precision, into buffer: inout ByteBuffer
    ) -> PaintStats {
        precondition(canvas.size == size, "the canvas is the terminal's size")
        let start = buffer.count
        if isSynchronised { buffer.append(SynchronisedUpdate.begin) }
        let opened = buffer.count
        // Without a budget ncurses writes once, not row by row.
        let room = budget == .max || !isSynchronised ? budget : budget - SynchronisedUpdate.bytes
        var figures = update(canvas, room: room)
        if pairs.areUsedUp {
            // The numbers get new colours, so every cell is repainted.
            flick_screen_forget_pairs()
            pairs.removeAll()
            forget()
            figures = update(canvas, room: .max, mustShow: true)
        }
        let count = session.writtenCount
        if count > 0 { buffer.append(atMost: count) { session.read(into: $0) } }
        guard buffer.count > opened else {
            buffer.shorten(to: start)
            return figures
        }
        if isSynchronised { buffer.append(SynchronisedUpdate.end) }
        figures.bytes = buffer.count - start
        return figures
    }

    /// Gives ncurses the cells that have changed, and has it write.
    ///
    /// - Parameter mustShow: whether to continue, with wrong colours,
    ///   when the numbers of pairs are used up. Otherwise it stops there.
    private func update(_ canvas: borrowing Canvas, room: Int, mustShow: Bool = false) -> PaintStats {
        var changed = 0
        var rows = 0
        for index in 0..<size.rows {
            let row = (firstRow + index) % size.rows
            let before = session.writtenCount
            if room != .max, rows > 0 {
                // What ncurses has written cannot be undone, so another row is begun only if it is likely to fit.
                let next = canvas.withRow(row) { changedCells($0, row: row) }
                let bytes = Self.bytesPerRow + Int(Double(next) * bytesPerCell * Self.reserve)
                if next > 0, before + bytes > room {
                    firstRow = row
                    return PaintStats(cells: changed, isExact: false)
                }
            }
            let cells = canvas.withRow(row) { putRow($0, row: row) }
            guard cells > 0 else { continue }
            changed += cells
            rows += 1
            if pairs.areUsedUp, !mustShow { return PaintStats(cells: changed) }
            guard room != .max else { continue }
            write()
            let written = Double(max(session.writtenCount - before - Self.bytesPerRow, 1)) / Double(cells)
            // Rises at once, and falls gradually.
            bytesPerCell = max(written, bytesPerCell + (written - bytesPerCell) / 8)
        }
        firstRow = 0
        if rows > 0 { write() }
        return PaintStats(cells: changed)
    }

    private func write() { flick_window_show(window) }

    private func changedCells(_ new: PaintedRow, row: Int) -> Int {
        let begin = row * size.columns
        return (0..<new.count).count { glyphs[begin + $0] != new.glyphs[$0] || colors[begin + $0] != new.colors[$0] }
    }

    /// Puts a row's changes into the window. Returns how many cells have changed.
    private func putRow(_ new: PaintedRow, row: Int) -> Int {
        let begin = row * size.columns
        func differs(_ column: Int) -> Bool {
            glyphs[begin + column] != new.glyphs[column] || colors[begin + column] != new.colors[column]
        }
        var first = 0
        while first < new.count, !differs(first) { first += 1 }
        guard first < new.count else { return 0 }
        if glyphs[begin + first] == Self.unknown { flick_window_repaint(window, Int32(row)) }
        var last = new.count - 1
        while !differs(last) { last -= 1 }
        // A wide character is written whole.
        while first > 0, new.glyphs[first] == Glyph.continuation.code { first -= 1 }
        if last + 1 < new.count, new.glyphs[last + 1] == Glyph.continuation.code { last += 1 }
        let isEight = isUnicode && pairs.areEight
        // A letter changes what the spaces beside it are drawn with.
        if isEight { (first, last) = (0, new.count - 1) }
        let stays =
            isEight
            ? EightColors.spacesBesideLetters(
                glyphs: UnsafeBufferPointer(start: new.glyphs, count: new.count),
                colors: UnsafeBufferPointer(start: new.colors, count: new.count)) : []
        var changed = 0
        var count = 0
        for column in first...last {
            if differs(column) {
                changed += 1
                glyphs[begin + column] = new.glyphs[column]
                colors[begin + column] = new.colors[column]
            }
            guard new.glyphs[column] != Glyph.continuation.code else { continue }
            let isWide = column < last && new.glyphs[column + 1] == Glyph.continuation.code
            var cell = PaintedCell(glyph: new.glyphs[column], colors: new.colors[column])
            if isEight, !stays[column] { cell = EightColors.cell(cell) }
            count += makeCharacters(cell, isWide: isWide, at: count)
        }
        flick_window_put(window, Int32(row), Int32(first), characters, Int32(count))
        return changed
    }

    // MARK: one cell

    /// Makes ncurses' characters of one cell, or of the two of a wide one. Returns how many those are.
    private func makeCharacters(_ cell: PaintedCell, isWide: Bool, at index: Int) -> Int {
        let (pair, isBright) = pairs.number(foreground: cell.foreground, background: cell.background)
        let attributes = flick_screen_attributes(cell.style | (isBright ? UInt32(CellStyle.bold.rawValue) : 0))
        // ASCII and blocks have one column everywhere, and nearly all cells hold one of them.
        let isPlain = cell.glyph >= 0x20 && cell.glyph < 0x7F || isUnicode && PartGlyphs.isOneColumn(cell.glyph)
        // ncurses writes a blank for what the C library does not know.
        let isKnown = cell.glyph < 0x1_0000 || flick_screen_width(cell.glyph) == 1
        let glyph = isPlain && !isKnown ? PartGlyphs.quadrant(for: cell.glyph) ?? cell.glyph : cell.glyph
        if isPlain, flick_screen_character(characters + index, glyph, attributes, pair) == 0 { return 1 }
        if isUnicode, !isPlain {
            let text = CleanGlyph.text(of: Glyph(code: cell.glyph))
            if makeCharacter(text, columns: isWide ? 2 : 1, attributes: attributes, pair: pair, at: index) { return 1 }
        }
        let replacement: UInt32 = isUnicode ? 0xFFFD : 0x3F
        _ = flick_screen_character(characters + index, replacement, attributes, pair)
        guard isWide else { return 1 }
        _ = flick_screen_character(characters + index + 1, isUnicode ? 0x20 : replacement, attributes, pair)
        return 2
    }

    /// Makes a character with its marks. Returns false where ncurses takes it to be wider or narrower than flick does:
    /// the rest of the row would move.
    private func makeCharacter(_ text: String, columns: Int, attributes: UInt32, pair: Int32, at index: Int) -> Bool {
        var scalars = text.unicodeScalars.prefix(5).map { $0.value }
        guard let first = scalars.first, Int(flick_screen_width(first)) == columns else { return false }
        scalars.append(0)
        return flick_screen_text(characters + index, scalars, attributes, pair) == 0
    }
}
