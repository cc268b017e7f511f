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
        let (columns, rows) = (state.size.columns, Self.rows(state.pager.rows, textRow: layout.text.row))
        dots = GridRect(column: columns / 2 - 2, row: rows.dots, columns: 5, rows: 1)
        guard let wait = state.clip.wait else {
            words = nil
            return
        }
        let room = layout.rail.column - 2
        let isASCII = state.options.isASCII
        let line = wait.line(
            columns: min(room, 64), separator: isASCII ? " - " : " · ", ellipsis: Glyph(isASCII ? "~" : "…"))
        let column = min((columns - line.columns) / 2, max(room - line.columns, 1))
        words = (line, GridRect(column: column, row: rows.words, columns: line.columns, rows: 1))
    }

    /// The rows of both; on a low page the words are directly above the text, which begins in `textRow`, and above the
    /// dots if those are there.
    static func rows(_ pageRows: Int, textRow: Int) -> (dots: Int, words: Int) {
        let dots = (pageRows - 1) / 2 + dotsBelow
        let words = min(dots + wordsBelow, textRow - 1)
        return (dots, words == dots ? dots - 1 : words)
    }
}
