import Model

/// What the scrubber shows in each cell. A value.
struct ScrubberLine {
    /// From the faintest on. Whether bytes are cached on disk or buffered in memory makes no difference to a seek.
    enum Part: Sendable, Equatable { case rest, buffered, played, handle }

    /// A fraction of the clip, 0 … 1.
    var position = 0.0
    /// Whether the user seeks.
    var isActive = false
    /// The cells where the part begins and ends that is repeated.
    var ends: (start: Int?, end: Int?) = (nil, nil)
    private var parts: [Part]
    /// The cells where chapters begin.
    private var chapters: Set<Int> = []
    /// At most one chapter mark per this many cells: closer marks would run together.
    private static let cellsPerChapter = 4

    init(cells: Int) { parts = Array(repeating: .rest, count: cells) }

    /// How many cells are played.
    var played: Int { Self.cell(position, of: parts.count) }

    /// The cell of the handle; that of the pointer while it drags.
    var handle: Int { Self.handle(at: position, cells: parts.count) }

    static func handle(at position: Double, cells: Int) -> Int { cell(position, of: cells - 1) }

    /// Marks what lies between two fractions of the clip as buffered.
    mutating func markBuffered(from: Double, to: Double) {
        let first = Self.cell(from, of: parts.count)
        for cell in first..<max(Self.cell(to, of: parts.count), first) { parts[cell] = .buffered }
    }

    /// Marks where chapters begin, in fractions of the clip. The clip's own beginning needs no mark.
    mutating func markChapters(_ starts: some Collection<Double>) {
        guard starts.count * Self.cellsPerChapter <= parts.count else { return }
        chapters = Set(starts.map { Self.cell($0, of: parts.count) }.filter { $0 > 0 && $0 < parts.count })
    }

    func isChapter(_ cell: Int) -> Bool { chapters.contains(cell) }

    /// What marks an end of the repeated part; nil for other cells, and below the handle.
    func endMark(of cell: Int) -> Unicode.Scalar? {
        if isActive, cell == handle { return nil }
        return cell == ends.start ? "A" : cell == ends.end ? "B" : nil
    }

    func part(of cell: Int) -> Part {
        if isActive { return cell == handle ? .handle : (cell < handle ? .played : parts[cell]) }
        return cell < played ? .played : parts[cell]
    }

    /// The share of the clip at which the number of played cells next grows; nil at its end.
    static func nextStep(after position: Double, cells: Int) -> Double? {
        let played = cell(position, of: cells)
        return played < cells ? (Double(played) + 0.5) / Double(cells) : nil
    }

    private static func cell(_ share: Double, of cells: Int) -> Int {
        Int((min(max(share, 0), 1) * Double(max(cells, 0))).rounded())
    }
}

/// What the parts of the scrubber look like in a terminal. A value.
///
/// With enough colours they differ in tone. With fewer they differ in shape: each is at least twice as much ink as the
/// one before it.
struct ScrubberLook {
    private let options: Options
    private let theme: Theme
    /// At rest half a row; thicker during a seek, and always where contrast matters more than the picture.
    private let isThick: Bool

    init(_ options: Options, _ theme: Theme, isActive: Bool) {
        (self.options, self.theme) = (options, theme)
        isThick = isActive || options.theme == .highContrast
    }

    func glyph(of part: ScrubberLine.Part, isChapter: Bool) -> Glyph {
        let isMark = isChapter && part != .handle
        if options.isASCII { return Glyph(isMark ? "|" : part.ascii) }
        if options.textNeedsGround { return Glyph(isMark ? "┃" : part.shape) }
        let stands = isChapter || part == .handle
        return Glyph(isThick ? (stands ? "█" : "▆") : (stands ? "▆" : "▄"))
    }

    func color(of part: ScrubberLine.Part, isChapter: Bool) -> RGB {
        // A chapter ahead is marked as brightly as what is played, or it would not be seen.
        switch part {
        case .handle: theme.accent
        case .rest where !isChapter && !options.textNeedsGround: theme.track
        case .buffered where !isChapter && !options.textNeedsGround: theme.buffered
        case .rest, .buffered, .played: theme.played
        }
    }
}

extension ScrubberLine.Part {
    fileprivate var shape: Unicode.Scalar {
        switch self {
        case .rest: "·"
        case .buffered: "─"
        case .played: "▄"
        case .handle: "●"
        }
    }

    fileprivate var ascii: Unicode.Scalar {
        switch self {
        case .rest: "."
        case .buffered: "+"
        case .played: "#"
        case .handle: "O"
        }
    }
}
