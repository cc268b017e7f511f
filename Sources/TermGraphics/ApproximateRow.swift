import Model

/// How far an update may be from the canvas, in cells of pictures.
struct ColorTolerance {
    /// Errors up to this may stay on the screen, in the units of `PerceptualErrors`.
    let error: UInt16
    /// The same for a cell between cells that are not written: one alone is seen least and costs most, as the cursor
    /// goes there for it only.
    let errorAlone: UInt16
    /// By how much of a just visible difference a colour may be rounded, in
    /// 256ths. Less than `error`, so that a written colour stays for a while.
    let rounding: Int32

    /// What can just be seen is allowed this many times at a tolerance of 1.
    private static let most = 64.0

    /// - Parameter rounds: whether colours may be rounded; otherwise cells are left out or exact.
    init(tolerance: Double, rounds: Bool) {
        let times = Self.most * tolerance * tolerance * tolerance.squareRoot()
        error = UInt16(times * Double(PerceptualErrors.visible))
        errorAlone = UInt16(times * Double(PerceptualErrors.visible) * 1.25)
        rounding = rounds ? Int32(times * 224) : 0
    }
}

/// One row of a canvas on its way to a screen that may differ from it by `allowance`.
struct ApproximateRow {
    /// Which of a cell's two colours; of half blocks they are pixels.
    enum Part { case upper, lower }

    /// How far ahead a colour is chosen for.
    private static let reach = 4

    let new: CellRow
    /// `Canvas.pictureCells`
    let marks: UnsafePointer<UInt8>
    let errors: UnsafePointer<UInt16>
    let slack: UnsafePointer<UInt16>
    let columns: Int
    let allowance: ColorTolerance

    @inline(__always)
    func isPicture(_ column: Int) -> Bool { marks[column] == 1 }

    /// Whether the error in the cell is too great for it to stay.
    @inline(__always)
    func isWanted(_ column: Int) -> Bool { errors[column] > allowance.error }

    /// How far a colour may be rounded.
    @inline(__always)
    func radius(_ column: Int) -> Int32 {
        // So that sums stay in 16 bits.
        min((Int32(slack[column / PerceptualErrors.block.columns]) &* allowance.rounding) >> 8, 2_000)
    }

    /// The first column from `start` on to write, or `columns`. `start` follows
    /// a cell that was just written if `isBeside`.
    @inline(__always)
    func next(from start: Int, isBeside: Bool) -> Int {
        var column = start
        while true {
            while column + 4 <= columns {
                // Most cells have no error at all.
                if UnsafeRawPointer(errors + column).loadUnaligned(as: UInt64.self) != 0,
                    isWanted(column) || isWanted(column + 1) || isWanted(column + 2) || isWanted(column + 3)
                {
                    break
                }
                column += 4
            }
            while column < columns, !isWanted(column) { column += 1 }
            guard column < columns, errors[column] <= allowance.errorAlone else { return column }
            if isBeside && column == start || column + 1 < columns && isWanted(column + 1) { return column }
            column += 1
        }
    }

    /// Whether the cell may look like `cell`.
    @inline(__always)
    func allows(_ cell: PaintedCell, at column: Int) -> Bool {
        guard isPicture(column) else { return false }
        let arePixels = cell.glyph == HalfBlock.upper || cell.glyph == Glyph.space.code
        guard new.glyphs[column] == cell.glyph || arePixels && new.isPixels(column) else { return false }
        let radius = radius(column)
        return ColorDistance.between(cell.foreground, new.foreground(column)) <= radius
            && ColorDistance.between(cell.background, new.background(column)) <= radius
    }

    /// The colour to set for a part of the cell: the one that suits it and most of the cells to be written next.
    @inline(__always)
    func color(at column: Int, _ part: Part) -> UInt32 {
        let own = color(column, part)
        let radius = radius(column)
        // Most colours suit nothing else, which is soon seen.
        guard radius > 0, let next = nextWanted(after: column, before: column &+ Self.reach),
            ColorDistance.between(own, color(next, part)) <= radius &+ self.radius(next)
        else { return own }
        let shared = color(at: column, ColorRange(around: own, radius: radius)) {
            ColorRange(around: color($0, part), radius: $1)
        }
        // Clamping to the range of bytes may have moved it too far.
        return ColorDistance.between(shared, own) <= radius ? shared : own
    }

    /// The colour for both pixels of a cell and of most of the next; nil if none suits both.
    @inline(__always)
    func colorOfBoth(at column: Int) -> UInt32? {
        func range(_ column: Int, _ radius: Int32) -> ColorRange? {
            ColorRange(around: color(column, .upper), radius: radius)
                .common(with: ColorRange(around: color(column, .lower), radius: radius))
        }
        let radius = radius(column)
        guard let own = range(column, radius) else { return nil }
        let shared = color(at: column, own, of: range)
        let farthest = max(
            ColorDistance.between(shared, color(column, .upper)), ColorDistance.between(shared, color(column, .lower)))
        return farthest <= radius ? shared : nil
    }

    /// The middle of the intersection of `range` and the ranges of the cells to be written next.
    @inline(__always)
    private func color(
        at column: Int, _ range: ColorRange, of others: (_ column: Int, _ radius: Int32) -> ColorRange?
    ) -> UInt32 {
        var range = range
        let end = column &+ Self.reach
        var ahead = column
        while let next = nextWanted(after: ahead, before: end), let other = others(next, radius(next)),
            let common = range.common(with: other)
        {
            (range, ahead) = (common, next)
        }
        return range.middle
    }

    /// The next cell of the picture to be written; nil if something else comes first or the row reaches `end`.
    @inline(__always)
    private func nextWanted(after column: Int, before end: Int) -> Int? {
        var ahead = column &+ 1
        let end = min(columns, end)
        while ahead < end, isPicture(ahead) {
            if isWanted(ahead) { return ahead }
            ahead &+= 1
        }
        return nil
    }

    @inline(__always)
    private func color(_ column: Int, _ part: Part) -> UInt32 {
        part == .upper ? new.foreground(column) : new.background(column)
    }
}

// Cells that may be rounded. Both methods return what the cell looks like then.
extension Pen {
    /// Writes two pixels with as few bytes as their allowance admits: in the colours that are set, else with one new
    /// colour, else with two.
    @inline(__always)
    mutating func pixels(at column: Int, of line: ApproximateRow) -> PaintedCell {
        let (upper, lower) = (line.new.foreground(column), line.new.background(column))
        let radius = line.radius(column)
        let (upperFore, lowerFore) = (
            ColorDistance.between(foreground, upper), ColorDistance.between(foreground, lower)
        )
        let (upperBack, lowerBack) = (
            ColorDistance.between(background, upper), ColorDistance.between(background, lower)
        )
        if max(upperBack, lowerBack) <= radius { return one(background) }
        let (straight, crossed) = (max(upperFore, lowerBack), max(lowerFore, upperBack))
        if min(straight, crossed) <= radius {
            return straight <= crossed ? two(foreground, background, .upper) : two(foreground, background, .lower)
        }
        if usesBlocks, max(upperFore, lowerFore) <= radius { return full() }
        let apart = ColorDistance.between(upper, lower)
        if apart <= radius, let color = line.colorOfBoth(at: column) { return one(color) }
        let nearest = min(min(upperFore, lowerFore), min(upperBack, lowerBack))
        if nearest <= radius {
            if nearest == lowerBack { return two(line.color(at: column, .upper), background, .upper) }
            if nearest == upperFore { return two(foreground, line.color(at: column, .lower), .upper) }
            if nearest == upperBack { return two(line.color(at: column, .lower), background, .lower) }
            return two(foreground, line.color(at: column, .upper), .lower)
        }
        if 2 &* apart <= 3 &* radius, let color = line.colorOfBoth(at: column) { return one(color) }
        return two(line.color(at: column, .upper), line.color(at: column, .lower), .upper)
    }

    /// Writes the character of a picture, in colours that are set already where those are near enough.
    @inline(__always)
    mutating func character(at column: Int, of line: ApproximateRow) -> PaintedCell {
        let radius = line.radius(column)
        let (wantedFore, wantedBack) = (line.new.foreground(column), line.new.background(column))
        let keepsFore = ColorDistance.between(foreground, wantedFore) <= radius
        let keepsBack = ColorDistance.between(background, wantedBack) <= radius
        set(
            foreground: keepsFore ? nil : line.color(at: column, .upper),
            background: keepsBack ? nil : line.color(at: column, .lower), style: 0)
        scalar(line.new.glyphs[column])
        return PaintedCell(glyph: line.new.glyphs[column], colors: UInt64(foreground) | UInt64(background) << 32)
    }

    /// Two pixels of one colour.
    @inline(__always)
    private mutating func one(_ color: UInt32) -> PaintedCell {
        set(foreground: nil, background: color, style: 0)
        byte(0x20)
        return PaintedCell(glyph: Glyph.space.code, colors: UInt64(color) | UInt64(color) << 32)
    }

    @inline(__always)
    private mutating func full() -> PaintedCell {
        set(foreground: nil, background: nil, style: 0)
        bytes(Block.full.rawValue, count: 3)
        return PaintedCell(glyph: Glyph.space.code, colors: UInt64(foreground) | UInt64(foreground) << 32)
    }

    /// Two pixels; `block` is the one in the foreground's colour.
    @inline(__always)
    private mutating func two(_ fore: UInt32, _ back: UInt32, _ block: Block) -> PaintedCell {
        set(foreground: fore, background: back, style: 0)
        bytes(block.rawValue, count: 3)
        let (upper, lower) = block == .upper ? (fore, back) : (back, fore)
        let glyph = upper == lower ? Glyph.space.code : HalfBlock.upper
        return PaintedCell(glyph: glyph, colors: UInt64(upper) | UInt64(lower) << 32)
    }
}
