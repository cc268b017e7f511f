import CTestTerminal
import Model
import Platform

/// A new pseudo-terminal, seen from the terminal's side.
public enum TerminalLine {
    public struct Error: Swift.Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// Returns the terminal's side, which the caller closes, and the path of the program's side.
    ///
    /// No program of another test inherits the terminal's side: otherwise closing it here would not hang up the line.
    public static func open(size: GridSize, pixels: PixelSize) throws(Error) -> (master: Int32, path: String) {
        var path = [CChar](repeating: 0, count: 128)
        let master = flick_open_terminal(&path, path.count)
        guard master >= 0 else {
            throw Error(description: "no pseudo-terminal: \(String(cString: strerror(-master)))")
        }
        var window = winsize(
            ws_row: UInt16(size.rows), ws_col: UInt16(size.columns), ws_xpixel: UInt16(pixels.width),
            ws_ypixel: UInt16(pixels.height))
        _ = ioctl(master, UInt(TIOCSWINSZ), &window)
        return (master, String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}
