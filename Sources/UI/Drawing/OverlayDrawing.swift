import Model

/// Draws on the overlay. Keeps text readable over a picture, and clips what lies outside the terminal.
struct OverlayDrawing {
    var grid: CellGrid
    /// The terminal row of the first row of the page that is being drawn.
    var top = 0
    /// Only the terminal rows `first` ..< `bottom` are drawn to, so a moving
    /// page passes under the top row and the scrubber.
    var first = 0
    var bottom: Int
    let options: Options
    /// What is drawn in pixels, below the text.
    var arcs: [Scene.Arc] = []
    /// The ground of a page without a picture: text needs no shade on it. nil over pictures.
    var bareGround: RGB?
    /// The ground of text over pictures; nil where that is the darkened picture.
    var solidGround: RGB?
    /// While a page or a grid is drawn: the terminal's cells that the open sheet takes. A line that reaches into them
    /// is not drawn, because part of a line says nothing.
    var sheet: GridRect?

    init(size: GridSize, options: Options) {
        grid = CellGrid(size: size)
        solidGround = options.textNeedsGround ? .black : nil
        bottom = size.rows
        self.options = options
    }

    /// What text and lines of the page stand on; nil if that is the picture.
    var textGround: RGB? { bareGround ?? solidGround }

    func isInside(_ column: Int, _ row: Int) -> Bool {
        column >= 0 && column < grid.size.columns && row + top >= first && row + top < bottom
    }

    /// The cells of the open sheet on the page that is being drawn; nil without one.
    var sheetOnPage: GridRect? {
        sheet.map { GridRect(column: $0.column, row: $0.row - top, columns: $0.columns, rows: $0.rows) }
    }

    /// The layout behind the open sheet, if there is one. The sheet of the caption stands in place of the page's text.
    func behindSheet(_ layout: PageLayout, of state: State) -> PageLayout {
        guard let sheet = sheetOnPage else { return layout }
        let behind = layout.behind(sheet)
        return state.view.sheet == .caption ? behind.withoutText : behind
    }

    /// Whether the open sheet takes a part of these cells of the page, or stands directly beside them.
    func isCut(_ frame: GridRect) -> Bool {
        guard let sheet = sheetOnPage else { return false }
        let space = GridRect(column: sheet.column - 1, row: sheet.row, columns: sheet.columns + 2, rows: sheet.rows)
        return frame.columns > 0 && frame.overlaps(space)
    }

    /// Writes text over the picture, cut to `limit` columns. Returns how many columns it took.
    @discardableResult
    mutating func write(
        _ line: GlyphLine, column: Int, row: Int, limit: Int = .max, color: RGB, style: CellStyle = []
    ) -> Int {
        put(line, column: column, row: row, limit: limit, color: color, ground: textGround, style: style)
    }

    @discardableResult
    mutating func write(
        _ text: String, column: Int, row: Int, limit: Int = .max, color: RGB, style: CellStyle = []
    ) -> Int {
        write(GlyphLine(text), column: column, row: row, limit: limit, color: color, style: style)
    }

    /// Writes text on the background `ground`, or over the picture if that is
    /// nil. Leaves out a wide glyph that would be cut.
    @discardableResult
    mutating func put(
        _ line: GlyphLine, column: Int, row: Int, limit: Int = .max, color: RGB, ground: RGB?, style: CellStyle = []
    ) -> Int {
        let room = min(limit, grid.size.columns - column)
        let line = line.columns > room ? line.truncated(to: room, ellipsis: ellipsis) : line
        guard !isCut(GridRect(column: column, row: row, columns: line.columns, rows: 1)) else { return line.columns }
        var at = column
        for index in line.glyphs.indices {
            let width = Int(line.widths[index])
            guard width > 0, at + width <= grid.size.columns else { continue }
            if isInside(at, row) {
                set(line.glyphs[index], at, row, color, ground, style)
                if width == 2 { set(.continuation, at + 1, row, color, ground, style) }
            }
            at += width
        }
        return at - column
    }

    var ellipsis: Glyph { Glyph(options.isASCII ? "~" : "…") }

    private mutating func set(
        _ glyph: Glyph, _ column: Int, _ row: Int, _ color: RGB, _ ground: RGB?, _ style: CellStyle
    ) {
        splitWideGlyph(column, row)
        var cell = Cell(glyph: glyph, foreground: color, style: style, shade: grid[column, row + top].shade)
        if let ground {
            cell.background = ground
            cell.style.insert(.opaque)
        } else {
            cell.style.insert(.readable)
        }
        grid[column, row + top] = cell
    }

    /// Before one half of a wide glyph is overwritten: clears its other half.
    private mutating func splitWideGlyph(_ column: Int, _ row: Int) {
        let y = row + top
        if grid[column, y].glyph == .continuation, column > 0 { grid[column - 1, y].glyph = .space }
        if column + 1 < grid.size.columns, grid[column + 1, y].glyph == .continuation {
            grid[column + 1, y].glyph = .space
        }
    }

    /// Puts one glyph over the picture or text, blended into it by `opacity` of 255; the shade stays as it is.
    mutating func mark(
        _ glyph: Glyph, column: Int, row: Int, color: RGB, style: CellStyle = [], opacity: UInt8 = 255
    ) {
        guard isInside(column, row) else { return }
        splitWideGlyph(column, row)
        let shade = grid[column, row + top].shade
        grid[column, row + top] = Cell(glyph: glyph, foreground: color, style: style, shade: shade, opacity: opacity)
    }

    /// Fills a cell with one colour and puts a glyph on it.
    mutating func paint(_ glyph: Glyph = .space, column: Int, row: Int, color: RGB, ground: RGB, style: CellStyle = [])
    {
        guard isInside(column, row) else { return }
        set(glyph, column, row, color, ground, style)
    }

    mutating func fill(_ rect: GridRect, with ground: RGB) {
        for row in rect.row..<(rect.row + max(rect.rows, 0)) {
            for column in rect.column..<(rect.column + max(rect.columns, 0)) {
                paint(column: column, row: row, color: ground, ground: ground)
            }
        }
    }

    /// Darkens the picture; leaves what is darker already.
    mutating func shade(column: Int, row: Int, by amount: UInt8) {
        guard bareGround == nil, isInside(column, row) else { return }
        let index = (row + top) * grid.size.columns + column
        if grid.cells[index].shade < amount { grid.cells[index].shade = amount }
    }

    /// Darkens the whole page: the picture and the backgrounds of text. Text stays legible: light letters keep their
    /// colour, as over the picture, and dark ones darken twice as much as their background.
    mutating func dim(by amount: UInt8) {
        let share = Double(amount) / 255
        for index in grid.cells.indices {
            grid.cells[index].shade = max(grid.cells[index].shade, amount)
            guard grid.cells[index].style.contains(.opaque) else { continue }
            let (text, ground) = (grid.cells[index].foreground, grid.cells[index].background)
            if text.brightness < ground.brightness {
                grid.cells[index].foreground = text.mixed(with: .black, by: min(2 * share, 1))
            }
            grid.cells[index].background = ground.mixed(with: .black, by: share)
        }
    }

    /// Separates text on a solid background from pictures that may consist of letters too: closes short gaps between
    /// words and leaves a blank column at both ends.
    ///
    /// - Parameters:
    ///   - background: of pages without a picture.
    ///   - avatars: pictures that stay whole.
    mutating func separate(background: RGB, around avatars: [GridRect]) {
        func isFree(_ column: Int, _ row: Int) -> Bool {
            !avatars.contains { $0.contains(GridPoint(column: column, row: row)) }
        }
        let grounds = [solidGround, background]
        let columns = grid.size.columns
        for row in 0..<grid.size.rows {
            let start = row * columns
            let text = (0..<columns).filter { grid.cells[start + $0].style.contains(.opaque) }
            guard let first = text.first, let last = text.last else { continue }
            for (before, after) in zip(text, text.dropFirst()) where after - before > 1 {
                for column in (before + 1)..<after
                where isFree(column, row) && (after - before <= 4 || column == before + 1 || column == after - 1) {
                    blank(start + column, like: start + (column == after - 1 ? after : before), of: grounds)
                }
            }
            if first > 0 { blank(start + first - 1, like: start + first, of: grounds) }
            if last + 1 < columns { blank(start + last + 1, like: start + last, of: grounds) }
        }
    }

    /// Nothing is seen of the picture below; what is drawn there stays. A sign of its own colour, such as a creator's
    /// letter, does not grow.
    private mutating func blank(_ index: Int, like text: Int, of grounds: [RGB?]) {
        guard grid.cells[index].glyph == .none else { return }
        let ground = grid.cells[text].background
        grid.cells[index] = Cell(
            glyph: .space, background: grounds.contains(ground) ? ground : textGround ?? ground, style: .opaque)
    }
}

extension OverlayDrawing {
    /// The key bold and in the colour of text, then the word, dim unless another colour is given. It can stand over a
    /// line of text that has been cut for it.
    mutating func write(
        _ keyed: KeyedWord, column: Int, row: Int, theme: Theme, color: RGB? = nil, style: CellStyle = []
    ) {
        var column = column
        if let key = keyed.key {
            column += write(key, column: column, row: row, color: theme.text, style: .bold)
            column += write(" ", column: column, row: row, color: theme.dim)
        }
        write(keyed.word, column: column, row: row, color: color ?? theme.dim, style: style)
    }
}

extension RGB {
    /// Approximate brightness, 0 … 1020: precise enough to compare two colours.
    fileprivate var brightness: Int { Int(red) + 2 * Int(green) + Int(blue) }
}
