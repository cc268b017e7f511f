import Model
import TermGraphics

/// Paints nothing: in plain mode the page is told in lines (`ScreenReaderOutput`).
final class PlainPainter: Painter {
    let size: GridSize
    let pictures: PictureFormat
    let hasBrightGrounds = false
    var isSynchronised = false

    init(size: GridSize, pictures: PictureFormat) { (self.size, self.pictures) = (size, pictures) }

    func paint(
        _ canvas: borrowing Canvas, within budget: Int, precision: Precision, into buffer: inout ByteBuffer
    ) -> PaintStats { PaintStats() }

    func forget() {}
}
