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
    /// Lines are written, and nothing else: no screen is set up, nothing is
    /// asked, no cursor moves. The output need not be a terminal.
    public var isPlain: Bool
    /// How long the answers are waited for at the end that a terminal owes: those
    /// that come later would be keys to the shell. A slow link's round trip and what
    /// is under way. A terminal that answers nothing is asked at the beginning only.
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

/// What has come from the terminal, or with a signal.
public enum TerminalEvent: Sendable {
    case key(Key)
    case mouse(Mouse)
    /// What was pasted, as it came: at most 64 KB, and not clean.
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
