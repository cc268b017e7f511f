import Model

/// One thing that came from the terminal.
public enum Input: Equatable, Sendable {
    case key(Key)
    case mouse(Mouse)
    /// What was pasted between the brackets of mode 2004, as it came: at most 64 KB, and not clean.
    case paste(String)
    /// The terminal's window has the keyboard now, or another one has (mode 1004).
    case focus(Bool)
    case reply(Reply)
}

/// What the terminal answered to a question. None of it may ever be taken for a key.
public enum Reply: Equatable, Sendable {
    /// DA1, `CSI ? … c`: the last question of the probe, so everything that will be answered has been.
    case deviceAttributes([Int])
    /// DECRPM, `CSI ? mode ; state $ y`: 0 unknown, 1 set, 2 reset, 3 and 4 fixed.
    case mode(Int, state: Int)
    /// XTVERSION, `DCS > | text ST`. The text is the terminal's own and may hold anything printable.
    case version(String)
    /// `CSI 4 ; height ; width t`: the text area.
    case areaPixels(PixelSize)
    /// `CSI 6 ; height ; width t`: one cell.
    case cellPixels(PixelSize)
    /// `CSI 8 ; rows ; columns t`: the text area.
    case areaCells(GridSize)
    /// OSC 11: the background.
    case background(RGB)
    /// An answer to a question of kitty's graphics protocol, `APC G i=number ; OK ST`, or what is wrong instead of OK.
    case graphics(Int, isOK: Bool)
    /// XTSMGRAPHICS, `CSI ? 1 ; 0 ; number S`: how many colours sixels may have.
    case sixelColors(Int)
    /// XTSMGRAPHICS, `CSI ? 2 ; 0 ; width ; height S`: the most pixels of a picture of sixels.
    case sixelSize(PixelSize)
    /// `CSI ? 997 ; 1 n` (dark) or `2` (light): its colours have changed (mode
    /// 2031, Contour's "Dark and Light Mode detection").
    case colorsChanged
    /// CPR, `CSI row ; column R`: where the cursor is, counted from 1.
    case cursor(row: Int, column: Int)
    /// `CSI 0 n`: a status report was asked for (`CSI 5 n`), and everything written before it has been read.
    case status
}
