import Model

/// The modes that flick sets beside ncurses' own, and the bytes that give a terminal back when ncurses cannot do it.
struct TerminalModes {
    let terminfo: Terminfo
    let hasMouse: Bool
    /// Whether the terminal is to say when its window gets and loses the keyboard.
    let reportsFocus: Bool
    /// Whether all mouse motion is reported, not only with a button down.
    var hasMotion = false
    /// Pictures may be shown that have to be deleted (kitty's graphics protocol).
    var hasImages = false

    /// Deletes what the screen shows of kitty's graphics protocol, and only
    /// that: another program's images on the other screen stay.
    private static let imageDeletion = Array("\u{1B}_Ga=d,d=A,q=2\u{1B}\\".utf8)

    /// Removes the pictures of a mode, before the whole screen is painted in another one.
    ///
    /// Sixels go with SU (ECMA-48), which moves all rows out of the screen. xterm
    /// keeps them below the text that replaces them, even through ED, and then takes
    /// ten times as long for text: 0.55 s instead of 0.05 s for 200×60 cells (379).
    static func removal(of mode: PictureMode, rows: Int) -> [UInt8] {
        switch mode {
        case .kitty: imageDeletion
        case .sixel: Array("\u{1B}[\(rows)S".utf8)
        default: []
        }
    }

    /// Mouse and bracketed paste, on a screen that ncurses has set up.
    var enable: [UInt8] {
        var bytes: [UInt8] = []
        if hasMouse, hasMouseString { bytes += terminfo.mouseOn }
        if terminfo.isXtermLike {
            // 1002: presses, releases and, unlike what terminfo switches on, moves with a button down; 1006: as SGR,
            // for more than 223 columns.
            if hasMouse { bytes += Array("\u{1B}[?1002h\u{1B}[?1006h".utf8) }
            if hasMouse, hasMotion { bytes += motion }
            // 2004: pasted text comes in brackets, which distinguish it from keys.
            bytes += Array("\u{1B}[?2004h".utf8)
            // 2031: it says when its colours change.
            bytes += Array("\u{1B}[?2031h".utf8)
            if reportsFocus { bytes += Array("\u{1B}[?1004h".utf8) }
        }
        return bytes
    }

    /// Reports of motion without a button: mode 1003 takes the place of 1002, whose end would be that of all reports.
    var motion: [UInt8] { Array((hasMotion ? "\u{1B}[?1003h" : "\u{1B}[?1003l\u{1B}[?1002h").utf8) }

    /// Switches off what `enable` switched on; ncurses' own bytes follow. It may come in the middle of a picture's
    /// bytes: CAN ends a control sequence, ST a string.
    var disable: [UInt8] {
        var bytes: [UInt8] = []
        if terminfo.isXtermLike {
            bytes += Array("\u{18}\u{1B}\\\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1003l\u{1B}[?1002l".utf8)
            bytes += Array("\u{1B}[?2004l\u{1B}[?2031l".utf8)
            if reportsFocus { bytes += Array("\u{1B}[?1004l".utf8) }
        }
        if hasImages { bytes += Self.imageDeletion }
        if hasMouse, hasMouseString { bytes += terminfo.mouseOff }
        bytes += terminfo.resetStyle
        // Without an alternate screen the picture would stay below the prompt.
        if terminfo.leave == nil { bytes += terminfo.clear }
        return bytes
    }

    /// Gives the terminal back without ncurses: for signal handlers.
    var restoreAll: [UInt8] {
        disable + terminfo.keypadOff + terminfo.showCursor + (terminfo.leave ?? [])
    }

    /// Only reports in SGR's form (mode 1006) are understood.
    private var hasMouseString: Bool {
        terminfo.isECMA48 && terminfo.mouseOn.firstRange(of: Array("1006".utf8)) != nil
    }
}

extension Terminal {
    /// Whether all mouse motion is to be reported: each cell of motion costs a few bytes of the link to flick.
    public var tracksMotion: Bool {
        get { modes.hasMotion }
        set {
            guard newValue != modes.hasMotion, modes.hasMouse, modes.terminfo.isXtermLike else { return }
            modes.hasMotion = newValue
            write(modes.motion)
        }
    }
}
