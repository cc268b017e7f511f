import Model

/// A page's picture, and where it goes.
public struct PagePicture {
    /// `nil` without a picture: the page is background.
    public var picture: PictureView?
    /// Rows from the terminal's top to the page's; may be negative, and not whole while pages move.
    public var top: Double
    /// How much of the background is blended over the picture: 0 nothing … 1 hides it.
    public var cover: Double
    /// What stands around the picture, as large as the page; `nil` for the plain background.
    public var backdrop: PictureView?

    public init(picture: PictureView?, top: Double, cover: Double = 0, backdrop: PictureView? = nil) {
        self.picture = picture
        self.top = top
        self.cover = cover
        self.backdrop = backdrop
    }
}

/// The grid of cells that the terminal is to show next; each `compose` fills it again.
///
/// A cell is two numbers. `glyphs` holds its character. `colors` holds the foreground in its low half and the
/// background in its high half, as 24-bit RGB or as an index of the palette, by `color` (in mono both are 0). The
/// top byte of the low half holds the style bits. Where pictures are pixels, a background may be `noGround`. Two
/// cells that look the same are the same numbers: a space without a style has its background as its foreground too.
///
/// Not thread-safe; owned by the drawing thread.
public struct Canvas: ~Copyable {
    public let size: GridSize
    public let pictures: PictureFormat
    public let color: ColorMode

    let colors: Plane<UInt64>
    let glyphs: Plane<UInt32>
    /// The pixels of the pictures and the background, before text: `samplesPerCell` for each cell.
    let pixels: Plane<UInt32>
    let quantiser: Quantiser
    /// 1 for cells where only a backdrop is to be seen; of no cells where that makes no difference.
    let backdropCells: Plane<UInt8>
    /// 1 for cells that show pictures and nothing of the overlay but its
    /// shades: these may be approximated (`Precision`).
    let pictureCells: Plane<UInt8>
    /// What the overlay has where.
    var overlayIndex: OverlayIndex
    /// What the overlay darkens.
    var veil: TextScrim
    /// What pictures of characters remember; of no cells in other picture modes.
    var ascii: ASCIIMemory
    /// What pictures of parts remember; of no cells in other picture modes.
    let parts: PartMemory
    /// The range of brightnesses that is shown; all of them where `stretchesTones` is false.
    var tones = ToneMemory()
    /// The pixels from which blocks of few colours were chosen; the top
    /// byte of a cell's first one is set where they must be chosen again.
    let shownPixels: Plane<UInt32>

    /// A blank canvas. `size` must be that of the terminal: make a new one after a resize.
    ///
    /// - Parameter hasBrightGrounds: whether, of 16 colours, the background of
    ///   a character can be one of the bright eight.
    public init(size: GridSize, pictures: PictureFormat, color: ColorMode, hasBrightGrounds: Bool = true) {
        precondition(size.columns >= 0 && size.rows >= 0, "a grid has no negative side")
        self.size = size
        self.pictures = pictures
        self.color = color
        let pixelSize = pictures.pictureSize(for: size)
        colors = Plane(count: size.cells, filledWith: 0)
        glyphs = Plane(count: size.cells, filledWith: Glyph.space.code)
        pixels = Plane(count: pixelSize.width * pixelSize.height, filledWith: 0)
        pictureCells = Plane(count: size.cells, filledWith: 0)
        quantiser = Quantiser(color, hasBrightGrounds: hasBrightGrounds)
        overlayIndex = OverlayIndex(size: size, hasColors: color != .mono)
        veil = TextScrim(size: size, isSmooth: pictures.mode.isBelowText)
        let choosesCells = pictures.mode == .ascii || color == .palette256 && !pictures.mode.hasPixels
        backdropCells = Plane(count: choosesCells ? size.cells : 0, filledWith: 0)
        parts = PartMemory(mode: pictures.mode, cells: size.cells, color: color)
        ascii = ASCIIMemory(size: pictures.mode == .ascii ? size : GridSize(columns: 0, rows: 0))
        let remembersPixels = pictures.mode != .ascii && !pictures.mode.hasPixels && color != .truecolor
        shownPixels = Plane(count: remembersPixels ? pixels.count : 0, filledWith: Self.unknownPixel)
    }

    /// A blank canvas for pictures of a mode, where nothing else is known of the terminal.
    public init(size: GridSize, pictureMode: PictureMode, color: ColorMode, hasBrightGrounds: Bool = true) {
        self.init(size: size, pictures: PictureFormat(pictureMode), color: color, hasBrightGrounds: hasBrightGrounds)
    }

    public var pictureMode: PictureMode { pictures.mode }

    /// Whether pictures that use a part of the scale are stretched to all of it. Where colours are chosen from a
    /// palette, those have to fit.
    var stretchesTones: Bool {
        switch pictureMode {
        case .ascii: color == .mono || color == .truecolor
        case .braille, .half, .quadrant, .sextant, .octant: color == .mono
        case .kitty, .sixel, .iterm2: false
        }
    }

    /// What stands in one cell, for tests and for the plain writer.
    func cell(_ index: Int) -> PaintedCell {
        PaintedCell(glyph: glyphs[index], colors: colors[index])
    }

    /// The cells of one row, valid only during the call.
    public borrowing func withRow<Result>(_ row: Int, _ body: (PaintedRow) -> Result) -> Result {
        precondition(row >= 0 && row < size.rows, "the row lies on the canvas")
        let begin = row * size.columns
        return body(PaintedRow(glyphs: glyphs.base + begin, colors: colors.base + begin, count: size.columns))
    }
}

/// A row of a canvas, as bare memory: painters look at each cell of each picture.
public struct PaintedRow {
    public let glyphs: UnsafePointer<UInt32>
    public let colors: UnsafePointer<UInt64>
    public let count: Int

    init(glyphs: UnsafePointer<UInt32>, colors: UnsafePointer<UInt64>, count: Int) {
        self.glyphs = glyphs
        self.colors = colors
        self.count = count
    }
}

/// One cell of a canvas, taken apart.
public struct PaintedCell: Hashable, Sendable {
    /// A scalar, an interned cluster (`GlyphTable`), or `Glyph.continuation`.
    public var glyph: UInt32
    public var colors: UInt64

    @inlinable
    public init(glyph: UInt32, colors: UInt64) {
        self.glyph = glyph
        self.colors = colors
    }

    /// RGB, or an index of the palette.
    @inlinable
    public var foreground: UInt32 { UInt32(truncatingIfNeeded: colors) & 0xFF_FFFF }
    @inlinable
    public var background: UInt32 { UInt32(truncatingIfNeeded: colors >> 32) }

    /// The background of a cell that shows the pixels behind it: the terminal's own, which it paints as nothing.
    public static let noGround: UInt32 = 1 << 24
    /// A cell of nothing but pixels.
    public static let clear = PaintedCell(glyph: Glyph.space.code, colors: UInt64(noGround) << 32)

    /// The raw value of a `CellStyle`, without `.opaque`.
    @inlinable
    public var style: UInt32 { UInt32(truncatingIfNeeded: colors) >> 24 }
}
