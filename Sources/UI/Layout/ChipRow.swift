import Model

/// The topics of an item in their row: those that have room there, from the
/// first one that is not scrolled away on. A value.
struct ChipRow {
    /// By their index among the item's topics. One that is wider than the row is cut.
    private(set) var chips: [(index: Int, frame: GridRect)] = []
    /// Where marks say that there are others before and behind these.
    private(set) var before: GridRect?
    private(set) var behind: GridRect?

    /// A mark and the blank beside it.
    private static let markColumns = 2

    init(_ tags: [GlyphLine], in frame: GridRect, from first: Int) {
        var column = frame.column
        let end = frame.column + frame.columns
        if first > 0 {
            before = GridRect(column: column, row: frame.row, columns: 1, rows: 1)
            column += Self.markColumns
        }
        for index in tags.indices.dropFirst(first) {
            let room = end - column - (index == tags.count - 1 ? 0 : Self.markColumns)
            guard tags[index].columns <= room || chips.isEmpty else {
                behind = GridRect(column: end - 1, row: frame.row, columns: 1, rows: 1)
                return
            }
            let columns = max(min(tags[index].columns, room), 0)
            chips.append((index, GridRect(column: column, row: frame.row, columns: columns, rows: 1)))
            column += columns + 1
        }
    }

    /// By how many topics the mark at a point scrolls. A column on both sides of a mark belongs to it, unless a
    /// topic stands there.
    func step(at point: GridPoint) -> Int? {
        guard !chips.contains(where: { $0.frame.contains(point) }) else { return nil }
        let count = max(chips.count, 1)
        if before?.grown(by: 1).contains(point) == true { return -count }
        return behind?.grown(by: 1).contains(point) == true ? count : nil
    }
}

extension PageLayout {
    /// The topics in view; nil where there is no room for any.
    func chipRow(_ tags: [GlyphLine]) -> ChipRow? { chips.map { ChipRow(tags, in: $0, from: firstChip) } }
}

extension State {
    /// Scrolls the current item's topics sideways, up to either end.
    mutating func scrollChips(by count: Int) {
        guard let content, let row = PageLayout(self, index: current).chipRow(content.tags) else { return }
        guard count < 0 || row.behind != nil else { return }
        view.scrollChips(by: count, of: content.tags.count)
    }

    /// The topics, if they are at this point and not all of them are in view.
    func scrollableChips(at point: GridPoint) -> ChipRow? {
        guard let content, view.sheet == nil else { return nil }
        let layout = PageLayout(self, index: current)
        guard layout.chips?.contains(point) == true, let row = layout.chipRow(content.tags),
            row.before != nil || row.behind != nil
        else { return nil }
        return row
    }
}
