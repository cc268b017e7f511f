import Model
import Wire

extension SurfaceRequest {
    /// The pictures that a page of `grid` cells wants.
    ///
    /// - Parameter cell: a cell in pixels; nil where the terminal does not tell: then it is taken to be twice as high as wide.
    init(grid: GridSize, surface: PictureMode, cell: PixelSize?, fit: PictureFit, generation: UInt32 = 0) {
        let picture = surface.pictureSize(for: grid)
        let cell = cell ?? PixelSize(width: 1, height: 2)
        self.init(
            generation: generation, width: UInt32(picture.width), height: UInt32(picture.height),
            aspectNumerator: UInt32(cell.width * surface.samplesPerCell.height),
            aspectDenominator: UInt32(cell.height * surface.samplesPerCell.width), fill: fit == .fill)
    }
}
