/// How pictures are drawn: `--surface`, `interface.surface`, and `surface` in the trace. A value.
public enum PictureMode: String, Sendable, CaseIterable {
    /// Printable ASCII, matched by shape.
    case ascii
    /// Dots, two across and four down.
    case braille
    /// U+2580 upper half block: two pixels per cell, one above the other.
    case half
    /// Blocks of two by two parts, each in one of two colours.
    case quadrant
    /// Blocks of two by three parts (Unicode 13).
    case sextant
    /// Blocks of two by four parts (Unicode 16).
    case octant
    /// Pixels, by kitty's graphics protocol: below the text.
    case kitty
    /// Pixels, as DEC's sixels: in place of characters.
    case sixel
    /// Pixels, as files within the output (OSC 1337, iTerm2's): in place of
    /// characters. Only by name, as no terminal reports it.
    case iterm2

    /// Those that draw pictures with characters.
    public static let ofGlyphs = allCases.filter { !$0.hasPixels }

    /// Whether the terminal shows the pixels themselves.
    public var hasPixels: Bool {
        switch self {
        case .ascii, .braille, .half, .quadrant, .sextant, .octant: false
        case .kitty, .sixel, .iterm2: true
        }
    }

    /// Whether text stands over the pixels, and need not take their place.
    public var isBelowText: Bool { self == .kitty }

    /// Whether its characters are beyond ASCII, so that the terminal has to show Unicode.
    public var needsUnicode: Bool {
        switch self {
        case .ascii, .kitty, .sixel, .iterm2: false
        case .braille, .half, .quadrant, .sextant, .octant: true
        }
    }

    /// The pixels of one cell, across and down, where nothing else is known of the terminal.
    public var samplesPerCell: PixelSize {
        switch self {
        case .ascii, .braille, .octant: PixelSize(width: 2, height: 4)
        case .half: PixelSize(width: 1, height: 2)
        case .quadrant: PixelSize(width: 2, height: 2)
        case .sextant: PixelSize(width: 2, height: 3)
        case .kitty, .iterm2: PixelSize(width: 8, height: 16)
        // A VT340's.
        case .sixel: PixelSize(width: 10, height: 20)
        }
    }

    /// The size in pixels of a picture that covers `grid` exactly, where nothing else is known of the terminal.
    public func pictureSize(for grid: GridSize) -> PixelSize { PictureFormat(self).pictureSize(for: grid) }
}

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
