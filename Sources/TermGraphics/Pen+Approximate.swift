import Model

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
