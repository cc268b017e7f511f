/// What pictures are drawn with: `--surface`, `interface.surface`, and `surface` in the trace. A value.
public enum PictureMode: String, Sendable, CaseIterable {
    /// Printable ASCII, matched by shape.
    case ascii
    /// U+2580 upper half block: two pixels per cell, one above the other.
    case half

    /// Whether its characters are beyond ASCII, so that the terminal has to show Unicode.
    public var needsUnicode: Bool {
        switch self {
        case .ascii: false
        case .half: true
        }
    }

    /// The pixels of one cell, across and down.
    public var samplesPerCell: PixelSize {
        switch self {
        case .ascii: PixelSize(width: 2, height: 4)
        case .half: PixelSize(width: 1, height: 2)
        }
    }

    /// The size in pixels of a picture that covers `grid` exactly.
    public func pictureSize(for grid: GridSize) -> PixelSize {
        PixelSize(width: grid.columns * samplesPerCell.width, height: grid.rows * samplesPerCell.height)
    }
}
