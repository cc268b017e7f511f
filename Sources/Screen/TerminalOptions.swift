import Model
import TerminalInput

/// What the user decided about the terminal; nil leaves it to what the terminal says.
public struct TerminalOptions: Sendable {
    public var color: ColorMode?
    public var pictureMode: PictureMode?
    public var output: ScreenOutput?
    public var mouse: Bool
    /// Whether to report by `TerminalEvent.focus` that the terminal's window gets or loses the keyboard.
    public var reportsFocus: Bool
    /// Whether the terminal may be taken to be on this machine, if nothing else speaks against that.
    public var isNear: Bool
    /// Only lines are written: no screen is set up, no queries are
    /// sent, no cursor moves. The output need not be a terminal.
    public var isPlain: Bool
    /// How long to wait at the end for answers that the terminal owes: later ones would be keys to the shell. Covers a
    /// slow link's round trip and its buffered output. A terminal that never answers is queried only at the beginning.
    public var answerPatience: Duration

    public init(
        color: ColorMode? = nil, pictureMode: PictureMode? = nil, output: ScreenOutput? = nil, mouse: Bool = true,
        reportsFocus: Bool = false, isNear: Bool = true, isPlain: Bool = false,
        answerPatience: Duration = .seconds(1)
    ) {
        self.color = color
        self.pictureMode = pictureMode
        self.output = output
        self.mouse = mouse
        self.reportsFocus = reportsFocus
        self.isNear = isNear
        self.isPlain = isPlain
        self.answerPatience = answerPatience
    }
}

/// An event from the terminal or from a signal.
public enum TerminalEvent: Sendable {
    case key(Key)
    case mouse(Mouse)
    /// Pasted text as received: at most 64 KB, and not cleaned.
    case paste(String)
    /// The terminal's window has the keyboard, or has it no longer.
    case focus(Bool)
    case resized(GridSize)
    /// flick has the terminal again after the process was stopped and continued from outside.
    case resumed
}

/// Why the loop has to end without the user quitting.
public enum Ending: Equatable, Sendable {
    case interrupted, terminated, hungUp

    /// 128 plus the signal's number, as shells count.
    public var exitStatus: Int32 {
        switch self {
        case .interrupted: 130
        case .terminated: 143
        case .hungUp: 129
        }
    }
}
