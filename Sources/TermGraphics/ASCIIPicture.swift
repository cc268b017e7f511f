import Model

/// What `paintASCII` keeps from one picture to the next, so that noise does not make characters flicker.
struct ASCIIMemory: ~Copyable {
    /// The brightness of each cell's samples when its character was chosen.
    let samples: Plane<SIMD8<UInt8>>
    /// Its mean colour then; `unknown` where the character must be chosen again.
    let means: Plane<UInt32>
    /// The brightness of one row of cells: four rows of samples.
    let row: Plane<UInt8>

    static let unknown: UInt32 = 0xFF00_0000

    init(size: GridSize) {
        samples = Plane(count: size.cells, filledWith: SIMD8())
        means = Plane(count: size.cells, filledWith: Self.unknown)
        row = Plane(count: 8 * size.columns, filledWith: 0)
    }
}

/// Whether a cell differs from what it shows by no more than noise does.
enum Steadiness {
    @inline(__always)
    static func isNoise(_ samples: SIMD8<UInt8>, _ shown: SIMD8<UInt8>) -> Bool {
        let apart = pointwiseMax(samples, shown) &- pointwiseMin(samples, shown)
        guard apart.max() <= 8 else { return false }
        let drift =
            SIMD8<Int16>(truncatingIfNeeded: samples).wrappedSum()
            &- SIMD8<Int16>(truncatingIfNeeded: shown).wrappedSum()
        return abs(drift) <= 24
    }

    /// Of two colours, 24 bits each; never of one whose top byte is set.
    @inline(__always)
    static func isNoise(_ color: UInt32, _ shown: UInt32) -> Bool {
        let (a, b) = (unsafeBitCast(color, to: SIMD4<UInt8>.self), unsafeBitCast(shown, to: SIMD4<UInt8>.self))
        return (pointwiseMax(a, b) &- pointwiseMin(a, b)).max() <= 4
    }
}

extension Canvas {
    /// Paints a row of characters. Of a palette, the mean colour of a cell makes two colours and the coverage; else its
    /// brightness makes the coverage and the mean colour the colours. Of the characters with about that coverage, the
    /// one shaped like the cell is taken.
    func paintASCII(row: Int) {
        let width = 2 * size.columns
        let first = pixels.base + 4 * row * width
        writeLuma(of: first, count: 4 * width, to: ascii.row.base)
        let matcher = ASCIIMatcher.shared
        let range = tones.range
        for column in 0..<size.columns {
            let index = row * size.columns + column
            if backdropCells[index] == 1 {
                paintBackdrop(index, color: cellMean(first + 2 * column, width: width))
                continue
            }
            let samples = cellSamples(ascii.row.base + 2 * column, width: width)
            let mean = color == .mono ? 0 : cellMean(first + 2 * column, width: width)
            if Steadiness.isNoise(mean, ascii.means[index]), Steadiness.isNoise(samples, ascii.samples[index]) {
                continue
            }
            ascii.means[index] = mean
            ascii.samples[index] = samples
            switch color {
            case .truecolor, .mono:
                let match = matcher.match(.init(range.stretched(samples)))
                glyphs[index] = match.code
                colors[index] = color == .mono ? 0 : trueColors(mean: mean, ink: match.ink)
            case .palette256, .palette16:
                let found = quantiser.palette.inkAndPaper(for: mean)
                let match = matcher.match(
                    .init(samples, coverage: found.coverage, isInkDarker: found.isInkDarker))
                let isBlank = found.coverage == 0 || match.ink == 0
                glyphs[index] = isBlank ? Glyph.space.code : match.code
                colors[index] = UInt64(isBlank ? found.paper : found.ink) | UInt64(found.paper) << 32
            }
        }
    }

    /// The brightness of each pixel.
    private func writeLuma(of pixels: UnsafePointer<UInt32>, count: Int, to target: UnsafeMutablePointer<UInt8>) {
        // As `luma`: red and blue in one multiplication of 16-bit lanes, green in another.
        let weights = unsafeBitCast(SIMD4<UInt32>(repeating: 77 << 16 | 29), to: SIMD8<UInt16>.self)
        var index = 0
        while index + 4 <= count {
            let four = UnsafeRawPointer(pixels + index).loadUnaligned(as: SIMD4<UInt32>.self)
            let redBlue = unsafeBitCast(
                unsafeBitCast(four & 0xFF00FF, to: SIMD8<UInt16>.self) &* weights, to: SIMD4<UInt32>.self)
            let green = unsafeBitCast(
                unsafeBitCast((four &>> 8) & 0xFF, to: SIMD8<UInt16>.self) &* 150, to: SIMD4<UInt32>.self)
            let sum = (redBlue & 0xFFFF) &+ (redBlue &>> 16) &+ green
            UnsafeMutableRawPointer(target + index).storeBytes(
                of: SIMD4<UInt8>(truncatingIfNeeded: sum &>> 8), as: SIMD4<UInt8>.self)
            index += 4
        }
        while index < count {
            target[index] = UInt8(luma(pixels[index]))
            index += 1
        }
    }

    /// Two samples of each of four rows.
    @inline(__always)
    private func cellSamples(_ first: UnsafePointer<UInt8>, width: Int) -> SIMD8<UInt8> {
        var pairs = SIMD4<UInt16>()
        for row in 0..<4 { pairs[row] = UnsafeRawPointer(first + row * width).loadUnaligned(as: UInt16.self) }
        return unsafeBitCast(pairs, to: SIMD8<UInt8>.self)
    }

    /// The mean colour of the eight pixels of a cell.
    @inline(__always)
    private func cellMean(_ first: UnsafePointer<UInt32>, width: Int) -> UInt32 {
        var sums = SIMD8<UInt16>()
        for row in 0..<4 {
            let two = UnsafeRawPointer(first + row * width).loadUnaligned(as: SIMD8<UInt8>.self)
            sums &+= SIMD8<UInt16>(truncatingIfNeeded: two)
        }
        return unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: (sums.lowHalf &+ sums.highHalf) &>> 3), to: UInt32.self)
    }

    /// Ink and paper that together give the mean colour of a cell that the character inks by `ink`/256.
    @inline(__always)
    private func trueColors(mean: UInt32, ink: UInt32) -> UInt64 {
        // A blank shows its background only, which is then the foreground too.
        let foreground = ink == 0 ? mean : brightened(mean)
        return UInt64(foreground) | UInt64(rest(of: mean, less: foreground, covering: ink)) << 32
    }

    /// Brighter by three eighths, or as bright as the colour can be without fading.
    @inline(__always)
    private func brightened(_ color: UInt32) -> UInt32 {
        let most = max(color >> 16, color >> 8 & 0xFF, color & 0xFF)
        let factor = min(255 * 256 / max(most, 1), 352)
        // Swift shifts before it multiplies.
        let red = ((color >> 16) * factor) >> 8
        let green = ((color >> 8 & 0xFF) * factor) >> 8
        let blue = ((color & 0xFF) * factor) >> 8
        return red << 16 | green << 8 | blue
    }

    /// The colour that must fill what `part` leaves free, so that both together have the mean `whole`.
    @inline(__always)
    private func rest(of whole: UInt32, less part: UInt32, covering: UInt32) -> UInt32 {
        // One division for three channels.
        let factor = Float(1) / Float(max(256 - Int32(covering), 1))
        let channels = SIMD4<Int32>(truncatingIfNeeded: unsafeBitCast(whole, to: SIMD4<UInt8>.self)) &<< 8
        let taken = SIMD4<Int32>(truncatingIfNeeded: unsafeBitCast(part, to: SIMD4<UInt8>.self)) &* Int32(covering)
        let left = SIMD4<Float>(channels &- taken) * factor
        let inside = pointwiseMin(pointwiseMax(left, SIMD4(repeating: 0)), SIMD4(repeating: 255))
        return unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int32>(inside)), to: UInt32.self)
    }
}
