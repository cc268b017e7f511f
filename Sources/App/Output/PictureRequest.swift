import Model
import Wire

extension SurfaceRequest {
    /// The smallest pictures, for pages that are not visible.
    static let least = SurfaceRequest(
        grid: GridSize(columns: 16, rows: 16), samples: PixelSize(width: 1, height: 1), cell: nil, fit: .fill)

    /// The pictures that a page of `grid` cells needs.
    ///
    /// - Parameters:
    ///   - samples: the pixels of one cell, across and down.
    ///   - cell: the size of a cell in pixels of the screen; nil if the terminal does not report it, which counts as
    /// twice as high as wide.
    init(grid: GridSize, samples: PixelSize, cell: PixelSize?, fit: PictureFit, generation: UInt32 = 0) {
        let cell = cell ?? PixelSize(width: 1, height: 2)
        self.init(
            generation: generation, width: UInt32(grid.columns * samples.width),
            height: UInt32(grid.rows * samples.height), aspectNumerator: UInt32(cell.width * samples.height),
            aspectDenominator: UInt32(cell.height * samples.width), fit: fit)
    }
}
