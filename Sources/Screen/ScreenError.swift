import Model
import Platform

/// Why a terminal could not be taken over.
public enum ScreenError: Error, Equatable, Sendable, CustomStringConvertible {
    case notATerminal
    /// Lines can be written, but there is no terminal whose keys could be read.
    case noKeys
    case unknownTerminal(String)
    /// The terminal is known, but cannot place a cursor.
    case dumbTerminal(String)
    /// `--output direct`, on a terminal that does not understand it.
    case notECMA48(String)
    case noDatabase
    case system(call: String, code: Int32)

    /// One line: what failed, on what, why, what to do.
    public var description: String {
        switch self {
        case .notATerminal:
            "cannot browse: the output is not a terminal; run flick in one, or use `flick preview` or `flick --plain`"
        case .noKeys: "cannot browse: no terminal to read keys from; run flick in one"
        case .unknownTerminal(""):
            "cannot browse: TERM is not set; set it, for example TERM=xterm-256color"
        case .unknownTerminal(let name):
            "cannot browse: the terminal \(name.debugDescription) is not in the terminfo database; try TERM=xterm-256color, or install ncurses-term"
        case .dumbTerminal(let name):
            "cannot browse: the terminal \(name.debugDescription) cannot move its cursor; use `flick --plain`, or another terminal"
        case .notECMA48(let name):
            "cannot browse: the terminal \(name.debugDescription) does not support ECMA-48; leave out --output direct (or `output` in the configuration)"
        case .noDatabase:
            "cannot browse: there is no terminfo database; install ncurses-base (or set TERMINFO)"
        case .system(let call, let code):
            "cannot take over the terminal: \(call): \(SystemError.text(code))"
        }
    }
}
