import Model

/// Where the bars of the level stand on a page that is only heard, and its title where it has no cover. A value.
struct SoundPlace {
    /// nil if they have no room.
    let bars: GridRect?
    /// The lines of the title, above the bars; none beside a cover, which is the picture, and where the caption has it.
    let lines: [GlyphLine]
    let title: GridRect

    /// Half of the columns that the bars may take, and the rows.
    private static let (reach, maxRows) = (48, 8)
    /// Low over a cover, so that it remains to be seen.
    private static let rowsAtCover = 3

    /// - Parameters:
    ///   - hasCover: whether the picture is a cover.
    ///   - subtitles: where the text that is spoken usually stands; nil without a chosen track.
    init(_ layout: PageLayout, hasCover: Bool, subtitles: GridRect?) {
        let text = layout.isTextBeside ? layout.floor : layout.text.row
        let floor = min(text, subtitles?.row ?? text)
        guard !hasCover else {
            (lines, title) = ([], GridRect(column: 0, row: 0, columns: 0, rows: 0))
            bars = Self.bars(at: layout.picture, layout, text: text, floor: floor)
            return
        }
        // The title before the bars: nothing else on the page has it.
        lines = Array(layout.titleLines.prefix(max(floor - 2, 0)))
        let height = min(max((floor - 3 - lines.count) / 2, 1), Self.maxRows)
        // A row is free above the text, if there is one.
        let base = max(min((floor + height + lines.count + 1) / 2, floor - 2), height + lines.count + 1)
        let middle = PageLayout.middle(beside: layout.rail)
        title = GridRect(
            column: middle.lowerBound, row: base - height - lines.count, columns: middle.count, rows: lines.count)
        let columns = 2..<max(layout.rail.column - 1, 2)
        bars =
            base < floor
            ? Self.bars(height, on: base, around: middle.lowerBound + (middle.count - 1) / 2, within: columns) : nil
    }

    /// In the middle of the cover: below it if there is room, else over its lower part. A row is free above and below.
    ///
    /// - Parameters:
    ///   - text: the first row of the caption.
    ///   - floor: the first row of the caption and of subtitles.
    private static func bars(at cover: GridRect, _ layout: PageLayout, text: Int, floor: Int) -> GridRect? {
        let end = cover.row + cover.rows
        let base = text - end >= rowsAtCover + 2 ? end + rowsAtCover : floor - 2
        guard base > rowsAtCover else { return nil }
        let meetsRail = layout.rail.rows > 0 && layout.rail.row <= base
        let right = min(cover.column + cover.columns, meetsRail ? layout.rail.column - 1 : .max)
        return bars(
            rowsAtCover, on: base, around: cover.column + cover.columns / 2,
            within: cover.column..<max(right, cover.column))
    }

    /// As many columns to the left of the middle as to its right; nil if it is outside of `columns`.
    private static func bars(
        _ rows: Int, on base: Int, around middle: Int, within columns: Range<Int>
    ) -> GridRect? {
        let half = min(middle - columns.lowerBound, columns.upperBound - 1 - middle, reach)
        guard half >= 0 else { return nil }
        return GridRect(column: middle - half, row: base - rows + 1, columns: 2 * half + 1, rows: rows)
    }
}

/// A page that is only heard: its cover is its picture. Without one, its title stands there.
extension OverlayDrawing {
    mutating func drawSound(_ state: State, index: Int, layout: PageLayout, now: Duration) {
        let (clip, isCurrent) = (state.clip(of: index), index == state.current)
        let subtitles = isCurrent ? state.usualSubtitleFrame(layout) : nil
        let place = SoundPlace(layout, hasCover: clip.hasStill, subtitles: subtitles)
        // A text that needs more rows than usual takes these.
        let spoken = isCurrent ? state.setSubtitle(layout, now: now)?.frame : nil
        func isFree(_ frame: GridRect) -> Bool { spoken.map { !$0.overlaps(frame) } ?? true }
        if let bars = place.bars, isFree(bars) { drawLevels(clip.levels, in: bars, theme: state.theme) }
        guard isFree(place.title) else { return }
        for (number, line) in place.lines.enumerated() {
            write(
                line, column: place.title.column + max(place.title.columns - line.columns, 0) / 2,
                row: place.title.row + number, limit: place.title.columns, color: state.theme.text, style: .bold)
        }
    }

    /// The sound's level, as bars: the newest in the middle, older ones to both sides.
    private mutating func drawLevels(_ levels: [Float], in frame: GridRect, theme: Theme) {
        let steps: [Unicode.Scalar] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        let reach = frame.columns / 2
        let (middle, base) = (frame.column + reach, frame.row + frame.rows - 1)
        for column in -reach...reach where column % 2 == 0 {
            let age = abs(column) / 2
            // The root is nearer to what is heard: speech at -20 dB would be a flat line.
            let level = age < levels.count ? Double(levels[levels.count - 1 - age]).squareRoot() : 0
            let fade = 1 - Double(abs(column)) / Double(reach + 1) * 0.6
            let eighths = max(Int(level * fade * Double(frame.rows * 8)), 1)
            for row in 0..<frame.rows {
                let filled = min(max(eighths - row * 8, 0), 8)
                guard filled > 0 else { break }
                let glyph = options.isASCII ? Glyph(filled > 3 ? "|" : ".") : Glyph(steps[filled])
                let color = theme.accent.mixed(with: theme.like, by: Double(row) / Double(frame.rows))
                mark(glyph, column: middle + column, row: base - row, color: color)
            }
        }
    }
}
