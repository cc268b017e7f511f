import Model
import TermGraphics

extension Terminal {
    /// How pictures are drawn now: as many pixels as the terminal's cells have, or fewer where they would be too many
    /// for it, or for what lies in between.
    public var pictures: PictureFormat {
        PictureFormat(pictureMode, cell: cellPixels, grid: size, maxPixels: maxPixels)
    }

    private var maxPixels: Int {
        if pictureMode == .sixel { return 800 * 600 }
        if pictureMode == .iterm2 { return 640 * 360 }
        // Until it has answered, a terminal on this machine is taken to read its memory.
        let isQuick = capabilities.readsSharedMemory ?? !capabilities.isRemote
        return isQuick ? 1_280 * 720 : 640 * 360
    }

    /// What of the terminal a painter is made for: once it is another, there has to be another painter.
    public struct PainterNeeds: Equatable {
        public let size: GridSize
        public let color: ColorMode
        public let pictures: PictureFormat
        let sixel: SixelCapabilities?
        let fullBlocks: Bool
    }

    public var painterNeeds: PainterNeeds {
        PainterNeeds(
            size: size, color: capabilities.color, pictures: pictures, sixel: pictureMode == .sixel ? sixel : nil,
            fullBlocks: pictureModeChoice.hasFullBlocks)
    }

    /// Until it has answered, a terminal is taken to have what a VT340 has.
    private var sixel: SixelCapabilities {
        SixelCapabilities(
            cell: cellPixels ?? PictureMode.sixel.samplesPerCell, colors: min(capabilities.sixelColors ?? 16, 256),
            limit: capabilities.sixelSize ?? PixelSize(width: 800, height: 480))
    }

    /// Who paints this terminal, at the `size`, in the colours and by the
    /// `output` of now. Its bytes go through `write`.
    public func makePainter() -> any Painter {
        guard let session else { return PlainPainter(size: size, pictures: pictures) }
        let encoding = EncoderCapabilities(
            synchronised: capabilities.hasSynchronisedUpdate, repeats: capabilities.hasRepeat,
            unicode: capabilities.hasUnicode, fullBlocks: pictureModeChoice.hasFullBlocks)
        switch pictureMode {
        case .kitty:
            return KittyPainter(
                size: size, pictures: pictures, capabilities: encoding,
                memory: capabilities.isRemote ? nil : sharedPictures)
        case .sixel:
            return sixelPainter(size: size, pictures: pictures, capabilities: encoding, sixel: sixel)
        case .iterm2:
            return inlinePainter(size: size, pictures: pictures, capabilities: encoding)
        case .ascii, .braille, .half, .quadrant, .sextant, .octant: break
        }
        switch output {
        case .direct:
            return DirectPainter(size: size, pictures: pictures, capabilities: encoding)
        case .ncurses:
            let painter = NcursesPainter(
                session: session, size: size, pictures: pictures, color: capabilities.color,
                isUnicode: capabilities.hasUnicode, isSynchronised: capabilities.hasSynchronisedUpdate)
            // The next size may fit into the memory.
            return painter ?? PlainPainter(size: size, pictures: pictures)
        }
    }
}

/// Paints nothing: in plain mode the page is printed as lines (`ScreenReaderOutput`).
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
