import Model

extension OverlayDrawing {
    /// How much the picture is darkened behind subtitles: white on white has a contrast of 7 then (WCAG's level AAA),
    /// as they are read in passing.
    static let subtitleShade: UInt8 = 166

    /// Draws what is said now: over the lower part of the picture, above the caption and beside the rail.
    mutating func drawSubtitle(_ state: State, layout: PageLayout, now: Duration) {
        guard let subtitle = state.setSubtitle(layout, now: now), !isCut(subtitle.frame) else { return }
        for (index, line) in subtitle.lines.enumerated() {
            let column = subtitle.frame.column + (subtitle.frame.columns - line.columns) / 2
            for place in (column - 1)..<(column + line.columns + 1) {
                shade(column: place, row: subtitle.frame.row + index, by: Self.subtitleShade)
            }
            write(line, column: column, row: subtitle.frame.row + index, color: state.theme.text, style: .bold)
        }
    }
}

extension State {
    /// What is said now, in lines; nil if that is nothing, or has no room.
    func setSubtitle(_ layout: PageLayout, now: Duration) -> SubtitlePlace.Lines? {
        guard let text = subtitle(now: now) else { return nil }
        return SubtitlePlace(self, layout).lines(of: GlyphLine(text), ellipsis: Glyph(options.isASCII ? "~" : "…"))
    }

    /// Where the lines of the chosen track usually stand; nil without one.
    func usualSubtitleFrame(_ layout: PageLayout) -> GridRect? {
        textTrack == nil ? nil : SubtitlePlace(self, layout).frames.first
    }
}

/// Where subtitles stand on a page. A value.
struct SubtitlePlace {
    /// A text as it is drawn: its lines, and the rows and columns that they have.
    struct Lines {
        var frame: GridRect
        var lines: [GlyphLine]
    }

    static let widest = 60
    /// A picture that is narrower than this does not keep them to itself.
    static let narrowest = 30
    /// The most rows, of what would lose words otherwise.
    static let maxRows = 6

    /// All rows and columns that they may take, in the order in which they are tried: in the picture; as wide as what
    /// is free beside it; in more rows; and above everything else on the page, if that is much wider.
    let frames: [GridRect]

    init(_ state: State, _ layout: PageLayout) {
        let (columns, picture) = (state.size.columns, layout.picture)
        let margin = columns >= 60 ? 2 : 1
        let floor = layout.isTextBeside ? layout.floor : layout.text.row
        // A row stays free above the caption, and below the picture's edge.
        let end = min(floor - (state.pager.rows >= 20 && !layout.isTextBeside ? 1 : 0), picture.row + picture.rows)
        let bottom = end >= 4 ? end : floor
        let usual = state.size.rows < 20 ? 2 : 3
        func frame(rows: Int, above bottom: Int, in free: Range<Int>, width: (_ inPicture: Int, _ free: Int) -> Int)
            -> GridRect
        {
            let rows = max(min(rows, bottom - 1), 0)
            let first = max(picture.column, free.lowerBound)
            let last = min(picture.column + picture.columns, free.upperBound)
            // As far to the left as to the right of the middle of what is free of the picture.
            let half = min((first + last) / 2 - free.lowerBound, free.upperBound - (first + last) / 2)
            let width = max(min(width(last - first, 2 * half), Self.widest), 0)
            return GridRect(column: (first + last - width) / 2, row: bottom - rows, columns: width, rows: rows)
        }
        var (left, right) = (margin, columns - margin)
        if layout.isTextBeside { left = layout.text.column + layout.text.columns + 2 }
        if layout.rail.rows > 0, layout.rail.row < bottom { right = max(min(right, layout.rail.column - 1), left) }
        var frames = [
            frame(rows: usual, above: bottom, in: left..<right) { max($0, min($1, Self.narrowest)) },
            frame(rows: usual, above: bottom, in: left..<right) { max($0, $1) },
            frame(rows: Self.maxRows, above: bottom, in: left..<right) { max($0, $1) },
        ]
        let top = min(layout.text.row, layout.rail.rows > 0 ? layout.rail.row : bottom, bottom)
        let above = frame(rows: Self.maxRows, above: top, in: margin..<(columns - margin)) { max($0, $1) }
        // Not over the upper part of the picture, where faces are.
        if top >= max(state.pager.rows / 3, 3), above.columns >= frames[2].columns + 8 { frames.append(above) }
        self.frames = frames
    }

    /// The lines, broken at words; what fits nowhere is cut. nil if there is no room at all.
    func lines(of text: GlyphLine, ellipsis: Glyph) -> Lines? {
        let frames = frames.filter { $0.columns >= 8 && $0.rows > 0 }
        let joined = text.joiningLines
        for frame in frames {
            // Line breaks that were made for wider screens cost rows.
            for text in [text, joined] {
                let lines = text.balanced(to: frame.columns)
                if lines.count <= frame.rows { return Self.lines(lines.map(text.slice), in: frame) }
            }
        }
        guard let frame = frames.max(by: { $0.cells < $1.cells }) else { return nil }
        let lines = joined.balanced(to: frame.columns)
        let rest = joined.slice(lines[frame.rows - 1].lowerBound..<joined.count)
        return Self.lines(
            lines.prefix(frame.rows - 1).map(joined.slice) + [rest.truncated(to: frame.columns, ellipsis: ellipsis)],
            in: frame)
    }

    /// They stand at the frame's lower end.
    private static func lines(_ lines: [GlyphLine], in frame: GridRect) -> Lines {
        let first = frame.row + frame.rows - lines.count
        return Lines(
            frame: GridRect(column: frame.column, row: first, columns: frame.columns, rows: lines.count), lines: lines)
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
