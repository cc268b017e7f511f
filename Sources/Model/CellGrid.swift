/// A 24-bit sRGB colour, packed as 0x00RRGGBB, like the pixels of a picture. A value.
public struct RGB: Hashable, Sendable {
    public var packed: UInt32

    public init(packed: UInt32) { self.packed = packed & 0xFF_FFFF }

    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        packed = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
    }

    public var red: UInt8 { UInt8(truncatingIfNeeded: packed >> 16) }
    public var green: UInt8 { UInt8(truncatingIfNeeded: packed >> 8) }
    public var blue: UInt8 { UInt8(truncatingIfNeeded: packed) }

    public static let black = RGB(packed: 0)
    public static let white = RGB(packed: 0xFF_FFFF)

    /// The colour `amount` (0…1) of the way from `self` to `other`.
    public func mixed(with other: RGB, by amount: Double) -> RGB {
        let amount = min(max(amount, 0), 1)
        func mix(_ from: UInt8, _ to: UInt8) -> UInt8 {
            let (from, to) = (Double(from), Double(to))
            return UInt8((from + (to - from) * amount).rounded())
        }
        return RGB(mix(red, other.red), mix(green, other.green), mix(blue, other.blue))
    }
}

/// The content of a cell: a Unicode scalar, or an interned grapheme cluster of several scalars. A value.
public struct Glyph: Hashable, Sendable {
    public var code: UInt32

    @inlinable public init(code: UInt32) { self.code = code }
    public init(_ scalar: Unicode.Scalar) { code = scalar.value }

    // Not stored, as pictures compare each cell with them: for a stored one, other modules call a function.

    /// Nothing: what lies below is visible.
    @inlinable public static var none: Glyph { Glyph(code: 0) }
    @inlinable public static var space: Glyph { Glyph(code: 0x20) }
    /// The right half of the wide glyph in the previous cell.
    @inlinable public static var continuation: Glyph { Glyph(code: 0xFFFF_FFFF) }
}

/// The text attributes of a cell. A value.
public struct CellStyle: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let bold = CellStyle(rawValue: 1)
    public static let dim = CellStyle(rawValue: 2)
    public static let italic = CellStyle(rawValue: 4)
    public static let underline = CellStyle(rawValue: 8)
    public static let reverse = CellStyle(rawValue: 16)
    /// With `.readable`: the glyph is a part of a shape and no text, which needs less contrast.
    public static let shape = CellStyle(rawValue: 32)
    /// The picture below is darkened as much as it takes to read the glyph, and softly around it.
    public static let readable = CellStyle(rawValue: 64)
    /// The cell's own `background` is painted instead of the picture below.
    public static let opaque = CellStyle(rawValue: 128)
}

/// One cell of the overlay: text, a shade, or nothing. A value.
public struct Cell: Hashable, Sendable {
    public var glyph: Glyph
    public var foreground: RGB
    /// Only painted with `.opaque`.
    public var background: RGB
    public var style: CellStyle
    /// How much the picture below is darkened: 0 not at all, 51 by 20 %, 255 to black. Between one row and the next the
    /// shade changes gradually.
    public var shade: UInt8
    /// How much of the glyph and its background is blended over the picture: 0 nothing, 255 opaque.
    public var opacity: UInt8

    public init(
        glyph: Glyph = .none, foreground: RGB = .white, background: RGB = .black, style: CellStyle = [],
        shade: UInt8 = 0, opacity: UInt8 = 255
    ) {
        self.glyph = glyph
        self.foreground = foreground
        self.background = background
        self.style = style
        self.shade = shade
        self.opacity = opacity
    }

    /// An empty cell: the picture is unchanged.
    public static let clear = Cell()
}

/// A grid of cells, row by row. `draw` fills it, and the painter lays it over the pictures. A value.
public struct CellGrid: Hashable, Sendable {
    public let size: GridSize
    public var cells: [Cell]

    public init(size: GridSize) {
        self.size = size
        cells = Array(repeating: .clear, count: size.cells)
    }

    /// The cell at a place, which must lie within `size`.
    public subscript(column: Int, row: Int) -> Cell {
        get { cells[row * size.columns + column] }
        set { cells[row * size.columns + column] = newValue }
    }
}
