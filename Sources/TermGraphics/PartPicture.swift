import Model

/// What pictures of parts need from one picture to the next.
struct PartMemory: ~Copyable {
    /// The characters by pattern; none in picture modes without parts.
    let codes: Plane<UInt32>
    /// The pattern that was chosen for each cell; 0 where it must be
    /// chosen again. Has no cells where colours come from a palette.
    let patterns: Plane<UInt8>
    let split: PartSplit
    /// One cell's pixels, and where colours are chosen for them from a palette.
    let samples = Plane<UInt32>(count: 8, filledWith: 0)
    let work: PaletteWork

    init(mode: PictureMode, cells: Int, color: ColorMode) {
        let codes = PartGlyphs.codes(of: mode)
        self.codes = Plane(count: codes.count, filledWith: 0)
        for (pattern, code) in codes.enumerated() { self.codes[pattern] = code }
        patterns = Plane(count: !codes.isEmpty && color == .truecolor ? cells : 0, filledWith: 0)
        // Where cells have no parts, none are divided: the smallest table will do.
        split = PartSplit(parts: codes.isEmpty ? 2 : mode.samplesPerCell.width * mode.samplesPerCell.height)
        work = PaletteWork(count: split.parts)
    }
}

extension Canvas {
    /// Paints a row of cells of two by two, three or four parts: which parts have the one and which the other colour,
    /// and the two mean colours.
    func paintParts(row: Int) {
        guard color == .truecolor else { return paintPaletteParts(row: row) }
        let rows = pictureMode.samplesPerCell.height
        let width = 2 * size.columns
        let first = pixels.base + rows * row * width
        var column = 0
        while column < size.columns {
            let count = min(PartSplit.cells, size.columns - column)
            let index = row * size.columns + column
            for y in 0..<rows {
                let line = cells(first + y * width + 2 * column, count: count)
                parts.split.set(2 * y, line.evenHalf)
                parts.split.set(2 * y + 1, line.oddHalf)
            }
            var shown = PartSplit.Patterns()
            for lane in 0..<count { shown[lane] = UInt32(parts.patterns.base[index + lane]) }
            let chosen = parts.split.patterns(after: shown)
            for lane in 0..<count {
                parts.patterns.base[index + lane] = UInt8(truncatingIfNeeded: chosen[lane])
                paint(chosen[lane], of: first + 2 * (column + lane), width: width, at: index + lane)
            }
            column += count
        }
    }

    /// The pixels of a row of up to eight cells; what lies beyond is black.
    @inline(__always)
    private func cells(_ first: UnsafePointer<UInt32>, count: Int) -> SIMD16<UInt32> {
        if count == PartSplit.cells { return UnsafeRawPointer(first).loadUnaligned(as: SIMD16<UInt32>.self) }
        var line = SIMD16<UInt32>()
        for pixel in 0..<2 * count { line[pixel] = first[pixel] }
        return line
    }

    @inline(__always)
    private func paint(_ pattern: UInt32, of first: UnsafePointer<UInt32>, width: Int, at index: Int) {
        var (ink, paper) = means(of: first, width: width, pattern)
        var pattern = pattern
        if pictureMode == .braille, pattern != parts.split.whole {
            // Dots leave much of the cell free: what most parts have is the paper.
            if 2 * pattern.nonzeroBitCount > parts.split.parts {
                pattern = parts.split.whole & ~pattern
                swap(&ink, &paper)
            }
            ink = Braille.dots(ink, on: paper)
        }
        glyphs.base[index] = ink == paper ? Glyph.space.code : parts.codes.base[Int(pattern)]
        colors.base[index] = UInt64(ink) | UInt64(paper) << 32
    }

    /// The mean colours of the parts in a pattern, and of the others; twice the same where there are no others.
    @inline(__always)
    private func means(of first: UnsafePointer<UInt32>, width: Int, _ pattern: UInt32) -> (UInt32, UInt32) {
        // A channel in each 16 bits: eight parts of 255 have room.
        var (sum, inked): (UInt64, UInt64) = (0, 0)
        for part in 0..<parts.split.parts {
            let pixel = UInt64(first[(part >> 1) * width + (part & 1)])
            let spread = pixel & 0xFF | (pixel & 0xFF00) << 8 | (pixel & 0xFF_0000) << 16
            sum += spread
            inked += spread & (0 &- UInt64(pattern >> UInt32(part) & 1))
        }
        let count = pattern.nonzeroBitCount
        let ink = Self.mean(inked, of: count)
        return (ink, count == parts.split.parts ? ink : Self.mean(sum - inked, of: parts.split.parts - count))
    }

    /// Three sums over their `count`, rounded.
    @inline(__always)
    private static func mean(_ sums: UInt64, of count: Int) -> UInt32 {
        // Rounded up, which is exact as long as sums are below 65,536 / 16.
        let inverse = (65_536 + UInt32(count) - 1) / UInt32(count)
        func channel(_ shift: UInt64) -> UInt32 {
            (UInt32(truncatingIfNeeded: sums >> shift & 0xFFFF) * inverse + 32_768) >> 16
        }
        return channel(32) << 16 | channel(16) << 8 | channel(0)
    }
}

/// Characters of dots.
enum Braille {
    /// How much of its part a dot covers, in 256ths: about a third in most fonts. Less is made up for than that, as it
    /// would be glaring.
    private static let coverage: Int32 = 144

    /// The colour of dots that make their parts look like `color` on `paper`, or the nearest possible.
    @inline(__always)
    static func dots(_ color: UInt32, on paper: UInt32) -> UInt32 {
        func channel(_ shift: UInt32) -> UInt32 {
            let (front, back) = (Int32(color >> shift & 0xFF), Int32(paper >> shift & 0xFF))
            return UInt32(min(max(back + (front - back) * 256 / coverage, 0), 255)) << shift
        }
        return channel(16) | channel(8) | channel(0)
    }
}
