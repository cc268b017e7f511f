import Model

/// Where the open sheet lies, and its rows. Drawing, scrolling and finding the target of a click all use it. A value.
struct SheetLayout {
    /// The widest frame of a sheet of one column.
    static let widest = 64
    /// The widest frame of a sheet of two columns, and the least terminal that has them.
    static let widestDouble = 104
    static let leastDouble = 90
    static let leastColumns = 34
    /// Between the two columns.
    static let columnGap = 4

    var title: String
    var rows: [SheetRow]
    var frame: GridRect
    var body: GridRect
    /// The first visible row.
    var first: Int
    /// The sheet stands beside the middle of the page, so that most of the picture is in view.
    var isAside: Bool

    /// Nothing is in a layout without an open sheet.
    init(_ state: State) {
        let contents = state.sheetContents ?? SheetContents(title: "", entries: [])
        let room = max(state.size.columns - 4, 5)
        let isDouble = contents.hasColumns && state.size.columns >= Self.leastDouble
        let wanted = isDouble ? Self.widestDouble : SheetTypesetter.columns(of: contents.entries) + 4
        let columns = min(max(wanted, Self.leastColumns), isDouble ? Self.widestDouble : Self.widest, room)
        title = contents.title
        let isDense = state.size.rows < 20
        rows =
            isDouble
            ? Self.inTwoColumns(contents.entries, columns: columns - 4, isASCII: state.options.isASCII)
            : SheetTypesetter(
                columns: columns - 4, entries: contents.entries, isASCII: state.options.isASCII, isDense: isDense
            ).rows(of: contents.entries)
        let height = max(min(rows.count, state.size.rows - 5), 0)
        let side = Self.side(for: columns, state)
        isAside = side != nil
        frame = GridRect(
            column: side ?? (state.size.columns - columns) / 2,
            row: max((state.size.rows - 1 - height - 2) / 2, 1), columns: columns, rows: height + 2)
        body = GridRect(column: frame.column + 2, row: frame.row + 1, columns: columns - 4, rows: height)
        let over = max(rows.count - height, 0)
        if state.sheet == .menu {
            let chosen = rows.lastIndex { $0.entry == state.sheetLine } ?? 0
            first = min(max(chosen - height + 1, 0), over)
        } else {
            first = min(state.sheetLine, over)
        }
    }

    /// Where a sheet of that width stands beside the middle: on the right, where it hides the least of the picture, and
    /// before the rail if that is the same. nil if it would take more than half of the page.
    private static func side(for columns: Int, _ state: State) -> Int? {
        let margin = 2
        guard state.items.count > 0 else { return nil }
        let layout = PageLayout(state, index: state.current)
        let (rail, picture) = (layout.rail, layout.picture)
        let last = state.size.columns - margin - columns
        if last >= rail.column + rail.columns + margin { return last }
        guard columns * 2 <= state.size.columns else { return nil }
        func hidden(_ column: Int) -> Int {
            max(min(column + columns, picture.column + picture.columns) - max(column, picture.column), 0)
        }
        return [rail.column - margin - columns, last].filter { $0 >= margin }.min { hidden($0) < hidden($1) }
    }

    /// Sections stay whole; the left column has at least as many rows as the right one.
    private static func inTwoColumns(_ entries: [SheetEntry], columns: Int, isASCII: Bool) -> [SheetRow] {
        let half = (columns - columnGap) / 2
        let setter = SheetTypesetter(columns: half, entries: entries, isASCII: isASCII, isDense: false)
        let heads = entries.indices.filter { entries[$0].isHeading } + [entries.endIndex]
        let halves = heads.map { (setter.rows(of: Array(entries[..<$0])), setter.rows(of: Array(entries[$0...]))) }
        guard let (left, right) = halves.filter({ $0.0.count >= $0.1.count }).min(by: { $0.0.count < $1.0.count })
        else { return [] }
        return left.indices.map { index in
            var row = left[index]
            guard index < right.count else { return row }
            row.spans += right[index].spans.map {
                SheetRow.Span(column: $0.column + half + columnGap, line: $0.line, tone: $0.tone)
            }
            return row
        }
    }
}
