import Model

extension Canvas {
    static let unknownPixel: UInt32 = 0xFF00_0000

    /// Paints a row of half blocks and shades in the colours of a palette, or in black and white. A cell whose two
    /// pixels differ from those it was chosen for by no more than noise stays as it is.
    func paintPaletteHalfBlocks(row: Int) {
        let columns = size.columns
        let upper = pixels.base + 2 * row * columns
        let lower = upper + columns
        let shownUpper = shownPixels.base + 2 * row * columns
        let shownLower = shownUpper + columns
        let palette = quantiser.palette
        for column in 0..<columns {
            if backdropCells.count > 0, backdropCells[row * columns + column] == 1 {
                paintBackdrop(row * columns + column, color: upper[column])
                continue
            }
            if Steadiness.isNoise(upper[column], shownUpper[column]),
                Steadiness.isNoise(lower[column], shownLower[column])
            {
                continue
            }
            shownUpper[column] = upper[column]
            shownLower[column] = lower[column]
            let index = row * columns + column
            if color == .mono {
                let cell = palette.cell(upper: stretched(upper[column]), lower: stretched(lower[column]))
                glyphs[index] = cell.quarters > 0 ? cell.shade : monoBlock(cell.foreground, cell.background)
                colors[index] = 0
            } else {
                let cell = palette.cell(upper: upper[column], lower: lower[column])
                let pair = cell.foreground == cell.background ? Glyph.space.code : HalfBlock.upper
                glyphs[index] = cell.quarters > 0 ? cell.shade : pair
                colors[index] = UInt64(cell.foreground) | UInt64(cell.background) << 32
            }
        }
    }

    /// Text occupies a cell now: the next picture there is chosen again.
    @inline(__always)
    func forgetPicture(at index: Int) {
        if ascii.means.count > 0 { ascii.means[index] = ASCIIMemory.unknown }
        if parts.patterns.count > 0 { parts.patterns[index] = 0 }
        if shownPixels.count > 0 {
            let (row, column) = (index / size.columns, index % size.columns)
            let samples = pictureMode.samplesPerCell
            shownPixels[(samples.height * row * size.columns + column) * samples.width] = Self.unknownPixel
        }
    }

    /// Chooses every cell again in the next picture.
    func forgetPictures() {
        ascii.means.base.update(repeating: ASCIIMemory.unknown, count: ascii.means.count)
        parts.patterns.base.update(repeating: 0, count: parts.patterns.count)
        shownPixels.base.update(repeating: Self.unknownPixel, count: shownPixels.count)
    }

    /// The grey that a pixel is shown as in the range of the picture.
    @inline(__always)
    private func stretched(_ rgb: UInt32) -> UInt32 {
        UInt32(tones.range.stretched(SIMD8(repeating: UInt8(luma(rgb))))[0]) * 0x01_0101
    }

    private func monoBlock(_ top: UInt32, _ bottom: UInt32) -> UInt32 {
        switch (top, bottom) {
        case (0, 0): Glyph.space.code
        case (_, 0): HalfBlock.upper
        case (0, _): HalfBlock.lower
        default: HalfBlock.full
        }
    }
}
