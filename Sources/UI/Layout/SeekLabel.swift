import Model

/// The time of a seek, "4:26 / 9:56", or of the place under the pointer, with the chapter's title beside it unless a
/// toast names that: above the handle or the pointer. On a low page, which has no free row there, the time alone takes
/// the place of the position before the bar. It never takes the cells of the trust score. A value.
struct SeekLabel {
    let time: GlyphLine
    /// Of a seek, not of the pointer's place.
    let isSeek: Bool
    /// " / 9:56"; empty if that has no room, before the bar, and for the pointer's place.
    let total: GlyphLine
    let column: Int
    let row: Int
    let chapter: (line: GlyphLine, column: Int)?
    /// The cells of all three, with a blank at both ends.
    let frame: GridRect
    /// Whether it stands above the bar, not before it.
    let isAbove: Bool
    /// The column of the place that it is about.
    let handle: Int

    /// In columns; a shorter title is of no use.
    private static let shortestTitle = 8

    /// nil while there is no seek and the pointer is elsewhere, or if there is no room.
    init?(_ state: State, _ layout: PageLayout, now: Duration) {
        guard !state.pager.isMoving, state.clip.failure == nil, let duration = state.clip.duration, duration > .zero
        else { return nil }
        isSeek = state.seeking.isShown
        let pointed = state.hoveredShare(layout).map { duration * $0 }
        guard let position = isSeek ? state.shownPosition(now: now) : pointed else { return nil }
        let clock = GlyphLine(Label.clock(position))
        let length = isSeek ? GlyphLine(" / " + Label.clock(duration)) : GlyphLine()
        handle = layout.bar.column + ScrubberLine.handle(at: position / duration, cells: layout.bar.columns)
        guard let place = layout.time(columns: clock.columns, total: length.columns, at: handle) else { return nil }
        (time, total) = (clock, place.hasTotal ? length : GlyphLine())
        (column, row, isAbove) = (place.column, place.row, place.row < layout.bar.row)
        let own = GridRect(
            column: place.column - 1, row: place.row, columns: time.columns + total.columns + 2, rows: 1)
        let number = state.clip.chapter(at: position)
        let title = number.map { state.showsToast(ofChapter: $0) ? "" : state.clip.chapters[$0].title } ?? ""
        chapter = isAbove ? Self.chapter(GlyphLine(title), beside: own, in: place.room, state.options) : nil
        frame = chapter.map { own.joined(with: $0.column - 1, columns: $0.line.columns + 2) } ?? own
    }

    /// The title on the side of the time that has more room.
    ///
    /// - Parameter columns: those that both may take.
    private static func chapter(
        _ title: GlyphLine, beside time: GridRect, in columns: Range<Int>, _ options: Options
    ) -> (line: GlyphLine, column: Int)? {
        let end = time.column + time.columns
        let room = (left: time.column - 2 - columns.lowerBound, right: columns.upperBound - end - 2)
        guard title.columns > 0, max(room.left, room.right) >= shortestTitle else { return nil }
        let isRight = room.right >= min(title.columns, room.left)
        let line = title.truncated(
            to: isRight ? room.right : room.left, ellipsis: Glyph(options.isASCII ? "~" : "…"))
        return (line, isRight ? end + 1 : time.column - 1 - line.columns)
    }
}

extension GridRect {
    /// The rectangle widened to the columns `first` ..< `first + count`.
    fileprivate func joined(with first: Int, columns count: Int) -> GridRect {
        let start = min(column, first)
        return GridRect(
            column: start, row: row, columns: max(column + columns, first + count) - start, rows: rows)
    }
}

extension SeekStill {
    /// A still of fewer rows shows nothing.
    private static let fewestRows = 4
    private static let maxRows = 12
    /// Of the screen's columns.
    private static let widest = 1.0 / 3

    /// The cells of the still above `label`; nil if it has no room.
    func frame(above label: SeekLabel, on screen: GridSize) -> GridRect? {
        guard size.width > 0, size.height > 0, label.row < screen.rows else { return nil }
        var rows = min(screen.rows / 4, Self.maxRows)
        // Cells are about twice as high as wide.
        func columns() -> Int { max(2 * rows * size.width / size.height, 1) }
        let room = Int(Double(screen.columns) * Self.widest)
        while columns() > room, rows > 0 { rows -= 1 }
        // The top row has the feed's name.
        guard rows >= Self.fewestRows, label.row - rows >= 2 else { return nil }
        let middle = label.isAbove ? label.column + label.time.columns / 2 : label.handle
        let column = min(max(middle - columns() / 2, 1), screen.columns - columns() - 1)
        return GridRect(column: column, row: label.row - rows, columns: columns(), rows: rows)
    }
}

extension State {
    /// Where the still of the place under the pointer is drawn; nil if it is not.
    func seekStillFrame(_ label: SeekLabel?) -> GridRect? {
        guard let label, !label.isSeek, let still = pointer.still, still.item == currentID else { return nil }
        return still.frame(above: label, on: size)
    }
}
