import Model

extension OverlayDrawing {
    /// The open text field. Its cursor is a cell with its colours exchanged, which every painter can show.
    mutating func drawBar(_ state: State) {
        guard let typing = state.typing else { return }
        let (bar, theme) = (BarLayout(state), state.theme)
        fill(bar.frame, with: theme.panel)
        drawBorder(bar.frame, title: bar.title, theme: theme)
        let (right, bottom) = (bar.frame.column + bar.frame.columns - 1, bar.frame.row + bar.frame.rows - 1)
        put(
            bar.hints, column: bar.frame.column + 2, row: bottom, color: theme.panelDim, ground: theme.panel)
        put(
            bar.sendText, column: bar.send.column, row: bottom,
            color: typing.field.isEmpty ? theme.panelDim : theme.panelText, ground: theme.panel,
            style: typing.field.isEmpty ? [] : .bold)
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
