import Model

extension Canvas {
    /// Paints a row of cells of parts in the colours of a palette, or in black and white. A cell whose pixels differ
    /// from those it was chosen for by no more than noise stays as it is.
    func paintPaletteParts(row: Int) {
        let (width, rows) = (2 * size.columns, pictureMode.samplesPerCell.height)
        let place = rows * row * width
        for column in 0..<size.columns {
            let index = row * size.columns + column
            let first = place + 2 * column
            if backdropCells.count > 0, backdropCells[index] == 1 {
                paintBackdrop(index, color: pixels[first])
                continue
            }
            guard !isShown(first, width: width, rows: rows) else { continue }
            for y in 0..<rows {
                shownPixels[first + y * width] = pixels[first + y * width]
                shownPixels[first + y * width + 1] = pixels[first + y * width + 1]
            }
            for part in 0..<parts.split.parts {
                parts.samples[part] = pixels[first + (part >> 1) * width + (part & 1)]
            }
            if color == .mono { paintMonoCell(at: index) } else { paintPaletteCell(at: index) }
        }
    }

    /// Whether all pixels of a cell are those that it was chosen for, or about those.
    @inline(__always)
    private func isShown(_ first: Int, width: Int, rows: Int) -> Bool {
        for y in 0..<rows {
            for place in first + y * width...first + y * width + 1
            where !Steadiness.isNoise(pixels[place], shownPixels[place]) {
                return false
            }
        }
        return true
    }

    @inline(__always)
    private func paintPaletteCell(at index: Int) {
        let cell = quantiser.palette.cell(of: parts.samples.base, work: parts.work)
        var (pattern, ink, paper) = (cell.pattern, cell.ink, cell.paper)
        if pictureMode == .braille, 2 * pattern.nonzeroBitCount > parts.split.parts, ink != paper {
            // As in `paintParts`.
            pattern = parts.split.whole & ~pattern
            swap(&ink, &paper)
        }
        let code = ink == paper ? Glyph.space.code : parts.codes[Int(pattern)]
        glyphs[index] = cell.quarters > 0 ? HalfBlock.lightShade - 1 + cell.quarters : code
        colors[index] = UInt64(ink) | UInt64(paper) << 32
    }

    // MARK: Black and white

    /// Blocks are painted as in a palette of black and white, in the range of
    /// brightnesses that the picture has. Dots are lit where the picture is brighter
    /// than a pattern of thresholds: between dots a shade character would be a blot.
    @inline(__always)
    private func paintMonoCell(at index: Int) {
        colors[index] = 0
        var tones = SIMD8<UInt8>()
        for part in 0..<parts.split.parts { tones[part] = UInt8(truncatingIfNeeded: luma(parts.samples[part])) }
        let stretched = self.tones.range.stretched(tones)
        if pictureMode == .braille {
            let (x, y) = (index % size.columns * 2, index / size.columns * 4)
            var pattern = 0
            for part in 0..<8 where stretched[part] > Bayer.threshold(x + part & 1, y + part >> 1) {
                pattern |= 1 << part
            }
            glyphs[index] = parts.codes[pattern]
            return
        }
        for part in 0..<parts.split.parts { parts.samples[part] = UInt32(stretched[part]) * 0x01_0101 }
        let cell = quantiser.palette.cell(of: parts.samples.base, work: parts.work)
        // Entry 1 is lit.
        let lit = cell.ink == cell.paper ? (cell.ink == 1 ? parts.split.whole : 0) : cell.pattern
        let pattern = cell.ink == 0 && cell.paper == 1 ? parts.split.whole & ~lit : lit
        glyphs[index] = cell.quarters > 0 ? HalfBlock.lightShade - 1 + cell.quarters : parts.codes[Int(pattern)]
    }
}

/// An ordered dither of 8 × 8: Bayer, "An optimum method for two-level rendition of continuous-tone pictures" (1973).
enum Bayer {
    // nonisolated(unsafe): written once, here, and never freed.
    nonisolated(unsafe) private static let thresholds: UnsafePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
        for y in 0..<8 {
            for x in 0..<8 {
                // The bits of both coordinates by turns, the lowest first.
                let rank = (0..<3).reduce(0) { $0 << 2 | ((x ^ y) >> $1 & 1) << 1 | y >> $1 & 1 }
                table[8 * y + x] = UInt8(4 * rank + 1)
            }
        }
        return UnsafePointer(table)
    }()

    /// What a pixel must exceed to be lit, 1 … 253.
    @inline(__always)
    static func threshold(_ x: Int, _ y: Int) -> UInt8 { thresholds[(y & 7) << 3 | x & 7] }
}

/// A cell of few colours whose parts have one of two.
struct PalettePartCell: Hashable {
    /// The parts that are inked, by bit.
    var pattern: UInt32
    /// 1…3: the cell is a shade character instead, which inks this many quarters of it; else 0.
    var quarters: UInt32 = 0
    /// Indices of the palette; the same where all parts have one colour.
    var ink: UInt32
    var paper: UInt32
}

/// Where `PaletteMatcher.cell(of:)` works: eight parts' values, side by side.
struct PaletteWork: ~Copyable {
    /// Brightness and two colour differences of each part; the distances of all
    /// parts to each entry; 1 for parts that there are.
    private let values = Plane<SIMD8<Float>>(count: 12, filledWith: SIMD8())
    let count: Int

    /// - Parameter count: the parts of a cell.
    init(count: Int) {
        self.count = count
        for part in 0..<count { values[11][part] = 1 }
    }

    @inline(__always)
    func set(_ part: Int, _ color: OpponentColor) {
        let floats = UnsafeMutableRawPointer(values.base).assumingMemoryBound(to: Float.self)
        floats[part] = Float(color.luma)
        floats[8 + part] = Float(color.red)
        floats[16 + part] = Float(color.blue)
    }

    /// Notes how far each part is from the entry of number `index`, as `OpponentColor.distance`, and returns the sum.
    @inline(__always)
    func measure(_ color: OpponentColor, _ index: Int) -> Float {
        let luma = values.base[0] - Float(color.luma)
        let red = values.base[1] - Float(color.red)
        let blue = values.base[2] - Float(color.blue)
        let colors = red * red * 4 + blue * blue * 3
        let away = (luma * luma * 14 + colors) * values.base[11]
        values.base[3 + index] = away
        return Self.sum(away)
    }

    /// The distances to the nearer of two entries.
    @inline(__always)
    func least(_ one: Int, _ other: Int) -> Float {
        let (a, b) = (values.base[3 + one], values.base[3 + other])
        return Self.sum(a.replacing(with: b, where: b .< a))
    }

    /// The parts that are nearer to the first of two entries, by bit.
    @inline(__always)
    func nearer(_ one: Int, than other: Int) -> UInt32 {
        let floats = UnsafeRawPointer(values.base).assumingMemoryBound(to: Float.self)
        var pattern: UInt32 = 0
        for part in 0..<count where floats[8 * (3 + one) + part] <= floats[8 * (3 + other) + part] {
            pattern |= 1 << UInt32(part)
        }
        return pattern
    }

    @inline(__always)
    private static func sum(_ values: SIMD8<Float>) -> Float {
        let four = values.lowHalf + values.highHalf
        let two = four.lowHalf + four.highHalf
        return two.x + two.y
    }
}

extension PaletteMatcher {
    /// The cell that shows up to eight parts best: in the two entries for which the parts' distances to the nearer one
    /// are least, of the entries that are nearest to a part; or where parts are alike, a shade of two entries.
    @inline(__always)
    func cell(of samples: UnsafePointer<UInt32>, work: borrowing PaletteWork) -> PalettePartCell {
        let count = work.count
        // The entries found, eight bits each.
        var entries: UInt64 = 0
        var found = 0
        var (one, other) = (0, 0)
        var least = Float.infinity
        for part in 0..<count {
            let color = OpponentColor(samples[part])
            work.set(part, color)
            let entry = UInt64(nearestEntry(color))
            var place = 0
            while place < found, entries >> (8 * UInt64(place)) & 0xFF != entry { place += 1 }
            guard place == found else { continue }
            entries |= entry << (8 * UInt64(found))
            found += 1
        }
        for second in 0..<found {
            let sum = work.measure(colors[Int(entries >> (8 * UInt64(second)) & 0xFF)], second)
            if found == 1 { least = sum }
            for first in 0..<second {
                let sum = work.least(first, second)
                if sum < least { (least, one, other) = (sum, first, second) }
            }
        }
        if let shade = shade(of: samples, count: count, ifBelow: least) { return shade }
        func entry(_ place: Int) -> UInt32 { UInt32(first) + UInt32(entries >> (8 * UInt64(place)) & 0xFF) }
        let whole = UInt32(1) << UInt32(count) - 1
        let pattern = one == other ? whole : work.nearer(one, than: other)
        // Keys stand for colours that differ by a little, so an entry that was found for a part may be nearest to none.
        if pattern == 0 || pattern == whole {
            let only = entry(pattern == 0 ? other : one)
            return PalettePartCell(pattern: whole, ink: only, paper: only)
        }
        // Part 0 is inked.
        return pattern & 1 == 1
            ? PalettePartCell(pattern: pattern, ink: entry(one), paper: entry(other))
            : PalettePartCell(pattern: whole & ~pattern, ink: entry(other), paper: entry(one))
    }

    /// A shade, if it loses less than `limit`. It must be better by a little, as in cells of two pixels
    /// (`cell(upper:lower:)`).
    @inline(__always)
    private func shade(of samples: UnsafePointer<UInt32>, count: Int, ifBelow limit: Float) -> PalettePartCell? {
        var (redBlue, green): (UInt32, UInt32) = (0, 0)
        for part in 0..<count {
            redBlue += samples[part] & 0xFF00FF
            green += samples[part] >> 8 & 0xFF
        }
        let parts = UInt32(count)
        let (red, blue) = ((redBlue >> 16) / parts, (redBlue & 0xFFFF) / parts)
        let wanted = OpponentColor(red << 16 | (green / parts) << 8 | blue)
        // What a shade loses whatever it mixes.
        var atLeast = 16 * Int32(count)
        for part in 0..<count { atLeast += 2 * OpponentColor(samples[part]).distance(to: wanted) }
        guard Float(atLeast) < limit, let mix = mixing(wanted) else { return nil }
        guard Float(atLeast) + Float(count) * Float(mix.loss) < limit else { return nil }
        return PalettePartCell(
            pattern: 1, quarters: mix.cell.quarters, ink: mix.cell.foreground, paper: mix.cell.background)
    }
}
