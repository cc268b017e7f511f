import Model

extension OverlayDrawing {
    /// How much the page behind a sheet in its middle is darkened.
    static let sheetShade: UInt8 = 100

    /// The open sheet. The page around one below the middle is darkened; beside a panel or a menu it stays as it is.
    /// Text of the page that the sheet would cut has not been drawn.
    mutating func drawSheet(_ state: State, now: Duration) {
        guard state.view.sheet != nil else { return }
        let layout = SheetLayout(state, now: now)
        let theme = state.theme
        if !layout.isAside { dim(by: Self.sheetShade) }
        fill(layout.frame, with: theme.panel)
        drawFrame(layout, theme: theme)
        for place in 0..<layout.body.rows {
            guard let row = layout.row(at: place) else { continue }
            let isChosen = row.entry != nil && row.entry == layout.chosen
            drawRow(row, at: layout.body.row + place, in: layout, isChosen: isChosen, theme: theme)
        }
    }

    /// The frame with the title, and with a scroll bar if there are more rows than it has room for.
    private mutating func drawFrame(_ layout: SheetLayout, theme: Theme) {
        let frame = layout.frame
        let (right, bottom) = (frame.column + frame.columns - 1, frame.row + frame.rows - 1)
        drawBorder(frame, title: layout.title, theme: theme)
        if let footer = layout.footerFrame {
            put(
                GlyphLine(" ") + layout.footer + GlyphLine(" "), column: footer.column, row: footer.row,
                limit: footer.columns, color: theme.panelDim, ground: theme.panel)
        }
        let over = layout.total - layout.body.rows
        guard over > 0 else { return }
        let (color, ground) = (theme.panelText, theme.panel)
        if layout.first > 0 { drawMore(.above, end: right - 1, row: frame.row, color: color, ground: ground) }
        if layout.first < over {
            drawMore(
                .below, hasWord: layout.namesMore, end: right - 1, row: bottom, color: color, ground: ground)
        }
        let thumb = max(layout.body.rows * layout.body.rows / layout.total, 1)
        let start = layout.body.row + (layout.body.rows - thumb) * layout.first / over
        for row in start..<(start + thumb) {
            paint(
                Glyph(options.isASCII ? "#" : "┃"), column: right, row: row, color: theme.panelText,
                ground: theme.panel)
        }
    }

    /// A line around a panel, with a title in it.
    mutating func drawBorder(_ frame: GridRect, title: String, theme: Theme) {
        let border = Symbols(options).border
        let (right, bottom) = (frame.column + frame.columns - 1, frame.row + frame.rows - 1)
        for column in frame.column...right {
            paint(border.horizontal, column: column, row: frame.row, color: theme.panelDim, ground: theme.panel)
            paint(border.horizontal, column: column, row: bottom, color: theme.panelDim, ground: theme.panel)
        }
        for row in frame.row...bottom {
            paint(border.vertical, column: frame.column, row: row, color: theme.panelDim, ground: theme.panel)
            paint(border.vertical, column: right, row: row, color: theme.panelDim, ground: theme.panel)
        }
        let corners = [(frame.column, frame.row), (right, frame.row), (frame.column, bottom), (right, bottom)]
        for (corner, glyph) in zip(corners, border.corners) {
            paint(glyph, column: corner.0, row: corner.1, color: theme.panelDim, ground: theme.panel)
        }
        put(
            GlyphLine(" \(title) "), column: frame.column + 2, row: frame.row, limit: frame.columns - 4,
            color: theme.panelText, ground: theme.panel, style: .bold)
    }

    /// "▾ more", or only the arrow, at the edge of what is scrolled: its last column is the one before `end`.
    mutating func drawMore(
        _ more: Symbols.More, hasWord: Bool = true, end: Int, row: Int, color: RGB, ground: RGB
    ) {
        let line = Symbols(options).line(of: more, hasWord: hasWord)
        put(line, column: end - line.columns, row: row, color: color, ground: ground)
    }

    private mutating func drawRow(
        _ row: SheetRow, at place: Int, in layout: SheetLayout, isChosen: Bool, theme: Theme
    ) {
        let body = layout.body
        let chosen = selection(theme)
        if isChosen {
            let (ground, style) = chosen
            for column in (body.column - 1)..<(body.column + body.columns + 1) {
                paint(column: column, row: place, color: theme.panelText, ground: ground, style: style)
            }
        }
        for span in row.spans {
            let isSelected = isChosen || span.link != nil && span.link == layout.link
            let (ground, style) = isSelected ? chosen : (theme.panel, [])
            put(
                span.line, column: body.column + span.column, row: place,
                limit: body.columns - span.column,
                color: span.tone == .dim && !isSelected ? theme.panelDim : theme.panelText, ground: ground,
                style: style.union(span.tone.style))
        }
    }

    /// With few colours or none, the selection's ground is the panel's.
    private func selection(_ theme: Theme) -> (ground: RGB, style: CellStyle) {
        options.color == .mono || options.color == .palette16 ? (theme.panel, .reverse) : (theme.selection, [])
    }
}

extension SheetRow.Tone {
    fileprivate var style: CellStyle {
        switch self {
        case .heading: .bold
        case .match: [.bold, .underline]
        case .link: .underline
        case .text, .dim: []
        }
    }
}

extension OverlayDrawing {
    /// The open text field. Its cursor is a cell with its colours exchanged, which every painter can show.
    mutating func drawBar(_ state: State) {
        guard let typing = state.typing else { return }
        let (bar, theme) = (BarLayout(state), state.theme)
        fill(bar.frame, with: theme.panel)
        drawBorder(bar.frame, title: bar.title, theme: theme)
        let (right, bottom) = (bar.frame.column + bar.frame.columns - 1, bar.frame.row + bar.frame.rows - 1)
        put(
            bar.hints, column: bar.send.column + bar.send.columns, row: bottom, color: theme.panelDim,
            ground: theme.panel)
        let canEnter = typing.canEnter(items: state.items.count)
        put(
            bar.sendText, column: bar.send.column, row: bottom,
            color: canEnter ? theme.panelText : theme.panelDim, ground: theme.panel, style: canEnter ? .bold : [])
        if !bar.room.isEmpty {
            let line = GlyphLine(" \(bar.room) ")
            put(
                line, column: right - 1 - line.columns, row: bar.frame.row, color: theme.panelText,
                ground: theme.panel)
        }
        for (row, line) in bar.window.lines.enumerated() {
            put(
                line, column: bar.body.column, row: bar.body.row + row, limit: bar.body.columns,
                color: theme.panelText, ground: theme.panel)
        }
        if typing.field.isEmpty {
            put(
                GlyphLine(typing.purpose.words.placeholder), column: bar.body.column + 2, row: bar.body.row,
                limit: bar.body.columns - 2, color: theme.panelDim, ground: theme.panel)
        }
        drawCursor(in: bar, theme: theme)
    }

    private mutating func drawCursor(in bar: BarLayout, theme: Theme) {
        let (column, row) = (bar.body.column + bar.window.cursor.column, bar.body.row + bar.window.cursor.row)
        let hasColors = options.color == .truecolor || options.color == .palette256
        for column in [column, column + 1] where column < grid.size.columns {
            let below = grid[column, row].glyph
            // The second half of a wide character belongs to the cursor too.
            guard column == bar.body.column + bar.window.cursor.column || below == .continuation else { break }
            let glyph = below == .none ? Glyph.space : below
            grid[column, row].glyph = glyph
            grid[column, row].style = hasColors ? .opaque : [.opaque, .reverse]
            (grid[column, row].foreground, grid[column, row].background) =
                hasColors ? (theme.panel, theme.panelText) : (theme.panelText, theme.panel)
        }
    }
}
