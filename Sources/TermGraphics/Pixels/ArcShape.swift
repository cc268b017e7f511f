import Model
import Platform

/// A half circle over a canvas of pixels, from the left over the top to the right. A value.
public struct ArcShape: Sendable, Equatable {
    /// The cells that it lies in.
    public var frame: GridRect
    /// How much of it is filled, 0 … 1, from the left on.
    public var share: Double
    /// The colours of the filled part at the left, at the top and at the right; between them they change gradually.
    public var left: RGB
    public var top: RGB
    public var right: RGB
    /// The colour of the rest.
    public var missing: RGB
    /// The rows of the terminal in which it may be seen.
    public var rows: Range<Int>

    /// The inner radius, of the outer one.
    private static let hole = 0.74

    public init(
        in frame: GridRect, share: Double, left: RGB, top: RGB, right: RGB, missing: RGB, rows: Range<Int>
    ) {
        (self.frame, self.share, self.missing, self.rows) = (frame, share, missing, rows)
        (self.left, self.top, self.right) = (left, top, right)
    }

    /// Whether it covers a point, in outer radii from its middle; y points down.
    static func covers(_ x: Double, _ y: Double) -> Bool {
        y <= 0 && (hole * hole...1).contains(x * x + y * y)
    }

    /// Its colour in a direction from its middle.
    func color(_ x: Double, _ y: Double) -> RGB {
        let place = atan2(max(-y, 0), -x) / .pi
        guard place <= share, share > 0 else { return missing }
        return place < 0.5 ? left.mixed(with: top, by: place * 2) : top.mixed(with: right, by: place * 2 - 1)
    }
}

extension Canvas {
    /// Blends an arc over the pixels.
    func paint(_ arc: ArcShape) {
        let (samples, whole) = (pictures.samplesPerCell, pictures.pictureSize(for: size))
        let (left, top) = (arc.frame.column * samples.width, arc.frame.row * samples.height)
        let (width, height) = (arc.frame.columns * samples.width, arc.frame.rows * samples.height)
        // Its ends stand a little above what is below it.
        let radius = min(Double(width) / 2, Double(height) * 0.86)
        guard radius >= 1 else { return }
        let middle = (x: Double(left) + Double(width) / 2, y: Double(top) + radius)
        let visible = arc.rows.clamped(to: 0..<size.rows)
        let columns = (left..<left + width).clamped(to: 0..<whole.width)
        let lines = (top..<top + height).clamped(
            to: visible.lowerBound * samples.height..<visible.upperBound * samples.height)
        paint(
            ShapePlace(middle: middle, radius: radius, columns: columns, rows: lines), covers: ArcShape.covers,
            color: arc.color)
    }
}
