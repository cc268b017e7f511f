import Model

extension OverlayDrawing {
    /// Draws the bottom row: the position in eighths of a cell, the available parts in half cells, and the milestones
    /// that were passed.
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
            drawBar(bar, Progress(cells: bar.columns), theme: theme, isScrubbing: false)
            return
        }
        write(Label.clock(duration), column: bar.column + bar.columns + 1, row: bar.row, color: theme.dim)
        var progress = Progress(cells: bar.columns)
        progress.played = position / duration
        progress.furthest = clip.furthest
        for range in clip.cached { progress.markAvailable(from: range.lowerBound, to: range.upperBound) }
        // The decoder has read ahead from the position on. (What lies before it is drawn as played anyway.)
        if let buffered = clip.buffered { progress.markAvailable(from: progress.played, to: buffered / duration) }
        drawBar(bar, progress, theme: theme, isScrubbing: isScrubbing)
    }

    private mutating func drawBar(_ bar: GridRect, _ progress: Progress, theme: Theme, isScrubbing: Bool) {
        if options.isASCII || options.color == .mono { return drawPlainBar(bar, progress, theme: theme) }
        let parts: [Unicode.Scalar] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        let tone = isScrubbing ? theme.accent : theme.played
        let milestones = progress.milestones
        for place in 0..<bar.columns {
            let column = bar.column + place
            let (left, right) = progress.isAvailable(place)
            let filled = progress.eighths - place * 8
            let isMark = milestones.contains(place)
            if filled >= 8 {
                paint(isMark ? Glyph("│") : .space, column: column, row: bar.row, color: theme.track, ground: tone)
            } else if filled > 0 {
                let ground = right ? theme.buffered : theme.track
                paint(Glyph(parts[filled - 1]), column: column, row: bar.row, color: tone, ground: ground)
            } else if isMark || left == right {
                let ground = left || right ? theme.buffered : theme.track
                paint(isMark ? Glyph("│") : .space, column: column, row: bar.row, color: tone, ground: ground)
            } else {
                let (first, second) = left ? (theme.buffered, theme.track) : (theme.track, theme.buffered)
                paint(Glyph("▌"), column: column, row: bar.row, color: first, ground: second)
            }
        }
    }

    private mutating func drawPlainBar(_ bar: GridRect, _ progress: Progress, theme: Theme) {
        let (cells, milestones) = (progress.eighths / 8, progress.milestones)
        for place in 0..<bar.columns {
            let scalar: Unicode.Scalar =
                if place == cells {
                    options.isASCII ? "O" : "●"
                } else if milestones.contains(place) {
                    "+"
                } else if place < cells {
                    options.isASCII ? "=" : "━"
                } else {
                    switch progress.isAvailable(place) {
                    case (true, true): options.isASCII ? "-" : "─"
                    case (true, false): options.isASCII ? "-" : "╴"
                    case (false, true): options.isASCII ? "." : "╶"
                    case (false, false): options.isASCII ? "." : "·"
                    }
                }
            paint(Glyph(scalar), column: bar.column + place, row: bar.row, color: theme.text, ground: .black)
        }
    }
}

/// What the bar shows in each cell.
private struct Progress {
    let cells: Int
    /// Fractions of the clip, 0 … 1.
    var played = 0.0
    var furthest = 0.0
    /// Whether each half of a cell is available: cached, or decoded ahead.
    private var availableHalves: [Bool]

    init(cells: Int) {
        self.cells = cells
        availableHalves = Array(repeating: false, count: cells * 2)
    }

    /// How much of the row is played, in eighths of a cell.
    var eighths: Int { Int((min(max(played, 0), 1) * Double(cells * 8)).rounded()) }

    /// The cells of the milestones that were passed.
    var milestones: [Int] { Clip.milestones.filter { furthest * 100 >= Double($0) }.map { cells * $0 / 100 } }

    /// Marks the part between two fractions of the clip as available.
    mutating func markAvailable(from: Double, to: Double) {
        let halves = Double(availableHalves.count)
        let first = Int((min(max(from, 0), 1) * halves).rounded())
        let end = Int((min(max(to, 0), 1) * halves).rounded())
        for half in first..<max(end, first) { availableHalves[half] = true }
    }

    func isAvailable(_ cell: Int) -> (left: Bool, right: Bool) {
        (availableHalves[cell * 2], availableHalves[cell * 2 + 1])
    }
}
