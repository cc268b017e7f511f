import Model

extension OverlayDrawing {
    /// Draws what is said now: over the lower part of the picture, above the caption and beside the rail.
    mutating func drawSubtitle(_ state: State, layout: PageLayout, now: Duration) {
        guard let text = state.subtitle(now: now) else { return }
        let place = SubtitlePlace(state, layout)
        let lines = place.lines(of: GlyphLine(text), ellipsis: ellipsis)
        for (index, line) in lines.enumerated() {
            let column = place.frame.column + (place.frame.columns - line.columns) / 2
            let row = place.frame.row + place.frame.rows - lines.count + index
            write(line, column: column, row: row, color: state.theme.text, style: .bold)
        }
    }
}

/// Where subtitles stand on a page. A value.
struct SubtitlePlace {
    static let widest = 60
    /// A picture that is narrower than this does not keep them to itself.
    static let narrowest = 30

    /// All rows and columns that they may take.
    let frame: GridRect

    init(_ state: State, _ layout: PageLayout) {
        let (columns, picture) = (state.size.columns, layout.picture)
        let margin = columns >= 60 ? 2 : 1
        let floor = layout.isTextBeside ? layout.floor : layout.text.row
        // A row stays free above the caption, and below the picture's edge.
        let end = min(floor - (state.pager.rows >= 20 && !layout.isTextBeside ? 1 : 0), picture.row + picture.rows)
        let bottom = end >= 4 ? end : floor
        let rows = max(min(state.size.rows < 20 ? 2 : 3, bottom - 1), 0)
        var (left, right) = (margin, columns - margin)
        if layout.isTextBeside { left = layout.text.column + layout.text.columns + 2 }
        if layout.rail.rows > 0, layout.rail.row < bottom { right = min(right, layout.rail.column - 1) }
        let (first, last) = (max(picture.column, left), min(picture.column + picture.columns, right))
        // As far to the left as to the right of the middle of what is free of the picture.
        let half = min((first + last) / 2 - left, right - (first + last) / 2)
        let width = min(max(last - first, min(2 * half, Self.narrowest)), Self.widest)
        frame = GridRect(
            column: (first + last - width) / 2, row: bottom - rows, columns: max(width, 0), rows: rows)
    }

    /// The lines, broken at words; what does not fit is cut.
    func lines(of text: GlyphLine, ellipsis: Glyph) -> [GlyphLine] {
        guard frame.columns >= 8, frame.rows > 0 else { return [] }
        var text = text
        var lines = text.balanced(to: frame.columns)
        if lines.count > frame.rows {
            // Breaks that somebody made for wider screens cost rows.
            text = text.joiningLines
            lines = text.balanced(to: frame.columns)
        }
        guard lines.count > frame.rows else { return lines.map(text.slice) }
        let rest = text.slice(lines[frame.rows - 1].lowerBound..<text.count)
        return lines.prefix(frame.rows - 1).map(text.slice) + [rest.truncated(to: frame.columns, ellipsis: ellipsis)]
    }
}

extension GlyphLine {
    /// The same as one line.
    fileprivate var joiningLines: GlyphLine {
        var line = GlyphLine()
        for index in glyphs.indices {
            if glyphs[index] == Self.newline {
                line.append(.space, width: 1)
            } else {
                line.append(glyphs[index], width: Int(widths[index]))
            }
        }
        return line
    }
}
