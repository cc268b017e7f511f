import Model

/// The colours of xterm's palette.
public enum TerminalPalette {
    /// The entry of the colour cube for levels 0…5 a channel, and the grey that is the darkest of 24.
    static let firstOfCube = 16
    static let firstGrey = 232
    static let greys = 24

    /// For 0…255.
    public static func color(of index: Int) -> RGB {
        switch index {
        case 0..<16: RGB(packed: basic[index])
        case firstOfCube..<firstGrey:
            RGB(level((index - 16) / 36), level((index - 16) / 6 % 6), level((index - 16) % 6))
        default: RGB(grey(index), grey(index), grey(index))
        }
    }

    /// The brightness of a step of the colour cube.
    static func level(_ step: Int) -> UInt8 { step == 0 ? 0 : UInt8(55 + 40 * step) }

    /// The steps of the colour cube that enclose a brightness; equal where it is one of them.
    static func steps(around value: Int) -> (below: Int, above: Int) {
        let below = value < 95 ? 0 : min((value - 55) / 40, 5)
        return (below, Int(level(below)) == value ? below : min(below + 1, 5))
    }

    private static func grey(_ index: Int) -> UInt8 { UInt8(8 + 10 * (index - firstGrey)) }

    /// xterm's defaults (XTerm-col.ad).
    private static let basic: [UInt32] = [
        0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
        0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ]
}

/// Turns the page's own 24-bit colours into those of the terminal:
/// themselves, an index of its palette, or lit and unlit.
///
/// A colour of the palette stays itself. Nothing is dithered: a uniform colour stays uniform.
struct Quantiser {
    private let color: ColorMode
    /// The palette's entries; black and white in truecolor and mono.
    let palette: PaletteMatcher

    init(_ color: ColorMode, hasBrightGrounds: Bool = true) {
        self.color = color
        palette =
            switch color {
            case .truecolor, .mono: .blackAndWhite
            case .palette256: .cube
            case .palette16: hasBrightGrounds ? .terminal : .terminalWithDarkGrounds
            }
    }

    /// The nearest value.
    func plain(_ rgb: UInt32) -> UInt32 {
        switch color {
        case .truecolor: rgb & 0xFF_FFFF
        case .palette256, .palette16: palette.nearest(rgb)
        case .mono: luma(rgb) >= 128 ? 1 : 0
        }
    }
}
