import Model
import Platform
import TermGraphics
import TerminalInput

/// What is known of the terminal. Its answers add to this after the first picture was drawn.
public struct Capabilities: Equatable, Sendable {
    public var color: ColorMode
    /// Mode 2026: an update between `CSI ? 2026 h` and `l` is shown at once. Only when the terminal said so.
    public var hasSynchronisedUpdate = false
    /// REP (`CSI n b`) repeats the last character.
    public var hasRepeat: Bool
    /// U+2580 and its like can be shown.
    public var hasUnicode: Bool
    /// Inside tmux or screen: a terminal in between, whose answers are not the outer one's.
    public var isMultiplexed: Bool
    /// The terminal's name and version in its own words (XTVERSION), printable ASCII; nil if it did not say.
    public var version: String?
    /// OSC 11; nil if it did not say.
    public var background: RGB?
    /// DA1's attributes; 4 is sixel. Empty until they arrive, and always empty when `isMultiplexed`.
    public var attributes: [Int] = []

    /// It answers to kitty's graphics protocol; nil until that is known.
    public var hasKittyGraphics: Bool?
    /// It reads pictures from this machine's shared memory; nil until that is known.
    public var readsSharedMemory: Bool?
    /// How many colours sixels may have; nil until that is known.
    public var sixelColors: Int?
    /// The most pixels of a picture of sixels, across and down; nil until that is known.
    public var sixelSize: PixelSize?
    /// Octants are as wide as a cell; nil until that is known.
    public var hasOctants: Bool?
    /// DA1's attribute 4.
    public var hasSixel: Bool { attributes.contains(4) }
    /// It runs on another machine, judging by the environment.
    public var isRemote: Bool

    /// Dark until the terminal says otherwise.
    public var isBackgroundLight: Bool {
        guard let background else { return false }
        // Rec. 709 luma of the encoded values; exact enough to distinguish light from dark.
        let luma =
            0.2126 * Double(background.red) + 0.7152 * Double(background.green) + 0.0722 * Double(background.blue)
        return luma > 127
    }
}

extension Capabilities {
    /// What can be known before the terminal has answered anything.
    init(environment: TerminalEnvironment, terminfo: TerminfoFacts, color: ColorMode? = nil) {
        self.color = color ?? ColorChoice.mode(environment: environment, terminfo: terminfo)
        isMultiplexed = environment.isMultiplexed
        hasUnicode = environment.hasUnicode && terminfo.isECMA48
        isRemote = environment["SSH_CONNECTION"] != nil || environment["SSH_TTY"] != nil
        // Terminal.app calls itself xterm-256color but is not one.
        hasRepeat = terminfo.hasRepeat && environment["TERM_PROGRAM"] != "Apple_Terminal" && !isMultiplexed
    }

    /// Applies one reply. Returns whether that changed anything.
    ///
    /// - Parameter isColorFixed: whether a name that is known for truecolor no longer changes `color`.
    mutating func apply(_ reply: Reply, isColorFixed: Bool) -> Bool {
        let before = self
        switch reply {
        case .deviceAttributes(let numbers):
            if !isMultiplexed { attributes = numbers }
            // It comes last.
            hasKittyGraphics = hasKittyGraphics ?? false
            readsSharedMemory = readsSharedMemory ?? false
        // What cannot be is not believed: a picture has 2 colours, and is as large as a cell, at least.
        case .sixelColors(let count): if count >= 2 { sixelColors = count }
        case .sixelSize(let size): if size.width >= 100, size.height >= 100 { sixelSize = size }
        case .graphics(TerminalQueries.graphicsID, let isOK): hasKittyGraphics = isOK
        case .graphics(TerminalQueries.memoryID, let isOK): readsSharedMemory = isOK
        case .mode(2026, let state): hasSynchronisedUpdate = (1...3).contains(state)
        case .version(let text):
            version = text
            if !isColorFixed, !isMultiplexed, color == .palette256 || color == .palette16,
                ColorChoice.isKnownForTruecolor(version: text)
            {
                color = .truecolor
            }
        case .background(let rgb): background = rgb
        case .cursor(TerminalQueries.octantRow, let column): hasOctants = column == 2
        case .mode, .areaPixels, .cellPixels, .areaCells, .status, .graphics, .colorsChanged, .cursor: break
        }
        return self != before
    }
}

/// The environment variables that terminals describe themselves with.
public struct TerminalEnvironment: Equatable, Sendable {
    static let names = [
        "TERM", "COLORTERM", "NO_COLOR", "TMUX", "STY", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VTE_VERSION",
        "KONSOLE_VERSION", "WT_SESSION", "LC_ALL", "LC_CTYPE", "LANG", "SSH_CONNECTION", "SSH_TTY",
    ]
    private var values: [String: String]

    public init(_ values: [String: String]) { self.values = values }

    /// Empty is the same as not set.
    public subscript(name: String) -> String? {
        guard let value = values[name], !value.isEmpty else { return nil }
        return value
    }

    public var term: String { self["TERM"] ?? "" }

    public var isMultiplexed: Bool {
        self["TMUX"] != nil || self["STY"] != nil || term.hasPrefix("screen") || term.hasPrefix("tmux")
    }

    /// One of DEC's terminals, which are older than Unicode.
    var isDECTerminal: Bool { term.hasPrefix("vt1") || term.hasPrefix("vt2") }

    /// Whether what a string of ECMA-48 holds (OSC, DCS, APC) is not printed by the terminal, nor by one in between,
    /// and reaches the terminal itself.
    var passesStrings: Bool {
        !isMultiplexed && !isDECTerminal && !isLinuxConsole
            && !["ansi", "cygwin", "eterm", "eterm-color"].contains(term)
            && self["TERM_PROGRAM"] != "Apple_Terminal"
    }

    var isLinuxConsole: Bool { term == "linux" || term.hasPrefix("linux-") }

    /// False only where something says so: a locale with another character set, or an old terminal. An unset locale
    /// says nothing: containers have none, and their terminals show UTF-8 all the same.
    public var hasUnicode: Bool {
        if isDECTerminal { return false }
        guard let locale = self["LC_ALL"] ?? self["LC_CTYPE"] ?? self["LANG"],
            let dot = locale.firstIndex(of: ".")
        else { return true }
        let set = locale[locale.index(after: dot)...].prefix { $0 != "@" }.lowercased().filter { $0 != "-" }
        return set == "utf8"
    }
}

/// The parts of the terminal's description that decisions need.
struct TerminfoFacts: Equatable, Sendable {
    /// -1 when it does not say.
    var colors = -1
    /// The extended flags `RGB` or `Tc`.
    var hasDirectColor = false
    var hasRepeat = false
    /// It understands ECMA-48, by the way it moves its cursor.
    var isECMA48 = true
}

extension TerminalEnvironment {
    /// This process's.
    public static var current: TerminalEnvironment {
        var values: [String: String] = [:]
        for name in names { values[name] = getenv(name).map { String(cString: $0) } }
        return TerminalEnvironment(values)
    }
}

/// The size of a cell in pixels, as long as it can be true.
///
/// Some terminals, and multiplexers most of all, answer nonsense: tmux said 1×7. A wrong answer would squeeze every
/// picture; without one, a cell is taken to be twice as high as wide.
enum CellPixels {
    /// A cell that a terminal reported.
    static func plausible(_ cell: PixelSize) -> PixelSize? {
        guard (3...200).contains(cell.width), (5...400).contains(cell.height),
            cell.width <= cell.height, cell.height <= 4 * cell.width
        else { return nil }
        return cell
    }

    /// The cell of a text area of `area` pixels that holds `grid`.
    static func cell(area: PixelSize, grid: GridSize) -> PixelSize? {
        guard area.width > 0, area.height > 0, grid.columns > 0, grid.rows > 0,
            area.width < 1 << 20, area.height < 1 << 20
        else { return nil }
        return plausible(PixelSize(width: area.width / grid.columns, height: area.height / grid.rows))
    }
}
