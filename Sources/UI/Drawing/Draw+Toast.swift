import Model

extension OverlayDrawing {
    /// The current toast, over everything else but the scrubber. It opens from its middle and closes to it, because
    /// columns are fine enough for a smooth motion and rows are not; with enough colours it is blended in meanwhile.
    mutating func drawToast(_ state: State, now: Duration) {
        guard let (frame, lines) = state.toast(now: now) else { return }
        let exposure = state.options.reducedMotion ? 1 : state.toasts.exposure(now: now)
        let (left, width) = (frame.column, frame.columns)
        // Fast at first, then slower.
        let hidden = Int((Double(width) / 2 * (1 - exposure) * (1 - exposure)).rounded())
        guard exposure > 0, hidden * 2 < width else { return }
        let open = (left + hidden)..<(left + width - hidden)
        for (place, line) in lines.enumerated() {
            let row = frame.row + place
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

extension State {
    /// The lines of the current toast, and the cells that it covers once it is open; nil without one.
    func toast(now: Duration) -> (frame: GridRect, lines: [GlyphLine])? {
        guard let toast = toasts.current else { return nil }
        let (first, room) = toastRows(of: toast, now: now)
        let lines = toast.text.lines(
            of: size.columns - 8, limit: room, ellipsis: Glyph(options.isASCII ? "~" : "…"))
        let width = (lines.map(\.columns).max() ?? 0) + 4
        return (
            GridRect(column: (size.columns - width) / 2, row: first, columns: width, rows: lines.count), lines
        )
    }

    /// The row that a toast begins in, and the most rows that it has: below the top row, or from that on where a sheet
    /// or a subtitle would lie under it.
    fileprivate func toastRows(of toast: Toasts.Toast, now: Duration) -> (first: Int, most: Int) {
        var end = size.rows
        if sheet != nil {
            end = SheetLayout(self).frame.row
        } else if typing == nil, grid == nil, items.count > 0, !pager.isMoving,
            let subtitle = setSubtitle(PageLayout(self, index: current), now: now)
        {
            end = subtitle.frame.row
        }
        let rows = min(toast.text.wrapped(to: size.columns - 8).count, Toasts.lines)
        let isBelowTop = sheet == nil && typing == nil && 2 + rows <= end
        return isBelowTop ? (2, Toasts.lines) : (0, min(Toasts.lines, max(end, 1)))
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
