import Model

/// What an overlay has where. Most pictures come under the overlay of the picture before them, so looking through its
/// cells once is enough.
struct OverlayIndex: ~Copyable {
    /// A glyph that has to be readable on the picture below it.
    struct Letter {
        var index: Int
        var column: Int
        var row: Int
        var color: UInt32
        var shade: UInt8
        /// The least contrast with the picture below it.
        var contrast: Float
    }

    private(set) var letters: [Letter] = []
    /// The cells of one colour that is blended over the pixels; none where there are no colours to blend.
    private(set) var tints: [Int] = []
    /// Whether a row has glyphs or grounds to be laid over the picture.
    private(set) var hasText: [Bool]
    /// How much each cell darkens the picture.
    let shades: Plane<UInt8>
    private let size: GridSize
    private let hasColors: Bool
    /// Retained, so that its cells stay in place and unchanged while it is compared with the next one.
    private var overlay: CellGrid?

    init(size: GridSize, hasColors: Bool) {
        self.size = size
        self.hasColors = hasColors
        shades = Plane(count: size.cells, filledWith: 0)
        hasText = Array(repeating: false, count: size.rows)
    }

    /// Indexes an overlay of the size given to `init`, unless it is the last one; returns whether it did.
    mutating func update(_ new: CellGrid) -> Bool {
        let isSame = new.cells.withUnsafeBufferPointer { cells in
            overlay?.cells.withUnsafeBufferPointer { $0.baseAddress == cells.baseAddress } ?? false
        }
        guard !isSame else { return false }
        overlay = new
        letters.removeAll(keepingCapacity: true)
        tints.removeAll(keepingCapacity: true)
        new.cells.withUnsafeBufferPointer { cells in
            for row in 0..<size.rows {
                hasText[row] = false
                for column in 0..<size.columns { note(cells, column: column, row: row) }
            }
        }
        return true
    }

    @inline(__always)
    private mutating func note(_ cells: UnsafeBufferPointer<Cell>, column: Int, row: Int) {
        let index = row * size.columns + column
        let cell = cells[index]
        shades[index] = cell.shade
        guard cell.glyph != .none || cell.style.contains(.opaque) else { return }
        if hasColors, cell.tint != nil {
            tints.append(index)
            return
        }
        hasText[row] = true
        guard cell.style.contains(.readable), !cell.style.contains(.opaque) else { return }
        letters.append(
            Letter(
                index: index, column: column, row: row, color: cell.foreground.packed, shade: cell.shade,
                contrast: Contrast.needed(by: cell.style)))
    }
}
