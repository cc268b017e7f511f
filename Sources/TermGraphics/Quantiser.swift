import Model

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
