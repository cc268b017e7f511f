/// How close the screen has to come to the canvas, in the cells that show
/// pictures. Text, and what the overlay draws, is exact at every precision.
///
/// A cell of a picture whose error is invisible stays as it is, and is written in colours that are set already where
/// those are near enough. `PerceptualErrors` sets the limit for each cell. Only 24-bit colours are approximated.
public struct Precision: Hashable, Sendable {
    /// 0 (the screen equals the canvas) … 1 (only the grossest changes are written).
    public let tolerance: Double

    /// - Parameter tolerance: 0 … 1; others become the nearer of the two, NaN becomes 0.
    public init(tolerance: Double) {
        self.tolerance = tolerance.isNaN ? 0 : min(max(tolerance, 0), 1)
    }

    /// The screen equals the canvas.
    public static let exact = Precision(tolerance: 0)

    /// The error cannot be seen while the picture moves.
    public static let moving = Precision(tolerance: 0.25)

    /// The error cannot be seen in the first picture of another clip: for some tenths of a second after a
    /// cut the eye sees less detail (Seyler and Budrikis, "Detail Perception after Scene Changes in Television Image
    /// Presentations", 1965).
    public static let cut = Precision(tolerance: 0.33)

    public var isExact: Bool { tolerance == 0 }
}
