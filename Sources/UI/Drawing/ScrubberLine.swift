/// What the scrubber shows in each cell. A value.
struct ScrubberLine {
    enum Part: Sendable, Equatable {
        case nothing, cached, buffered, played, handle

        var line: Unicode.Scalar {
            switch self {
            case .nothing: "·"
            case .cached, .buffered: "─"
            case .played: "━"
            case .handle: "●"
            }
        }

        var ascii: Unicode.Scalar {
            switch self {
            case .nothing: "."
            case .cached, .buffered: "-"
            case .played: "="
            case .handle: "O"
            }
        }
    }

    /// A fraction of the clip, 0 … 1.
    var position = 0.0
    /// Whether the user seeks.
    var isActive = false
    private var parts: [Part]
    /// The cells where chapters begin.
    private var chapters: Set<Int> = []
    /// Of so many cells, one at most may be a mark: with more chapters nothing would be told apart.
    private static let cellsPerChapter = 4

    init(cells: Int) { parts = Array(repeating: .nothing, count: cells) }

    /// How many cells are played.
    var played: Int { Self.cell(position, of: parts.count) }

    /// The cell of the handle; that of the pointer while it drags.
    var handle: Int { Self.cell(position, of: parts.count - 1) }

    /// Marks the part between two fractions of the clip.
    mutating func mark(_ part: Part, from: Double, to: Double) {
        let first = Self.cell(from, of: parts.count)
        for cell in first..<max(Self.cell(to, of: parts.count), first) { parts[cell] = part }
    }

    /// Marks where chapters begin, in fractions of the clip. The clip's own beginning needs no mark.
    mutating func markChapters(_ starts: some Collection<Double>) {
        guard starts.count * Self.cellsPerChapter <= parts.count else { return }
        chapters = Set(starts.map { Self.cell($0, of: parts.count) }.filter { $0 > 0 && $0 < parts.count })
    }

    func isChapter(_ cell: Int) -> Bool { chapters.contains(cell) }

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
