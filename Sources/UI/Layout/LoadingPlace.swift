import Model

/// Where the page says that its clip loads or has stalled, and what flick waits
/// for. Drawing and clicks use it. A value.
struct LoadingPlace {
    /// Three dots with a column between them.
    let dots: GridRect
    let words: (line: GlyphLine, frame: GridRect)?

    /// The rows from the middle of a page to its dots, and from there to the words.
    private static let (dotsBelow, wordsBelow) = (1, 2)

    /// nil while neither is shown.
    init?(_ state: State, _ layout: PageLayout, now: Duration) {
        guard state.loading.isShown(now: now) else { return nil }
        let (columns, room, isASCII) = (state.size.columns, layout.rail.column - 2, state.options.isASCII)
        let line = state.clip.wait?.line(
            columns: min(room, 64), separator: isASCII ? " - " : " · ", ellipsis: Glyph(isASCII ? "~" : "…"))
        // Text beside the picture is in the way of longer words only.
        let isInPicture = layout.isTextBeside && (line?.columns ?? 0) <= layout.picture.columns - 2
        let rows = Self.rows(state.pager.rows, textRow: isInPicture ? layout.floor : layout.text.row)
        dots = GridRect(column: columns / 2 - 2, row: rows.dots, columns: 5, rows: 1)
        words = line.map { line -> (line: GlyphLine, frame: GridRect) in
            // In the middle of the page, or of what is free of the rail.
            let middle = (columns + line.columns) / 2 <= room ? columns : layout.rail.column
            let column = max((middle - line.columns) / 2, 1)
            return (line, GridRect(column: column, row: rows.words, columns: line.columns, rows: 1))
        }
    }

    /// The rows of both; on a low page they are higher, so that a row stays free above the text, which begins in
    /// `textRow`, and another above the words, if there are as many.
    static func rows(_ pageRows: Int, textRow: Int) -> (dots: Int, words: Int) {
        let dots = (pageRows - 1) / 2 + dotsBelow
        let words = max(min(dots + wordsBelow, textRow - (textRow > 3 ? 2 : 1)), 1)
        return (max(min(dots, words - (words > 2 ? wordsBelow : 1)), 1), words)
    }
}
