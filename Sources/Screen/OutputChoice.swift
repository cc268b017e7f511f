import Model

/// Who writes the screen, and in how many colours, from what is asked for and what terminfo says.
struct OutputChoice {
    /// nil: whatever suits.
    var wanted: ScreenOutput?
    var surface: PictureMode
    var terminfo: TerminfoFacts
    /// The user named the colours.
    var isColorFixed = false

    /// Directly where that is quicker or shows more: in 256 colours and truecolor, on terminals that understand it. Else ncurses: characters and few colours
    /// cost it little, and it drives any terminal.
    func output(for color: ColorMode) -> ScreenOutput {
        if let wanted { return wanted }
        guard terminfo.isECMA48 else { return .ncurses }
        // Colours that the user asked for, and that terminfo knows no way to.
        if isColorFixed, shown(by: .ncurses, of: color) != color { return .direct }
        guard surface != .ascii else { return .ncurses }
        switch color {
        case .truecolor, .palette256: return .direct
        case .palette16, .mono: return .ncurses
        }
    }

    /// The colours that are shown of those wanted: ncurses has no more than terminfo tells of.
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
