/// How pictures are drawn on the terminal in its current state: the mode, and the pixels of a cell. A value.
public struct PictureFormat: Sendable, Hashable {
    public var mode: PictureMode
    /// The pixels of one cell, across and down; at least one of each.
    public var samplesPerCell: PixelSize

    /// - Parameter samplesPerCell: nil for those of the mode.
    public init(_ mode: PictureMode, samplesPerCell: PixelSize? = nil) {
        self.mode = mode
        self.samplesPerCell = samplesPerCell ?? mode.samplesPerCell
    }

    /// A mode's format on a terminal of `grid` cells.
    ///
    /// - Parameters:
    ///   - cell: the size of a cell in pixels of the screen; nil if it is not known.
    ///   - maxPixels: how many pixels a picture of the whole grid may have, about. Cells of more get fewer, in the
    ///     same shape.
    public init(_ mode: PictureMode, cell: PixelSize?, grid: GridSize, maxPixels: Int) {
        self.init(mode)
        guard mode.hasPixels else { return }
        if let cell { samplesPerCell = cell }
        let all = samplesPerCell.width * samplesPerCell.height * max(grid.cells, 1)
        guard all > maxPixels else { return }
        let scale = (Double(maxPixels) / Double(all)).squareRoot()
        samplesPerCell = PixelSize(
            width: max(Int(Double(samplesPerCell.width) * scale), 1),
            height: max(Int(Double(samplesPerCell.height) * scale), 1))
    }

    /// The size in pixels of a picture that covers `grid` exactly.
    public func pictureSize(for grid: GridSize) -> PixelSize {
        PixelSize(width: grid.columns * samplesPerCell.width, height: grid.rows * samplesPerCell.height)
    }
}
