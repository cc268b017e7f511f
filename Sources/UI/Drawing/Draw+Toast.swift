import Model

extension OverlayDrawing {
    /// The current toast, over everything else but the scrubber. It opens from its middle and closes to it, because
    /// columns are fine enough for a smooth motion and rows are not; with enough colours it is blended in meanwhile.
    mutating func drawToast(_ state: State, now: Duration) {
        guard let toast = state.toasts.current else { return }
        let exposure = state.options.reducedMotion ? 1 : state.toasts.exposure(now: now)
        let lines = toast.text.lines(of: state.size.columns - 8, limit: Toasts.lines, ellipsis: ellipsis)
        let width = (lines.map(\.columns).max() ?? 0) + 4
        let left = (state.size.columns - width) / 2
        // Fast at first, then slower.
        let hidden = Int((Double(width) / 2 * (1 - exposure) * (1 - exposure)).rounded())
        guard exposure > 0, hidden * 2 < width else { return }
        let open = (left + hidden)..<(left + width - hidden)
        // An open sheet may begin in row 1, and its lines are about to be chosen from.
        let first = state.sheet == nil && state.typing == nil ? 2 : 0
        for (place, line) in lines.enumerated() {
            let row = first + place
            fill(GridRect(column: open.lowerBound, row: row, columns: open.count, rows: 1), with: state.theme.panel)
            var column = left + 2
            for index in line.glyphs.indices {
                let glyph = line.slice(index..<(index + 1))
                if column >= open.lowerBound, column + glyph.columns <= open.upperBound {
                    put(
                        glyph, column: column, row: row, color: state.theme.panelText, ground: state.theme.panel,
                        style: .bold)
                }
                column += glyph.columns
            }
            guard options.color == .truecolor || options.color == .palette256 else { continue }
            for column in open { grid[column, row].opacity = UInt8((exposure * 255).rounded()) }
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
