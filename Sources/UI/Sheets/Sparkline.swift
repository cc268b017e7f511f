import Model

/// A graph of one row: a cell for each figure, the lowest for nothing.
enum Sparkline {
    private static let steps: [Unicode.Scalar] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let plainSteps: [Unicode.Scalar] = ["_", ".", ":", "-", "=", "+", "*", "#"]

    /// - Parameter figures: not negative.
    static func line(_ figures: some Collection<Double>, isASCII: Bool) -> GlyphLine {
        var line = GlyphLine()
        // A little room above the highest, so that a steady figure is not a solid bar.
        let top = max((figures.max() ?? 0) * 1.15, .leastNormalMagnitude)
        let steps = isASCII ? plainSteps : steps
        for figure in figures {
            line.append(Glyph(steps[min(Int(figure / top * Double(steps.count)), steps.count - 1)]), width: 1)
        }
        return line
    }
}
