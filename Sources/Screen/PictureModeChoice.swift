import Model

/// Chooses how pictures are drawn, from what the user wants and what is known of
/// the terminal: the best rung of a ladder that the terminal is known to support.
///
/// A terminal without a character shows a box or nothing in its place, or moves the rest of the
/// row. So a rung needs a terminal that draws its characters itself, by name and version, and not
/// a font that may have them. A pure value; decided again when the terminal has reported its name.
struct PictureModeChoice: Equatable {
    /// nil: whatever suits.
    var wanted: PictureMode?
    var environment: TerminalEnvironment
    var isECMA48: Bool
    var isUnicode: Bool
    /// Whether the strings of a pixel protocol would get to the terminal.
    var hasWayForPixels = false
    /// Which pixels it has answered to show.
    var pixels = PixelAnswers()
    /// False if octants are known not to take a cell each: they would move the rest of the row.
    var hasOctants = true
    /// What the terminal calls itself (XTVERSION); nil until it has said so.
    var version: String?

    /// The best of characters comes first; above it are pixels. Braille is on none of the rungs: it shows less than any
    /// block does, where there are colours.
    static let ladder: [PictureMode] = [.octant, .sextant, .quadrant, .half, .ascii]
    /// With fewer colours than this sixels look worse than half blocks do.
    static let minSixelColors = 128

    /// The mode, and why it is that one.
    var decision: (mode: PictureMode, reason: PictureModeReason) {
        // A terminal of another kind would show blocks that were requested by name as letters.
        guard isECMA48 else { return (.ascii, wanted == .ascii ? .asked : .terminalWithoutUnicode) }
        let (mode, reason) = best
        guard let wanted else { return (mode, reason) }
        if wanted == .octant, !hasOctants { return (mode, .misplacedOctants) }
        return !wanted.hasPixels || hasWayForPixels ? (wanted, .asked) : (mode, .noWayForPixels)
    }

    /// The best mode without a request by the user.
    private var best: (mode: PictureMode, reason: PictureModeReason) {
        guard isUnicode else {
            return (.ascii, environment.isDECTerminal ? .terminalWithoutUnicode : .localeWithoutUnicode)
        }
        if environment.isMultiplexed { return (.half, .multiplexed) }
        guard let terminal = KnownTerminal(version: version, environment: environment) else { return (.half, .unicode) }
        if hasWayForPixels, let mode = pixels(of: terminal) { return (mode, .known(terminal.description)) }
        let best = Self.ladder.first { terminal.draws($0) && ($0 != .octant || hasOctants) } ?? .half
        return (best, best == .half ? .unicode : .known(terminal.description))
    }

    /// Whether a full block fills its cell; true for an unknown terminal.
    var hasFullBlocks: Bool { KnownTerminal(version: version, environment: environment)?.drawsBlocks ?? true }

    /// Kitty's protocol through shared memory, then compressed, then sixels; nil where blocks are better. A picture of
    /// pixels that goes through the line has hundreds of kilobytes, twenty times a picture of blocks: so only where the
    /// line is short, and as long as the terminal keeps up.
    private func pixels(of terminal: KnownTerminal) -> PictureMode? {
        if pixels.hasKittyImages, terminal.shows(.kitty), pixels.areShared || pixels.isNear && !pixels.areLate {
            return .kitty
        }
        guard let colors = pixels.sixelColors, colors >= Self.minSixelColors, terminal.shows(.sixel),
            pixels.isNear, !pixels.areLate
        else { return nil }
        return .sixel
    }

    /// Whether sixels would be used if the terminal had enough colours for them: then it is queried for those.
    var wantsSixelColors: Bool {
        var choice = self
        choice.pixels.sixelColors = 256
        return choice.decision.mode == .sixel
    }
}

/// What a terminal has answered about its pixel graphics, and how fast they reach it. All false until it has answered.
struct PixelAnswers: Equatable {
    /// It answers to kitty's graphics protocol.
    var hasKittyImages = false
    /// It was seen to read such images from this machine's memory.
    var areShared = false
    /// How many colours sixels may have; nil if it has none.
    var sixelColors: Int?
    /// The terminal runs on this machine, judging by the environment, and its answers came fast enough for that.
    var isNear = false
    /// Pictures of pixels took too long to be taken.
    var areLate = false
}

/// Why a picture mode was chosen.
public enum PictureModeReason: Equatable, Sendable {
    /// The user named it.
    case asked
    /// The terminal shows Unicode, and is not known to draw more than half blocks.
    case unicode
    /// The terminal of this name is known to draw these characters, and no finer ones.
    case known(String)
    /// tmux or screen may have any terminal around it.
    case multiplexed
    case terminalWithoutUnicode
    /// The locale has another character set.
    case localeWithoutUnicode
    /// Pixels are wanted, and would not get to a terminal that can show them: the terminal is no xterm, or tmux or
    /// screen is in between.
    case noWayForPixels
    /// Octants are wanted, and the terminal, or tmux in between, does not know how wide they are.
    case misplacedOctants
}

/// A terminal whose built-in characters are known.
private struct KnownTerminal: CustomStringConvertible {
    private let entry: Entry
    /// Empty if it did not say.
    private let version: [Int]

    /// What one terminal draws, and from which version on; nil where none does.
    private struct Entry {
        var name: String
        /// What TERM begins with, and what TERM_PROGRAM and XTVERSION are called, if not `name`.
        var term: String?
        var program: String?
        var quadrants: [Int]? = []
        var sextants: [Int]?
        var octants: [Int]?
        /// Pixels, if the terminal reports support. In terminals that were not tested,
        /// the user has to request them: some blank the screen between pictures, or show
        /// them over the text; foot 1.13.1 once crashed while flick's sixels were shown.
        var kitty: [Int]?
        var sixel: [Int]?
    }

    /// From the terminals' change logs, and notcurses' table of them (src/lib/termdesc.c). An empty version is any.
    private static let entries = [
        // Sextants since 0.19.3 (2020), octants since 0.40.
        Entry(name: "kitty", term: "xterm-kitty", sextants: [], octants: [0, 40], kitty: []),
        Entry(name: "ghostty", term: "xterm-ghostty", sextants: [], octants: [1, 2], kitty: []),
        Entry(name: "foot", term: "foot", sextants: [1, 10], octants: [1, 20]),
        // Reports 7802 for 0.78.2.
        Entry(name: "VTE", sextants: [6200], octants: [7800]),
        // Versions are dates.
        Entry(name: "WezTerm", term: "wezterm", sextants: [20_210_814]),
        Entry(name: "contour", term: "contour", sextants: []),
        Entry(name: "iTerm2", program: "iTerm.app"),
        Entry(name: "Konsole"),
        Entry(name: "Windows Terminal"),
        Entry(name: "alacritty", term: "alacritty"),
        Entry(name: "rio", term: "rio"),
        Entry(name: "mintty", term: "mintty"),
        Entry(name: "vscode"),
        // They draw with whatever the font has.
        Entry(name: "XTerm", quadrants: nil, sixel: [379]),
        Entry(name: "mlterm", quadrants: nil),
    ]

    /// nil for an unknown terminal. What the terminal says of itself takes precedence
    /// over the environment, which may be that of the terminal that it was started from.
    init?(version text: String?, environment: TerminalEnvironment) {
        if let text {
            let name = text.prefix { $0 != " " && $0 != "(" }
            guard let entry = Self.entries.first(where: { Self.isSame($0.name, name) }) else { return nil }
            self.init(entry: entry, version: Self.numbers(text.dropFirst(name.count)))
            return
        }
        // TERM describes the current terminal; the other variables may have been inherited from one around it.
        if let entry = Self.entries.first(where: { $0.term.map { environment.term.hasPrefix($0) } ?? false }) {
            let isProgram = Self.isSame(environment["TERM_PROGRAM"] ?? "", entry.program ?? entry.name)
            self.init(entry: entry, version: isProgram ? Self.numbers(environment["TERM_PROGRAM_VERSION"] ?? "") : [])
        } else if let program = environment["TERM_PROGRAM"] {
            guard let entry = Self.entries.first(where: { Self.isSame($0.program ?? $0.name, program) }) else {
                return nil
            }
            self.init(entry: entry, version: Self.numbers(environment["TERM_PROGRAM_VERSION"] ?? ""))
        } else {
            // Only these set such a variable.
            let variables = [
                ("VTE", "VTE_VERSION"), ("Konsole", "KONSOLE_VERSION"), ("Windows Terminal", "WT_SESSION"),
            ]
            guard environment.term.hasPrefix("xterm"),
                let (name, variable) = variables.first(where: { environment[$0.1] != nil }),
                let entry = Self.entries.first(where: { $0.name == name })
            else { return nil }
            let isVersion = variable.hasSuffix("VERSION")
            self.init(entry: entry, version: isVersion ? Self.numbers(environment[variable] ?? "") : [])
        }
    }

    private init(entry: Entry, version: [Int]) { (self.entry, self.version) = (entry, version) }

    private static func isSame(_ name: some StringProtocol, _ other: some StringProtocol) -> Bool {
        name.lowercased() == other.lowercased()
    }

    /// The first number of a text and those that follow after points: `(0.42.1)` has three.
    private static func numbers(_ text: some StringProtocol) -> [Int] {
        text.drop { !$0.isASCII || !$0.isNumber }.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            .split(separator: ".").compactMap { Int($0) }
    }

    /// Pixels, once it has answered that it has them.
    func shows(_ mode: PictureMode) -> Bool {
        reaches(mode == .kitty ? entry.kitty : mode == .sixel ? entry.sixel : nil)
    }

    /// Characters.
    func draws(_ mode: PictureMode) -> Bool {
        let first: [Int]? =
            switch mode {
            case .quadrant: entry.quadrants
            case .sextant: entry.sextants
            case .octant: entry.octants
            case .ascii, .half: []
            case .braille, .kitty, .sixel, .iterm2: nil
            }
        return reaches(first)
    }

    /// Whether it draws blocks itself, and not with whatever the font has.
    var drawsBlocks: Bool { entry.quadrants != nil }

    /// Whether this version is `first` or later.
    private func reaches(_ first: [Int]?) -> Bool {
        guard let first else { return false }
        return first.isEmpty || !version.isEmpty && !version.lexicographicallyPrecedes(first)
    }

    /// Name and version.
    var description: String {
        version.isEmpty ? entry.name : "\(entry.name) \(version.map(String.init).joined(separator: "."))"
    }
}
