/// The bytes that take a terminal over and give it back. What is switched on here is switched off here.
struct TerminalModes {
    let terminfo: Terminfo
    let hasMouse: Bool

    /// Alternate screen, keypad, mouse, bracketed paste; no cursor, an empty screen.
    var takeOver: [UInt8] {
        var bytes = terminfo.enter ?? []
        bytes += terminfo.keypadOn + terminfo.hideCursor
        if terminfo.isXtermLike {
            // 1002: presses, releases and moves with a button down; 1006: as SGR, for more than 223 columns. 2004: what is pasted comes in brackets, and so
            // is told from keys.
            if hasMouse { bytes += Array("\u{1B}[?1002h\u{1B}[?1006h".utf8) }
            bytes += Array("\u{1B}[?2004h".utf8)
        }
        return bytes + terminfo.resetStyle + terminfo.clear
    }

    /// Safe at any moment, in the middle of a picture's bytes too: CAN ends a control sequence, ST a string.
    var giveBack: [UInt8] {
        var bytes: [UInt8] = []
        if terminfo.isXtermLike {
            bytes += Array("\u{18}\u{1B}\\\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?2004l".utf8)
        }
        bytes += terminfo.resetStyle
        // Without an alternate screen the picture would stay below the prompt.
        if terminfo.leave == nil { bytes += terminfo.clear }
        return bytes + terminfo.keypadOff + terminfo.showCursor + (terminfo.leave ?? [])
    }
}
