import Model

extension OverlayDrawing {
    /// The current toast. It slides in from the top, over everything else.
    mutating func drawToast(_ state: State, now: Duration) {
        guard let toast = state.toasts.current else { return }
        let exposure = state.options.reducedMotion ? 1 : state.toasts.exposure(now: now)
        guard exposure > 0 else { return }
        let lines = toast.text.lines(of: state.size.columns - 8, limit: Toasts.lines, ellipsis: ellipsis)
        let width = (lines.map(\.columns).max() ?? 0) + 4
        let column = (state.size.columns - width) / 2
        // It slides down to row 2: first its lower edge is visible, then all of it.
        let row = exposure >= 0.66 ? 2 : (exposure >= 0.33 ? 1 : 0)
        fill(GridRect(column: column, row: row, columns: width, rows: lines.count), with: state.theme.panel)
        for (place, line) in lines.enumerated() {
            put(
                line, column: column + 2, row: row + place, color: state.theme.panelText, ground: state.theme.panel,
                style: .bold)
        }
    }
}

extension GlyphLine {
    /// Breaks the line into at most `limit` lines of `columns` columns, and cuts the rest.
    fileprivate func lines(of columns: Int, limit: Int, ellipsis: Glyph) -> [GlyphLine] {
        let ranges = wrapped(to: columns)
        guard ranges.count > limit else { return ranges.map(slice) }
        let rest = slice(ranges[limit - 1].lowerBound..<glyphs.count).truncated(to: columns, ellipsis: ellipsis)
        return ranges.prefix(limit - 1).map(slice) + [rest]
    }
}
