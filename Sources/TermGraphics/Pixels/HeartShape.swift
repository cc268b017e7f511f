import Model

/// A heart over a canvas of pixels. A value.
public struct HeartShape: Sendable, Equatable {
    /// The cell in its middle.
    public var at: GridPoint
    /// How many cells it is wide.
    public var columns: Double
    public var color: RGB
    public var opacity: UInt8
    /// The rows of the terminal in which it may be seen.
    public var rows: Range<Int>

    public init(at point: GridPoint, columns: Double, color: RGB, opacity: UInt8, rows: Range<Int>) {
        (at, self.columns, self.color, self.opacity, self.rows) = (point, columns, color, opacity, rows)
    }

    /// Whether it covers a point, in halves of its width from its middle; y points down.
    static func covers(_ x: Double, _ y: Double) -> Bool {
        // (x² + y² - 1)³ = x² y³ reaches to 1.14 at both sides, and from -1 to 1.24.
        let (x, y) = (1.14 * x, 0.12 - 1.12 * y)
        let ring = x * x + y * y - 1
        return ring * ring * ring <= x * x * y * y * y
    }
}

extension Canvas {
    /// Blends a heart over the pixels.
    func paint(_ heart: HeartShape) {
        let (samples, whole) = (pictures.samplesPerCell, pictures.pictureSize(for: size))
        let radius = heart.columns * Double(samples.width) / 2
        guard radius >= 1, radius < 1e5 else { return }
        let middle = (
            x: (Double(heart.at.column) + 0.5) * Double(samples.width),
            y: (Double(heart.at.row) + 0.5) * Double(samples.height)
        )
        let visible = heart.rows.clamped(to: 0..<size.rows)
        func range(_ middle: Double, _ bounds: Range<Int>) -> Range<Int> {
            (Int(middle - radius)..<Int(middle + radius) + 1).clamped(to: bounds)
        }
        let rows = range(middle.y, visible.lowerBound * samples.height..<visible.upperBound * samples.height)
        paint(
            ShapePlace(middle: middle, radius: radius, columns: range(middle.x, 0..<whole.width), rows: rows),
            opacity: heart.opacity, covers: HeartShape.covers, color: { _, _ in heart.color })
    }
}
