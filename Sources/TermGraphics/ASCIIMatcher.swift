import Model

/// Finds the printable ASCII character whose ink lies most like the light in a cell.
///
/// The eight samples of a cell, in four steps each, are a key of 16 bits. What a key gives is worked out when it is first met and kept, so
/// that a cell costs one look-up and not 95 comparisons.
struct ASCIIMatcher: ~Copyable {
    private let known: Plane<UInt8>
    private let ink: Plane<Int32>
    private static let characters = 95

    init() {
        known = Plane(count: 65_536, filledWith: 0)
        ink = Plane(count: ASCIICoverage.table.count, filledWith: 0)
        // The densest eighth of any character counts as full light: ink never covers all of a cell.
        let most = Int32(ASCIICoverage.table.max() ?? 1)
        for (index, part) in ASCIICoverage.table.enumerated() { ink[index] = Int32(part) * 255 / most }
    }

    /// The character for a key: two bits a sample, the first sample lowest.
    @inline(__always)
    func character(for key: Int) -> UInt32 {
        let found = known[key]
        return UInt32(found != 0 ? found : match(key))
    }

    @inline(never)
    private func match(_ key: Int) -> UInt8 {
        let best = nearest(key)
        known[key] = best
        return best
    }

    /// The plain search: each sample's difference, and that of the whole cell's brightness, squared.
    func nearest(_ key: Int) -> UInt8 {
        var best = ASCIICoverage.first
        var least = Int32.max
        for character in 0..<Self.characters {
            var away: Int32 = 0
            var sum: Int32 = 0
            for sample in 0..<8 {
                let difference = Int32(key >> (2 * sample) & 3) * 85 - ink[character * 8 + sample]
                away += difference * difference
                sum += difference
            }
            away += sum * sum / 8
            if away < least {
                least = away
                best = ASCIICoverage.first + UInt8(character)
            }
        }
        return best
    }
}

extension Canvas {
    /// Paints a row of characters: shape and brightness make the character, the bright part its colour, the dark part a dim background.
    func paintASCII(row: Int) {
        let width = 2 * size.columns
        for column in 0..<size.columns {
            let first = pixels.base + 4 * row * width + 2 * column
            let cell = asciiCell(first, stride: width)
            let index = row * size.columns + column
            if color == .mono {
                glyphs[index] = cell.character
                colors[index] = 0
                continue
            }
            let background = quantiser.plain(cell.background)
            glyphs[index] = cell.character
            // A space shows only its background.
            let isBlank = cell.character == Glyph.space.code
            let foreground = isBlank ? background : quantiser.dithered(cell.foreground, x: column, y: row)
            colors[index] = UInt64(foreground) | UInt64(background) << 32
        }
    }

    @inline(__always)
    private func asciiCell(
        _ first: UnsafePointer<UInt32>, stride: Int
    ) -> (character: UInt32, foreground: UInt32, background: UInt32) {
        var light = SIMD8<UInt32>(repeating: 0)
        var total: UInt32 = 0
        for sample in 0..<8 {
            let value = luma(first[(sample >> 1) * stride + (sample & 1)])
            light[sample] = value
            total += value
        }
        let (low, high) = (light.min(), light.max())
        let mean = total / 8
        var key = 0
        var bright = SIMD4<UInt32>(repeating: 0)
        var dark = SIMD4<UInt32>(repeating: 0)
        for sample in 0..<8 {
            let pixel = first[(sample >> 1) * stride + (sample & 1)]
            let parts = SIMD4(pixel >> 16 & 0xFF, pixel >> 8 & 0xFF, pixel & 0xFF, 1)
            // An edge is drawn sharper than it is, as a character has no half tones: contrast is doubled around the mean.
            let sharp = high - low > 48 ? Int(light[sample]) * 2 - Int(mean) : Int(light[sample])
            key |= min(max((sharp + 42) / 85, 0), 3) << (2 * sample)
            if light[sample] >= mean { bright &+= parts } else { dark &+= parts }
        }
        let foreground = lifted(mean: bright)
        // A quarter of the dark part's light: enough to tint what a character leaves empty, and not to drown it.
        let background = dark[3] == 0 ? dimmed(bright) : dimmed(dark)
        return (asciiMatcher.character(for: key), foreground, background)
    }

    /// The mean colour, brightened, as ink covers only a part of its cell.
    private func lifted(mean sum: SIMD4<UInt32>) -> UInt32 {
        let mean = sum / max(sum[3], 1)
        let most = max(mean[0], mean[1], mean[2], 1)
        let wanted = min(255, most + most / 2)
        return (mean[0] * wanted / most) << 16 | (mean[1] * wanted / most) << 8 | mean[2] * wanted / most
    }

    private func dimmed(_ sum: SIMD4<UInt32>) -> UInt32 {
        let part = sum / (4 * max(sum[3], 1))
        return part[0] << 16 | part[1] << 8 | part[2]
    }
}
