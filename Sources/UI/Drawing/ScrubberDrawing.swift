import Model

extension OverlayDrawing {
    /// How much the picture is darkened behind the scrubber: on a white picture the faintest tone of the line still
    /// stands out.
    static let scrubberShade: UInt8 = 216

    /// Draws the bottom row: what of the clip is played and buffered on a line, between its position and its length.
    /// While the user seeks the line is thick, has a handle, and one time, near that; under the pointer it is thick
    /// too, with the time that a click goes to. On a low page both times stand where the position does.
    /// A clip that cannot be played has none, nor has an image.
    mutating func drawScrubber(_ state: State, now: Duration) {
        guard state.hasScrubber else { return }
        let layout = PageLayout(state, index: state.current)
        let (theme, clip, bar) = (state.theme, state.clip, layout.bar)
        for column in 0..<grid.size.columns { drawScrubberGround(column, bar.row) }
        let position = state.shownPosition(now: now)
        let label = SeekLabel(state, layout, now: now)
        // What of the times at both ends the label leaves.
        let hasPosition = label.map { $0.isAbove && !$0.isSeek } ?? true
        let hasLength = label.map { !$0.isAbove || !$0.isSeek } ?? true
        if hasPosition {
            let clock = Label.clock(position)
            write(clock, column: max(bar.column - 1 - clock.utf8.count, 0), row: bar.row, color: theme.text)
        }
        var line = ScrubberLine(cells: bar.columns)
        if let duration = clip.duration, duration > .zero {
            if hasLength {
                write(Label.clock(duration), column: bar.column + bar.columns + 1, row: bar.row, color: theme.dim)
            }
            line.position = position / duration
            line.isActive = label != nil || state.seeking.isShown
            for range in clip.cached { line.markBuffered(from: range.lowerBound, to: range.upperBound) }
            // The decoder has read ahead from the position on. (What lies before it is drawn as played anyway.)
            if let buffered = clip.buffered { line.markBuffered(from: line.position, to: buffered / duration) }
            line.markChapters(clip.chapters.map { $0.start / duration })
            line.ends = state.seeking.repeats.cells(on: bar.columns, duration: duration)
        }
        drawLine(line, in: bar, theme: theme)
        if let label { drawSeekLabel(label, theme: theme) }
    }

    /// One colour along the whole row where text has a solid background, else a darkened picture.
    private mutating func drawScrubberGround(_ column: Int, _ row: Int) {
        if let ground = solidGround, bareGround == nil {
            paint(column: column, row: row, color: ground, ground: ground)
        } else {
            shade(column: column, row: row, by: Self.scrubberShade)
        }
    }

    private mutating func drawLine(_ line: ScrubberLine, in bar: GridRect, theme: Theme) {
        let look = ScrubberLook(options, theme, isActive: line.isActive)
        for place in 0..<bar.columns {
            let (part, isChapter, column) = (line.part(of: place), line.isChapter(place), bar.column + place)
            let end = line.endMark(of: place)
            let glyph = end.map { Glyph($0) } ?? look.glyph(of: part, isChapter: isChapter)
            let color = end == nil ? look.color(of: part, isChapter: isChapter) : theme.accent
            if let ground = textGround {
                paint(glyph, column: column, row: bar.row, color: color, ground: ground)
            } else {
                mark(glyph, column: column, row: bar.row, color: color)
            }
        }
    }

    private mutating func drawSeekLabel(_ label: SeekLabel, theme: Theme) {
        let blank = GlyphLine(" ")
        var column = label.column - 1
        column += write(blank + label.time, column: column, row: label.row, color: theme.accent, style: .bold)
        write(label.total + blank, column: column, row: label.row, color: theme.text, style: .bold)
        guard let chapter = label.chapter else { return }
        write(blank + chapter.line + blank, column: chapter.column - 1, row: label.row, color: theme.text)
    }
}

extension State {
    /// The still of the place under the pointer; nil if it is not shown.
    func seekStillTile(now: Duration) -> Scene.Tile? {
        guard pointer.hover != nil, pointer.still != nil, hasScrubber, let currentID else { return nil }
        let layout = PageLayout(self, index: current)
        guard let frame = seekStillFrame(SeekLabel(self, layout, now: now)) else { return nil }
        return Scene.Tile(.seekStill(currentID), frame: frame)
    }
}

extension PageLayout {
    /// Where a time is written.
    struct TimePlace {
        let column: Int
        let row: Int
        /// The columns of its row that it and a title beside it may take.
        let room: Range<Int>
        /// Whether the clip's length has room too.
        let hasTotal: Bool
    }

    /// Where the time of a seek is written whose handle is in the column `handle`: `columns` wide, and `total` more for
    /// the clip's length if that has room too. A column on both sides stays free. On a low page it is before the bar,
    /// and the length behind that. Nil if there is no room at all.
    func time(columns: Int, total: Int, at handle: Int) -> TimePlace? {
        guard floor < bar.row else {
            return TimePlace(
                column: max(bar.column - 1 - columns, 0), row: bar.row, room: 0..<bar.column, hasTotal: false)
        }
        for (width, hasTotal) in [(columns + total, true), (columns, false)] {
            let wanted = handle - width / 2
            let places = timeRooms.compactMap { room -> TimePlace? in
                let (first, last) = (room.lowerBound + 1, room.upperBound - width - 1)
                guard last >= first else { return nil }
                return TimePlace(
                    column: min(max(wanted, first), last), row: bar.row - 1, room: room, hasTotal: hasTotal)
            }
            if let nearest = places.min(by: { abs($0.column - wanted) < abs($1.column - wanted) }) { return nearest }
        }
        return nil
    }

    /// The columns of the row above the bar that a time may take, with a blank at both ends: all within the margins,
    /// but for those that touch the trust score.
    private var timeRooms: [Range<Int>] {
        let first = Self.margin(in: scrubber.columns) - 1
        let last = scrubber.columns - first
        guard let trust, trust.row + trust.rows >= bar.row - 1 else { return [first..<last] }
        let end = min(trust.column + trust.columns + 1, last)
        return [first..<max(trust.column - 1, first), end..<last]
    }
}
