import Model

extension OverlayDrawing {
    /// How much the picture is darkened behind the scrubber: on a white picture the faintest tone of the line still
    /// stands out. The rows above it lead there in steps that grow.
    static let scrubberShade: UInt8 = 190
    static let scrubberFade: [UInt8] = [135, 94, 66, 53]

    /// Draws the bottom row: the position on a thin line along the screen's edge, and what of the clip is buffered and
    /// cached. The line is dim while the clip plays by itself; while the user seeks it is thick and bright, with a
    /// handle and the time beside it. A clip that cannot be played has none.
    mutating func drawScrubber(_ state: State, now: Duration) {
        guard state.clip.failure == nil else { return }
        let layout = PageLayout(state, index: state.current)
        let (theme, clip, bar) = (state.theme, state.clip, layout.bar)
        shadeScrubber(row: bar.row)
        let position = state.shownPosition(now: now)
        let clock = Label.clock(position)
        write(
            clock, column: max(bar.column - 1 - clock.utf8.count, 0), row: bar.row, color: theme.text,
            style: state.isSeeking ? .bold : [])
        var line = ScrubberLine(cells: bar.columns)
        guard let duration = clip.duration, duration > .zero else { return drawLine(line, in: bar, theme: theme) }
        write(Label.clock(duration), column: bar.column + bar.columns + 1, row: bar.row, color: theme.dim)
        line.position = position / duration
        line.isActive = state.isSeeking
        for range in clip.cached { line.mark(.cached, from: range.lowerBound, to: range.upperBound) }
        // The decoder has read ahead from the position on. (What lies before it is drawn as played anyway.)
        if let buffered = clip.buffered { line.mark(.buffered, from: line.position, to: buffered / duration) }
        line.markChapters(clip.chapters.map { $0.start / duration })
        drawLine(line, in: bar, theme: theme)
        guard line.isActive, !state.pager.isMoving else { return }
        let chapter = clip.chapter(at: position).map { clip.chapters[$0].title } ?? ""
        drawTime(
            position, of: duration, chapter: chapter, at: bar.column + line.handle, layout: layout, theme: theme)
    }

    private mutating func shadeScrubber(row: Int) {
        for column in 0..<grid.size.columns {
            shade(column: column, row: row, by: Self.scrubberShade)
            for (place, depth) in Self.scrubberFade.enumerated() {
                shade(column: column, row: row - 1 - place, by: depth)
            }
        }
    }

    /// In truecolor and 256 colours the line's parts differ in colour alone. With fewer they differ in shape too.
    private mutating func drawLine(_ line: ScrubberLine, in bar: GridRect, theme: Theme) {
        let isPlain = options.textNeedsGround
        for place in 0..<bar.columns {
            let part = line.part(of: place)
            let color =
                switch part {
                case .played: line.isActive || isPlain ? theme.accent : theme.resting
                case .handle: theme.accent
                case .buffered: theme.buffered
                case .cached: theme.cached
                case .nothing: theme.track
                }
            let column = bar.column + place
            let begins = line.isChapter(place) && part != .handle
            if isPlain {
                let (ascii, other) = begins ? ("|", "┃") : (part.ascii, part.line)
                paint(
                    Glyph(options.isASCII ? ascii : other), column: column, row: bar.row, color: color, ground: .black)
            } else {
                let height: Unicode.Scalar = line.isActive ? (begins ? "▅" : "▃") : (begins ? "▃" : "▁")
                let isAhead = begins && part != .played
                mark(
                    Glyph(part == .handle ? "▆" : height), column: column, row: bar.row,
                    color: isAhead ? theme.resting : color)
            }
        }
    }

    /// "4:26 / 9:56 Title of the chapter": in the empty row above the handle;
    /// where there is none, on the line beside the handle.
    private mutating func drawTime(
        _ position: Duration, of duration: Duration, chapter: String, at handle: Int, layout: PageLayout, theme: Theme
    ) {
        let time = Label.clock(position)
        let total = " / " + Label.clock(duration)
        guard let (column, row, hasTotal) = layout.time(columns: time.utf8.count, total: total.utf8.count, at: handle)
        else { return }
        write(" " + time, column: column - 1, row: row, color: theme.accent, style: .bold)
        write(" ", column: column + time.utf8.count, row: row, color: theme.dim)
        guard hasTotal else { return }
        write(total + " ", column: column + time.utf8.count, row: row, color: theme.text, style: .bold)
        if row != layout.bar.row {
            let end = column + time.utf8.count + total.utf8.count
            drawChapter(chapter, before: column - 2, after: end + 1, row: row, layout: layout, theme: theme)
        }
    }

    /// A chapter's title beside the time of a seek, on the side that has more room: in front of the column `before`, or
    /// from the column `after` on.
    private mutating func drawChapter(
        _ title: String, before: Int, after: Int, row: Int, layout: PageLayout, theme: Theme
    ) {
        let title = GlyphLine(title)
        let room = (left: before - 1, right: layout.scrubber.columns - after - 2)
        guard title.columns > 0, max(room.left, room.right) >= Self.shortestTitle else { return }
        let isRight = room.right >= min(title.columns, room.left)
        let line = title.truncated(to: isRight ? room.right : room.left, ellipsis: ellipsis)
        let column = isRight ? after + 1 : before - line.columns
        write(" ", column: column - 1, row: row, color: theme.text)
        write(line, column: column, row: row, color: theme.text)
        write(" ", column: column + line.columns, row: row, color: theme.text)
    }

    /// In columns: less of a title tells nothing.
    private static let shortestTitle = 8
}

extension PageLayout {
    /// Where the time of a seek is written whose handle is in the column `handle`: `columns` wide, and `total` more for
    /// the clip's length if that has room too. A column on both sides stays free. Nil if there is no room at all.
    func time(columns: Int, total: Int, at handle: Int) -> (column: Int, row: Int, hasTotal: Bool)? {
        let above = floor < bar.row
        for (width, hasTotal) in [(columns + total, true), (columns, false)] {
            if above {
                let last = scrubber.columns - width - 1
                guard last >= 1 else { continue }
                return (min(max(handle - width / 2, 1), last), bar.row - 1, hasTotal)
            }
            if handle + 2 + width < bar.column + bar.columns { return (handle + 2, bar.row, hasTotal) }
            if handle - 1 - width > bar.column { return (handle - 1 - width, bar.row, hasTotal) }
        }
        return nil
    }
}
