import Model

/// Turns 24-bit colours into what the terminal has: themselves, an index of its palette, or lit and unlit.
///
/// The tables are looked up with 5 bits a channel and are made once a process. Pictures are dithered with an ordered pattern that stands
/// still on the screen, so that a still picture does not shimmer; text is not dithered.
struct Quantiser {
    private let color: ColorMode
    private let table: UnsafePointer<UInt8>
    private let amplitude: Int32

    init(_ color: ColorMode) {
        self.color = color
        switch color {
        case .truecolor, .mono:
            table = PaletteTable.none.base
            amplitude = 0
        case .palette256:
            table = PaletteTable.cube.base
            amplitude = 36
        case .palette16:
            table = PaletteTable.terminal.base
            amplitude = 96
        }
    }

    /// The nearest value, for text.
    func plain(_ rgb: UInt32) -> UInt32 {
        switch color {
        case .truecolor: rgb & 0xFF_FFFF
        case .palette256, .palette16: UInt32(table[key(rgb >> 16 & 0xFF, rgb >> 8 & 0xFF, rgb & 0xFF)])
        case .mono: luma(rgb) >= 128 ? 1 : 0
        }
    }

    /// The value for a picture's pixel at a place on the screen.
    @inline(__always)
    func dithered(_ rgb: UInt32, x: Int, y: Int) -> UInt32 {
        let threshold = Int32(bayer(x: x, y: y))
        switch color {
        case .truecolor: return rgb
        case .mono: return Int32(luma(rgb)) > threshold * 4 + 1 ? 1 : 0
        case .palette256, .palette16:
            // −32…31 of 64ths, so that the mean stays.
            let offset = ((threshold * 2 - 63) * amplitude) / 128
            return UInt32(
                table[
                    key(
                        clamped(Int32(rgb >> 16 & 0xFF) + offset), clamped(Int32(rgb >> 8 & 0xFF) + offset),
                        clamped(Int32(rgb & 0xFF) + offset))])
        }
    }

    @inline(__always)
    private func clamped(_ value: Int32) -> UInt32 { UInt32(min(max(value, 0), 255)) }

    @inline(__always)
    private func key(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> Int {
        Int((red >> 3) << 10 | (green >> 3) << 5 | blue >> 3)
    }

    /// Bayer's 8×8 matrix, 0…63: the bits of x ^ y and y, interleaved from the lowest up.
    @inline(__always)
    private func bayer(x: Int, y: Int) -> UInt32 {
        let mixed = UInt32(truncatingIfNeeded: x ^ y)
        let row = UInt32(truncatingIfNeeded: y)
        return (mixed & 1) << 5 | (row & 1) << 4 | (mixed & 2) << 2 | (row & 2) << 1 | (mixed & 4) >> 1 | (row & 4) >> 2
    }
}

/// The nearest index of a palette for each colour of 5 bits a channel.
private final class PaletteTable: Sendable {
    static let none = PaletteTable(palette: [])
    /// The cube and the greys only: 0…15 are the user's own.
    static let cube = PaletteTable(palette: (16..<256).map { ($0, TerminalPalette.color(of: $0)) })
    static let terminal = PaletteTable(palette: (0..<16).map { ($0, TerminalPalette.color(of: $0)) })

    // nonisolated(unsafe): written only by `init`, never freed while a static holds it.
    nonisolated(unsafe) let base: UnsafePointer<UInt8>

    private init(palette: [(index: Int, color: RGB)]) {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 32_768)
        table.initialize(repeating: 0, count: 32_768)
        base = UnsafePointer(table)
        guard !palette.isEmpty else { return }
        for key in 0..<32_768 {
            func spread(_ five: Int) -> Int32 { Int32(five << 3 | five >> 2) }
            let (red, green, blue) = (spread(key >> 10), spread(key >> 5 & 31), spread(key & 31))
            var best = Int32.max
            for (index, color) in palette {
                let away = distance(
                    red, green, blue, Int32(color.red), Int32(color.green), Int32(color.blue))
                if away < best {
                    best = away
                    table[key] = UInt8(index)
                }
            }
        }
    }

    deinit { base.deallocate() }
}

/// How far two colours are apart to the eye: Riemersma's weighted distance ("redmean").
@inline(__always)
private func distance(_ r1: Int32, _ g1: Int32, _ b1: Int32, _ r2: Int32, _ g2: Int32, _ b2: Int32) -> Int32 {
    let mean = (r1 + r2) / 2
    let (red, green, blue) = (r1 - r2, g1 - g2, b1 - b2)
    return ((512 + mean) * red * red) >> 8 + 4 * green * green + ((767 - mean) * blue * blue) >> 8
}

/// The colours of xterm's palette.
enum TerminalPalette {
    static func color(of index: Int) -> RGB {
        switch index {
        case 0..<16: RGB(packed: basic[index])
        case 16..<232:
            RGB(level((index - 16) / 36), level((index - 16) / 6 % 6), level((index - 16) % 6))
        default: RGB(grey(index), grey(index), grey(index))
        }
    }

    private static func level(_ step: Int) -> UInt8 { step == 0 ? 0 : UInt8(55 + 40 * step) }
    private static func grey(_ index: Int) -> UInt8 { UInt8(8 + 10 * (index - 232)) }

    /// xterm's defaults (XTerm-col.ad).
    private static let basic: [UInt32] = [
        0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
        0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ]
}
