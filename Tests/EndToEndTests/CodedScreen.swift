import Model
import TestSupport

extension TestClips {
    /// Eight seconds: every picture has a different number, and every tenth begins at a picture (24 pictures apart).
    static let short = Recipe("coded-short-1.mp4", width: 640, height: 360, seconds: 8, tone: 500)
    /// The same with another tone.
    static let other = Recipe("coded-other-1.mp4", width: 640, height: 360, seconds: 8, tone: 1_500)
}

extension CapturedScreen {
    /// The number of the coded picture (see `FrameCode`) that fills the screen; nil if it is incomplete.
    ///
    /// - Parameter aspect: the clip's ratio of width to height. Cells count as twice as high as wide.
    func frameCode(aspect: Double = 16.0 / 9) -> Int? {
        let (width, height) = (Double(size.columns), Double(size.rows) * 2)
        // The picture covers the page.
        let (shownWidth, shownHeight) = (max(width, height * aspect), max(height, width / aspect))
        return FrameCode.decode { x, y in
            let column = Int(width / 2 + (x - 0.5) * shownWidth)
            let row = Int(height / 2 + (y - 0.5) * shownHeight)
            let halves = self[min(max(column, 0), size.columns - 1), min(max(row / 2, 0), size.rows - 1)].halves
            let color = row % 2 == 0 ? halves.upper : halves.lower
            return (Double(color.red) * 299 + Double(color.green) * 587 + Double(color.blue) * 114) / 1_000
        }
    }

    /// The clip's position by the scrubber, in seconds: the first time in the bottom row.
    var shownSeconds: Int? {
        guard
            // While the user seeks, the time stands over the scrubber.
            let clock = rows.suffix(2).reversed().lazy.compactMap({ row in
                row.split(whereSeparator: { !"0123456789:".contains($0) }).first { $0.contains(":") }
            }).first
        else { return nil }
        let parts = clock.split(separator: ":").compactMap { Int($0) }
        return parts.reduce(0) { $0 * 60 + $1 }
    }
}
