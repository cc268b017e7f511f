import Model

/// A page that is only heard: its cover is its picture. Without one, its title stands there.
extension OverlayDrawing {
    mutating func drawSound(_ state: State, clip: Clip, content: PageContent, layout: PageLayout) {
        guard !clip.hasStill else {
            // Low, so that the cover remains to be seen.
            return drawLevels(state, clip: clip, layout: layout, height: 3, base: layout.text.row - 2)
        }
        let room = layout.rail.column - 4
        let lines = content.title.balanced(to: min(room, 48)).prefix(2).map { content.title.slice($0) }
        let floor = layout.text.row
        let height = min(max((floor - 3 - lines.count) / 2, 1), 8)
        let base = max((floor + height + lines.count + 1) / 2, height + lines.count + 1)
        drawLevels(state, clip: clip, layout: layout, height: height, base: base)
        for (place, line) in lines.enumerated() {
            write(
                line, column: 2 + max(room - line.columns, 0) / 2, row: base - height - lines.count + place,
                limit: room, color: state.theme.text, style: .bold)
        }
    }

    /// The sound's level, as bars on the row `base`: the newest in the middle, older ones to both sides.
    private mutating func drawLevels(_ state: State, clip: Clip, layout: PageLayout, height: Int, base: Int) {
        let steps: [Unicode.Scalar] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        let middle = layout.rail.column / 2
        let reach = min(middle - 2, 2 * 24)
        for column in -reach...reach where column % 2 == 0 {
            let age = abs(column) / 2
            // The root is nearer to what is heard: speech at -20 dB would be a flat line.
            let level = age < clip.levels.count ? Double(clip.levels[clip.levels.count - 1 - age]).squareRoot() : 0
            let fade = 1 - Double(abs(column)) / Double(reach + 1) * 0.6
            let eighths = max(Int(level * fade * Double(height * 8)), 1)
            for row in 0..<height {
                let filled = min(max(eighths - row * 8, 0), 8)
                guard filled > 0 else { break }
                let glyph = options.isASCII ? Glyph(filled > 3 ? "|" : ".") : Glyph(steps[filled])
                let color = state.theme.accent.mixed(with: state.theme.like, by: Double(row) / Double(height))
                mark(glyph, column: middle + column, row: base - row, color: color)
            }
        }
    }
}
