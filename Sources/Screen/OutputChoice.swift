import Model

/// Chooses the program that writes the screen, and the number of colours, from the options and terminfo.
struct OutputChoice {
    /// nil: whatever suits.
    var wanted: ScreenOutput?
    var pictureMode: PictureMode
    var terminfo: TerminfoFacts
    /// The user named the colours.
    var isColorFixed = false

    /// Directly where that is quicker or shows more: in 256 colours and truecolor, on terminals that understand it.
    /// Else ncurses: characters and few colours cost it little, and it drives any terminal.
    func output(for color: ColorMode) -> ScreenOutput { decision(for: color).output }

    /// The output, and why it is that one.
    func decision(for color: ColorMode) -> (output: ScreenOutput, reason: OutputReason) {
        if pictureMode.hasPixels { return (.direct, .pixels) }
        if let wanted { return (wanted, .asked) }
        guard terminfo.isECMA48 else { return (.ncurses, .notECMA48) }
        if isColorFixed, shown(by: .ncurses, of: color) != color { return (.direct, .colorsBeyondTerminfo) }
        switch (pictureMode, color) {
        case (.ascii, _): return (.ncurses, .characters)
        case (.octant, _): return (.direct, .newCharacters)
        case (.kitty, _), (.sixel, _), (.iterm2, _): return (.direct, .pixels)
        case (_, .truecolor), (_, .palette256): return (.direct, .manyColors)
        case (_, .palette16), (_, .mono): return (.ncurses, .fewColors)
        }
    }

    /// The colours that an output shows where `color` is wanted: ncurses is limited to those that terminfo lists.
    func shown(by output: ScreenOutput, of color: ColorMode) -> ColorMode {
        guard output == .ncurses else { return color }
        switch color {
        case .truecolor where terminfo.hasDirectColor && terminfo.colors >= 1 << 24: return .truecolor
        case .truecolor, .palette256:
            return terminfo.colors >= 256 ? .palette256 : shown(by: output, of: .palette16)
        case .palette16: return terminfo.colors >= 8 ? .palette16 : .mono
        case .mono: return .mono
        }
    }
}

/// Why the screen is written by the one and not by the other.
public enum OutputReason: Equatable, Sendable {
    /// The user named it.
    case asked
    /// The terminal does not speak ECMA-48.
    case notECMA48
    /// The user named colours that terminfo knows no way to.
    case colorsBeyondTerminfo
    /// Pictures are made of characters.
    case characters
    /// Pictures are pixels.
    case pixels
    /// Pictures are made of characters that C libraries, and so ncurses, may not know yet.
    case newCharacters
    /// 256 colours or more, on a terminal that speaks ECMA-48.
    case manyColors
    /// 16 colours or none.
    case fewColors
}
