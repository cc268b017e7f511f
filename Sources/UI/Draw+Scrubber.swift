import Model

extension Canvas {
    /// The bottom row: where the clip is, in eighths of a cell; what is buffered; the milestones passed (U7).
    mutating func drawScrubber(_ state: State, now: Duration) {
        let layout = PageLayout(state, index: state.current)
        let (theme, clip, bar) = (state.theme, state.clip, layout.bar)
        for column in 0..<state.size.columns { shade(column: column, row: bar.row, by: Self.shade) }
        let position = state.shownPosition(now: now)
        let isScrubbing = state.scrub != nil
        let clock = Label.clock(position)
        write(
            clock, column: max(bar.column - 1 - clock.utf8.count, 0), row: bar.row,
            color: isScrubbing ? theme.accent : theme.text, style: isScrubbing ? .bold : [])
        guard let duration = clip.duration, duration > .zero else {
            drawBar(bar, played: 0, buffered: 0, furthest: 0, theme: theme, isScrubbing: false)
            return
        }
        write(Label.clock(duration), column: bar.column + bar.columns + 1, row: bar.row, color: theme.dim)
        drawBar(
            bar, played: position / duration, buffered: (clip.buffered ?? .zero) / duration, furthest: clip.furthest,
            theme: theme, isScrubbing: isScrubbing)
    }

    private mutating func drawBar(
        _ bar: GridRect, played: Double, buffered: Double, furthest: Double, theme: Theme, isScrubbing: Bool
    ) {
        let eighths = Int((min(max(played, 0), 1) * Double(bar.columns * 8)).rounded())
        let bufferedCells = Int((min(max(buffered, 0), 1) * Double(bar.columns)).rounded())
        let milestones = Clip.milestones.filter { furthest * 100 >= Double($0) }.map { bar.columns * $0 / 100 }
        if options.isASCII || options.color == .mono {
            drawPlainBar(bar, cells: eighths / 8, buffered: bufferedCells, milestones: milestones, theme: theme)
            return
        }
        let parts: [Unicode.Scalar] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        let tone = isScrubbing ? theme.accent : theme.played
        for place in 0..<bar.columns {
            let column = bar.column + place
            let ground = place < bufferedCells ? theme.buffered : theme.track
            let filled = eighths - place * 8
            if filled >= 8 {
                let isMark = milestones.contains(place)
                paint(
                    isMark ? Glyph("│") : .space, column: column, row: bar.row, color: theme.track, ground: tone)
            } else if filled > 0 {
                paint(Glyph(parts[filled - 1]), column: column, row: bar.row, color: tone, ground: ground)
            } else {
                let isMark = milestones.contains(place)
                paint(isMark ? Glyph("│") : .space, column: column, row: bar.row, color: tone, ground: ground)
            }
        }
    }

    private mutating func drawPlainBar(_ bar: GridRect, cells: Int, buffered: Int, milestones: [Int], theme: Theme) {
        let (done, rest): (Unicode.Scalar, Unicode.Scalar) = options.isASCII ? ("=", "-") : ("━", "─")
        for place in 0..<bar.columns {
            let scalar: Unicode.Scalar =
                if place == cells { options.isASCII ? "O" : "●" } else if milestones.contains(place) {
                    "+"
                } else if place
                    < cells
                { done } else if place < buffered { rest } else { options.isASCII ? "." : "·" }
            paint(Glyph(scalar), column: bar.column + place, row: bar.row, color: theme.text, ground: .black)
        }
    }
}
