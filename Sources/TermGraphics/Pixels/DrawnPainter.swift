import Model

/// A way of drawing pictures that take the place of the cells they are drawn
/// on: a cell shows a character or a part of a picture.
protocol CellPictures: ~Copyable {
    /// The largest area that one picture can have.
    var maxCells: GridSize { get }

    /// Called before the pictures of an update, with all pixels of the canvas.
    mutating func begin(_ pixels: UnsafePointer<UInt32>, count: Int)

    /// Whether the pixels of cells whose text stays are not drawn.
    var leavesTextOut: Bool { get }

    /// Draws the pixels of `area` from the cursor on, which stands in its first cell. Text is written after it.
    mutating func append(_ pixels: CellPixels, over area: GridRect, to buffer: inout ByteBuffer)
}

/// The pixels of a canvas, and the cells whose text takes their place. A view of memory that others own.
struct CellPixels {
    /// `stride` to a row.
    let pixels: UnsafePointer<UInt32>
    let stride: Int
    /// 1 for cells with text that stays, `columns` to a row; nil if more than a little of the text is replaced.
    let hasText: UnsafePointer<UInt8>?
    let columns: Int
}

/// Draws the changed pixels into the cells, and rewrites the text that was drawn over (`Encoder`), in one update.
final class DrawnPainter<Pictures: CellPictures & ~Copyable>: Painter {
    private var encoder: Encoder
    private var drawing: Pictures
    /// The pixels that the terminal shows or would show without text; meaningless unless `knowsScreen`.
    private let shown: Plane<UInt32>
    /// 1 for cells that hold text: their pixels are gone, or were never drawn.
    private let hasText: Plane<UInt8>
    private var knowsScreen = false

    let pictures: PictureFormat
    let hasBrightGrounds = true
    var isSynchronised: Bool

    init(size: GridSize, pictures: PictureFormat, capabilities: EncoderCapabilities, drawing: consuming Pictures) {
        isSynchronised = capabilities.synchronised
        var capabilities = capabilities
        // An update is more than the encoder's bytes.
        capabilities.synchronised = false
        encoder = Encoder(size: size, capabilities: capabilities)
        self.drawing = drawing
        self.pictures = pictures
        let pixels = pictures.pictureSize(for: size)
        shown = Plane(count: pixels.width * pixels.height, filledWith: 0)
        hasText = Plane(count: size.cells, filledWith: 0)
    }

    var size: GridSize { encoder.size }

    /// The budget applies to the text: text that was drawn over has to be rewritten in the same update.
    func paint(
        _ canvas: borrowing Canvas, within budget: Int, precision: Precision, into buffer: inout ByteBuffer
    ) -> PaintStats {
        precondition(canvas.pictures == pictures, "the canvas is made for this painter")
        let start = buffer.count
        if isSynchronised { buffer.append(SynchronisedUpdate.begin) }
        let content = buffer.count
        let areas = changes(in: canvas)
        let textStays = noteText(in: canvas)
        let pixels = CellPixels(
            pixels: canvas.pixels.base, stride: size.columns * pictures.samplesPerCell.width,
            hasText: textStays ? UnsafePointer(hasText.base) : nil, columns: size.columns)
        if !areas.isEmpty { drawing.begin(pixels.pixels, count: shown.count) }
        var drawn = 0
        for area in areas {
            let parts = textStays && drawing.leavesTextOut ? self.parts(of: area) : [area]
            for piece in parts.flatMap({ $0.pieces(of: drawing.maxCells) }) {
                // DECSC, CUP, and DECRC below.
                buffer.append("\u{1B}7\u{1B}[\(piece.row + 1);\(piece.column + 1)H")
                drawing.append(pixels, over: piece, to: &buffer)
                buffer.append("\u{1B}8")
            }
            encoder.forget(area)
            drawn += area.cells
        }
        encoder.leaveClear(canvas)
        var figures = encoder.encode(canvas, into: &buffer, within: areas.isEmpty ? budget : .max)
        keep(canvas, drawn: areas)
        if buffer.count == content {
            buffer.shorten(to: start)
        } else if isSynchronised {
            buffer.append(SynchronisedUpdate.end)
        }
        figures.bytes = buffer.count - start
        figures.cells += drawn
        return figures
    }

    func forget() {
        encoder.forget()
        knowsScreen = false
    }

    /// The rectangles of cells that have to be drawn: those whose pixels are
    /// others, and those that no longer hold text.
    private func changes(in canvas: borrowing Canvas) -> [GridRect] {
        var areas: [GridRect] = []
        // The last row is never left to the pixels.
        for row in 0..<max(size.rows - 1, 0) {
            guard let columns = knowsScreen ? changedColumns(of: row, in: canvas) : 0..<size.columns else { continue }
            if let last = areas.last, last.row + last.rows == row {
                let first = min(last.column, columns.lowerBound)
                let end = max(last.column + last.columns, columns.upperBound)
                areas[areas.count - 1] = GridRect(
                    column: first, row: last.row, columns: end - first, rows: last.rows + 1)
            } else {
                areas.append(GridRect(column: columns.lowerBound, row: row, columns: columns.count, rows: 1))
            }
        }
        return areas
    }

    /// The parts of an area in which text is close to text, and what lies between them: a picture with gaps for text
    /// takes a terminal up to four times as long as one without (xterm 379).
    private func parts(of area: GridRect) -> [GridRect] {
        let text = hasText.base + area.row * size.columns + area.column
        let columns = size.columns
        return Self.spans(area.rows, apart: 4) { row in
            (0..<area.columns).contains { text[row * columns + $0] != 0 }
        }.flatMap { rows in
            Self.spans(area.columns, apart: 8) { column in rows.contains { text[$0 * columns + column] != 0 } }.map {
                GridRect(
                    column: area.column + $0.lowerBound, row: area.row + rows.lowerBound, columns: $0.count,
                    rows: rows.count)
            }
        }
    }

    /// The ranges of `0..<count` from the first to the last place that is marked, if there are fewer than `gap` others
    /// between one and the next, and the ranges between them.
    private static func spans(_ count: Int, apart gap: Int, isMarked: (Int) -> Bool) -> [Range<Int>] {
        var marked: [Range<Int>] = []
        for place in 0..<count where isMarked(place) {
            if let last = marked.last, place - last.upperBound < gap {
                marked[marked.count - 1] = last.lowerBound..<place + 1
            } else {
                marked.append(place..<place + 1)
            }
        }
        let edges = [0] + marked.flatMap { [$0.lowerBound, $0.upperBound] } + [count]
        return zip(edges, edges.dropFirst()).filter { $0 < $1 }.map { $0..<$1 }
    }

    private func changedColumns(of row: Int, in canvas: borrowing Canvas) -> Range<Int>? {
        let samples = pictures.samplesPerCell
        let width = size.columns * samples.width
        var (first, end) = (width, 0)
        for y in row * samples.height..<(row + 1) * samples.height {
            let (new, old) = (canvas.pixels.base + y * width, shown.base + y * width)
            let difference = Pixels.firstDifference(new, old, count: width)
            guard difference < width else { continue }
            first = min(first, difference)
            end = max(end, Pixels.endOfDifference(new, old, count: width))
        }
        var columns = first < end ? first / samples.width..<(end - 1) / samples.width + 1 : nil
        canvas.withRow(row) { cells in
            for column in 0..<size.columns where hasText[row * size.columns + column] != 0 {
                guard cells.colors[column] == PaintedCell.clear.colors, cells.glyphs[column] == PaintedCell.clear.glyph
                else { continue }
                columns =
                    columns.map { min($0.lowerBound, column)..<max($0.upperBound, column + 1) } ?? column..<column + 1
            }
        }
        return columns
    }

    /// Notes which cells hold text from now on. Returns whether the characters stay, all but an eighth: subtitles and
    /// notices come and go, but of the next page's text more is new.
    private func noteText(in canvas: borrowing Canvas) -> Bool {
        var (all, replaced) = (0, 0)
        for row in 0..<size.rows {
            canvas.withRow(row) { cells in
                for column in 0..<size.columns {
                    let isClear =
                        cells.colors[column] == PaintedCell.clear.colors
                        && cells.glyphs[column] == PaintedCell.clear.glyph
                    let index = row * size.columns + column
                    // Pixels are never drawn in the last row.
                    if row < size.rows - 1, !isClear || hasText[index] != 0 {
                        all += 1
                        if encoder.glyphs[index] != cells.glyphs[column] { replaced += 1 }
                    }
                    hasText[index] = isClear ? 0 : 1
                }
            }
        }
        return 8 * replaced <= all
    }

    /// Notes which pixels the terminal shows now.
    private func keep(_ canvas: borrowing Canvas, drawn areas: [GridRect]) {
        let samples = pictures.samplesPerCell
        let width = size.columns * samples.width
        for area in areas {
            let (begin, count) = (area.row * samples.height * width, area.rows * samples.height * width)
            shown.base.advanced(by: begin).update(from: canvas.pixels.base + begin, count: count)
        }
        knowsScreen = true
    }
}

extension GridRect {
    /// The rectangles of at most `size` that this one is made of, row by row.
    func pieces(of size: GridSize) -> [GridRect] {
        let (across, down) = (max(size.columns, 1), max(size.rows, 1))
        return stride(from: row, to: row + rows, by: down).flatMap { top in
            stride(from: column, to: column + columns, by: across).map { left in
                GridRect(
                    column: left, row: top, columns: min(across, column + columns - left),
                    rows: min(down, row + rows - top))
            }
        }
    }
}
