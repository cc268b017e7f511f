import Model

/// A page's picture, and where it goes.
public struct PagePicture {
    /// `nil` while there is none: the page is background.
    public var picture: PictureView?
    /// Rows from the terminal's top to the page's; may be negative, and not whole while pages move.
    public var top: Double
    /// How much of the background is blended over the picture: 0 nothing … 1 hides it.
    public var cover: Double

    public init(picture: PictureView?, top: Double, cover: Double = 0) {
        self.picture = picture
        self.top = top
        self.cover = cover
    }
}

/// The grid of cells the terminal is to show next, made anew by each `compose`.
///
/// A cell is three numbers. `glyphs` holds its code, where 0 means two pixels, one above the other. `colors` holds the foreground (or upper
/// pixel) in its low half and the background (or lower pixel) in its high half, as 24-bit RGB or as an index of the palette, by `color`.
/// The top byte of the low half holds the style bits. Two cells that look the same are the same numbers: a space is two equal pixels.
///
/// Not thread-safe; belongs to whoever draws.
public struct Canvas: ~Copyable {
    public let size: GridSize
    public let surface: PictureMode
    public let color: ColorMode

    let colors: Plane<UInt64>
    let glyphs: Plane<UInt32>
    /// The pixels of the pictures and the background, before text: `samplesPerCell` for each cell.
    let pixels: Plane<UInt32>
    let quantiser: Quantiser
    let asciiMatcher: ASCIIMatcher

    /// A blank canvas. `size` must be that of the terminal: make a new one after a resize.
    public init(size: GridSize, surface: PictureMode, color: ColorMode) {
        precondition(size.columns >= 0 && size.rows >= 0, "a grid has no negative side")
        self.size = size
        self.surface = surface
        self.color = color
        let pixelSize = surface.pictureSize(for: size)
        colors = Plane(count: size.cells, filledWith: 0)
        glyphs = Plane(count: size.cells, filledWith: color == .mono ? 0x20 : 0)
        pixels = Plane(count: pixelSize.width * pixelSize.height, filledWith: 0)
        quantiser = Quantiser(color)
        asciiMatcher = ASCIIMatcher()
    }

    /// What stands in one cell, for tests and for the plain writer.
    func cell(_ index: Int) -> PaintedCell {
        PaintedCell(glyph: glyphs[index], colors: colors[index])
    }
}

/// One cell of a canvas, taken apart.
struct PaintedCell: Hashable {
    /// Two pixels rather than a character.
    static let pixelPair: UInt32 = 0
    static let styleMask: UInt32 = 0xFF00_0000

    var glyph: UInt32
    var colors: UInt64

    init(glyph: UInt32, colors: UInt64) {
        self.glyph = glyph
        self.colors = colors
    }

    var upper: UInt32 { UInt32(truncatingIfNeeded: colors) & ~Self.styleMask }
    var lower: UInt32 { UInt32(truncatingIfNeeded: colors >> 32) }
    var foreground: UInt32 { upper }
    var background: UInt32 { lower }
    var style: UInt32 { UInt32(truncatingIfNeeded: colors) >> 24 }
    var isUniform: Bool { glyph == Self.pixelPair && upper == lower }
}
