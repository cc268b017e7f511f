import Model

/// How visible it is, in each cell, that the screen differs from a canvas.
///
/// The unit of an error is the just visible difference: 64 is a change of one level of brightness in a flat
/// part of a picture that is neither very dark nor very bright. Where neighbouring pixels differ, changes
/// hide: SSIM (Wang, Bovik, Sheikh, Simoncelli 2004) lets an error grow with the square root of 1 +
/// variance / 29, and its 29 is used here. The just visible difference is found for blocks of 4 × 2 cells.
struct PerceptualErrors: ~Copyable {
    /// Cells of one block, across and down.
    static let block = (columns: 4, rows: 2)
    /// The error of a cell that has to be written exactly: it is not of a picture, or shows another character.
    static let exact: UInt16 = 0xFFFF
    /// The error that can just be seen.
    static let visible: UInt16 = 64

    let size: GridSize
    /// 0 where the screen equals the canvas, at least 1 where it does not.
    let values: Plane<UInt16>
    /// For each row a number no less than its greatest error, and 0 only where no cell of it differs.
    let greatest: Plane<UInt16>
    /// For each block the distance that can just be seen (`ColorDistance`).
    let slack: Plane<UInt16>
    let blockColumns: Int

    init(size: GridSize) {
        self.size = size
        values = Plane(count: size.cells, filledWith: 0)
        greatest = Plane(count: size.rows, filledWith: 0)
        blockColumns = (size.columns + Self.block.columns - 1) / Self.block.columns
        let blockRows = (size.rows + Self.block.rows - 1) / Self.block.rows
        slack = Plane(count: blockColumns * blockRows, filledWith: 4)
    }

    /// The slacks of the blocks that a row of cells lies in.
    @inline(__always)
    func slack(row: Int) -> UnsafePointer<UInt16> {
        UnsafePointer(slack.base + row / Self.block.rows * blockColumns)
    }

    /// Measures all cells. `colors` and `glyphs` are what the screen shows.
    ///
    /// - Returns: whether any cell differs.
    func measure(_ canvas: borrowing Canvas, colors: borrowing Plane<UInt64>, glyphs: borrowing Plane<UInt32>)
        -> Bool
    {
        var differs = false
        for row in 0..<size.rows {
            let begin = row * size.columns
            let new = CellRow(colors: canvas.colors.base + begin, glyphs: canvas.glyphs.base + begin)
            let old = CellRow(colors: colors.base + begin, glyphs: glyphs.base + begin)
            if row % Self.block.rows == 0 { measureSlack(canvas, row: row) }
            greatest[row] = measure(new, old, marks: canvas.pictureCells.base + begin, row: row)
            if greatest[row] > 0 { differs = true }
        }
        return differs
    }

    // MARK: Slack

    /// What can just be seen in the blocks that begin at `row`.
    private func measureSlack(_ canvas: borrowing Canvas, row: Int) {
        let target = slack.base + row / Self.block.rows * blockColumns
        let first = canvas.colors.base + row * size.columns
        let second = row + 1 < size.rows ? first + size.columns : first
        for block in 0..<blockColumns {
            let column = block * Self.block.columns
            guard column + Self.block.columns <= size.columns else {
                // A part narrower than a block has its neighbour's slack, or that of a flat part.
                target[block] = block > 0 ? target[block - 1] : 4
                continue
            }
            let (one, other) = (Self.luma(first + column), Self.luma(second + column))
            // 16 lumas of 8 bits have room in 16 bits.
            let mean = (one &+ other).wrappedSum() &>> 4
            let means = SIMD8<UInt16>(repeating: mean)
            let apart = Self.apart(one, means) &+ Self.apart(other, means)
            target[block] = Self.slack(light: Int(mean), deviation: Int(apart.wrappedSum() &>> 3))
        }
    }

    /// The brightness of the two colours of four cells.
    @inline(__always)
    private static func luma(_ cells: UnsafePointer<UInt64>) -> SIMD8<UInt16> {
        let colors = UnsafeRawPointer(cells).loadUnaligned(as: SIMD8<UInt32>.self)
        let sum = ((colors &>> 16) & 0xFF) &+ ((colors &>> 7) & 0x1FE) &+ (colors & 0xFF)
        return SIMD8<UInt16>(truncatingIfNeeded: sum &>> 2)
    }

    @inline(__always)
    private static func apart(_ one: SIMD8<UInt16>, _ other: SIMD8<UInt16>) -> SIMD8<UInt16> {
        pointwiseMax(one, other) &- pointwiseMin(one, other)
    }

    /// - Parameters:
    ///   - light: the mean brightness, 0 … 255.
    ///   - deviation: twice the mean deviation from it, 0 … 255.
    static func slack(light: Int, deviation: Int) -> UInt16 {
        UInt16(max((Int(busyness[deviation]) * Int(lightness[light]) + 128) >> 8, 1))
    }

    /// By twice the mean deviation: the distance that can just be seen, in quarters of a level. The spread is taken to
    /// be 5/4 of the mean deviation, as in a normal distribution.
    private static let busyness: [UInt16] = (0..<256).map { deviation in
        let spread = Double(deviation) / 2 * 1.25
        return UInt16((4 * min((1 + spread * spread / 20).squareRoot(), 4)).rounded())
    }

    /// By brightness: how much more can be hidden than in the middle of the scale, in 256ths. One over the steepness of
    /// CIE L* over sRGB, which is greatest at about 30; below 16, surroundings and screens hide more still.
    private static let lightness: [UInt16] = (0..<256).map { light in
        switch light {
        case ..<16: UInt16(256 + (16 - light) * 12)
        case ..<30: UInt16(256 - (light - 16) * 3)
        case ..<128: UInt16(214 + (light - 30) * 42 / 98)
        default: UInt16(256 + (light - 128) * 36 / 127)
        }
    }

    // MARK: Errors

    /// Measures a row. Returns a number that is no less than its greatest error, and 0 only without one.
    private func measure(_ new: CellRow, _ old: CellRow, marks: UnsafePointer<UInt8>, row: Int) -> UInt16 {
        let target = values.base + row * size.columns
        let slack = slack(row: row)
        var all: UInt16 = 0
        var column = 0
        while column + 4 <= size.columns {
            all |= measure4(
                new, old, marks: marks, at: column, slack: slack[column / Self.block.columns], into: target + column)
            column += 4
        }
        while column < size.columns {
            let error = Self.error(
                new, old, isPicture: marks[column] == 1, at: column, slack: slack[column / Self.block.columns])
            target[column] = error
            all |= error
            column += 1
        }
        return all
    }

    /// Four cells of one block. Returns all bits of their errors.
    @inline(__always)
    private func measure4(
        _ new: CellRow, _ old: CellRow, marks: UnsafePointer<UInt8>, at column: Int, slack: UInt16,
        into target: UnsafeMutablePointer<UInt16>
    ) -> UInt16 {
        let wanted = UnsafeRawPointer(new.colors + column).loadUnaligned(as: SIMD8<UInt32>.self)
        let shown = UnsafeRawPointer(old.colors + column).loadUnaligned(as: SIMD8<UInt32>.self)
        let glyphs = UnsafeRawPointer(new.glyphs + column).loadUnaligned(as: SIMD4<UInt32>.self)
        let shownGlyphs = UnsafeRawPointer(old.glyphs + column).loadUnaligned(as: SIMD4<UInt32>.self)
        let areSame = Self.bits(unsafeBitCast(glyphs ^ shownGlyphs, to: SIMD2<UInt64>.self)) == 0
        if areSame, Self.bits(wanted ^ shown) == 0 {
            UnsafeMutableRawPointer(target).storeBytes(of: 0, as: UInt64.self)
            return 0
        }
        let marks4 = UnsafeRawPointer(marks + column).loadUnaligned(as: UInt32.self)
        guard marks4 == 0x0101_0101, Self.bits((wanted | shown) & 0xFF00_0000) == 0,
            areSame || (0..<4).allSatisfy({ Self.areComparable(glyphs[$0], shownGlyphs[$0]) })
        else {
            var all: UInt16 = 0
            for index in 0..<4 {
                target[index] = Self.error(
                    new, old, isPicture: marks[column + index] == 1, at: column + index, slack: slack)
                all |= target[index]
            }
            return all
        }
        // A cell is a lane: its foreground's distance at the bottom, its background's in the middle.
        let distances = unsafeBitCast(ColorDistance.between(wanted, shown), to: SIMD4<UInt64>.self)
        let weight = Self.weight(slack: slack)
        var all: UInt16 = 0
        for index in 0..<4 {
            let lane = distances[index]
            let greater = max(lane & 0xFFFF, lane >> 32 & 0xFFFF)
            target[index] = Self.error(distance: UInt32(truncatingIfNeeded: greater), weight: weight)
            all |= target[index]
        }
        return all
    }

    @inline(__always)
    private static func bits(_ words: SIMD8<UInt32>) -> UInt64 {
        let pairs = unsafeBitCast(words, to: SIMD4<UInt64>.self)
        return bits(pairs.lowHalf | pairs.highHalf)
    }

    @inline(__always)
    private static func bits(_ words: SIMD2<UInt64>) -> UInt64 { words[0] | words[1] }

    /// Whether two characters differ by their colours only.
    @inline(__always)
    private static func areComparable(_ one: UInt32, _ other: UInt32) -> Bool {
        one == other || arePixels(one) && arePixels(other)
    }

    @inline(__always)
    private static func arePixels(_ glyph: UInt32) -> Bool { glyph == HalfBlock.upper || glyph == Glyph.space.code }

    /// The error of one cell.
    static func error(_ new: CellRow, _ old: CellRow, isPicture: Bool, at column: Int, slack: UInt16) -> UInt16 {
        guard new.differs(from: old, at: column) else { return 0 }
        let isComparable = areComparable(new.glyphs[column], old.glyphs[column])
        let styles = (new.colors[column] | old.colors[column]) & 0xFF00_0000
        guard isPicture, isComparable, styles == 0 else { return exact }
        let distance = max(
            ColorDistance.between(new.foreground(column), old.foreground(column)),
            ColorDistance.between(new.background(column), old.background(column)))
        return error(distance: UInt32(distance), weight: weight(slack: slack))
    }

    @inline(__always)
    private static func weight(slack: UInt16) -> UInt32 {
        (UInt32(visible) << 10 + UInt32(slack) / 2) / UInt32(slack)
    }

    /// A distance of at most 1,275 in just visible units. Any
    /// difference counts as at least 1, as no slack is more than 28.
    @inline(__always)
    private static func error(distance: UInt32, weight: UInt32) -> UInt16 {
        UInt16(truncatingIfNeeded: (distance &* weight) >> 10)
    }
}
