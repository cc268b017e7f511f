import Model

/// How much the picture is darkened in each cell: by the overlay's shades, and behind letters by what reading them needs.
///
/// What letters need is remembered from one picture to the next and decreases slowly, so that the ground of a text does not flicker with the
/// picture below it.
struct Veil: ~Copyable {
    private let size: GridSize
    /// What each letter needs, 0 where there is none.
    private let needs: Plane<UInt8>
    /// What the cells around letters are darkened by.
    private let halo: Plane<UInt8>
    /// The overlay's shade and the halo together.
    private let depth: Plane<UInt8>
    /// Whether anything is darkened in a row.
    private var isDark: [Bool]

    /// What remains of a halo one column and one row further, in 256ths: letters stand on a soft cloud, not in boxes.
    private static let fadeAcross: UInt32 = 230
    private static let fadeDown: UInt32 = 180
    /// By how much what a letter needs may decrease from one picture to the next.
    private static let decrease: UInt8 = 6
    /// Needs are rounded up to multiples of this, so that small changes of a picture do not change the text's ground.
    private static let step: UInt8 = 8

    init(size: GridSize) {
        self.size = size
        needs = Plane(count: size.cells, filledWith: 0)
        halo = Plane(count: size.cells, filledWith: 0)
        depth = Plane(count: size.cells, filledWith: 0)
        isDark = Array(repeating: false, count: size.rows)
    }

    /// The darkness of a cell: 0 none, 255 black.
    @inline(__always)
    func depth(_ index: Int) -> UInt8 { depth[index] }

    /// The darkness of all cells of a row; nil if nothing in it or the rows beside it is darkened.
    func row(_ row: Int) -> UnsafePointer<UInt8>? {
        let near = max(row - 1, 0)...min(row + 1, size.rows - 1)
        return near.contains { isDark[$0] } ? UnsafePointer(depth.base + row * size.columns) : nil
    }

    /// Sets the veil anew. `ground` tells the mean colour of the picture in a cell.
    ///
    /// - Parameter remembers: false where other pictures or other places of the text must not be darkened by what was needed before.
    mutating func update(
        for cells: UnsafePointer<Cell>, remembers: Bool, ground: (_ index: Int) -> UInt32
    ) {
        halo.base.update(repeating: 0, count: halo.count)
        var isNeeded = false
        for row in 0..<size.rows {
            let start = row * size.columns
            for column in 0..<size.columns {
                let cell = cells + (start + column)
                guard cell.pointee.style.contains(.readable), !cell.pointee.style.contains(.opaque) else {
                    needs[start + column] = 0
                    continue
                }
                let before = remembers ? needs[start + column] : 0
                let shade = Contrast.shade(
                    of: shaded(ground(start + column), by: cell.pointee.shade), under: cell.pointee.foreground.packed)
                let need = max(Self.rounded(shade), before > Self.decrease ? before - Self.decrease : 0)
                needs[start + column] = need
                halo[start + column] = need
                if need > 0 { isNeeded = true }
            }
        }
        if isNeeded { spread() }
        for row in 0..<size.rows {
            var any: UInt8 = 0
            for index in row * size.columns..<(row + 1) * size.columns {
                let together = Self.both(cells[index].shade, halo[index])
                depth[index] = together
                any |= together
            }
            isDark[row] = any > 0
        }
    }

    /// Lets what letters need fade into the cells around them: along the rows in both directions, then from row to row.
    private func spread() {
        let columns = size.columns
        for row in 0..<size.rows {
            let line = halo.base + row * columns
            var left: UInt32 = 0
            var right: UInt32 = 0
            for column in 0..<columns {
                left = max(UInt32(line[column]), (left * Self.fadeAcross) >> 8)
                line[column] = UInt8(left)
            }
            for column in stride(from: columns - 1, through: 0, by: -1) {
                right = max(UInt32(line[column]), (right * Self.fadeAcross) >> 8)
                line[column] = UInt8(right)
            }
        }
        for row in 1..<max(size.rows, 1) { fade(from: row - 1, to: row) }
        for row in stride(from: size.rows - 2, through: 0, by: -1) { fade(from: row + 1, to: row) }
    }

    private func fade(from: Int, to: Int) {
        let (source, target) = (halo.base + from * size.columns, halo.base + to * size.columns)
        for column in 0..<size.columns {
            target[column] = max(target[column], UInt8((UInt32(source[column]) * Self.fadeDown) >> 8))
        }
    }

    private static func rounded(_ need: UInt8) -> UInt8 {
        need == 0 ? 0 : UInt8(min((UInt32(need) + UInt32(step) - 1) / UInt32(step) * UInt32(step), 255))
    }

    /// The darkness of one shade over another.
    private static func both(_ first: UInt8, _ second: UInt8) -> UInt8 {
        if first == 0 { return second }
        if second == 0 { return first }
        let light = (255 - UInt32(first)) * (255 - UInt32(second))
        return UInt8(255 - light / 255)
    }
}
