import Model

/// Where the open sheet lies, and its rows. Drawing, scrolling and finding the target of a click all use it. A value.
struct SheetLayout {
    /// The widest frame of a sheet of one column.
    static let widest = 64
    /// The widest frame of a sheet of two columns, and the least terminal that has them.
    static let widestDouble = 104
    static let minDouble = 90
    static let minColumns = 34
    /// Between the two columns.
    static let columnGap = 4

    /// The widest frame of a list that a text field looks through.
    static let widestList = 76

    var title: String
    /// What can be done, on the lower edge of the frame; empty for most sheets.
    var footer = GlyphLine()
    /// The rows from `offset` on: all of a sheet of fixed text, those in view of a list that can be long.
    var rows: [SheetRow]
    var offset = 0
    /// How many rows there are.
    var total: Int
    var frame: GridRect
    var body: GridRect
    /// The first visible row.
    var first: Int
    /// The chosen entry of a menu or a list.
    var chosen: Int?
    /// The sheet stands beside the middle of the page, so that most of the picture is in view.
    var isAside: Bool

    /// Nothing is in a layout without an open sheet.
    ///
    /// - Parameter now: for the ages of comments; nil leaves them out.
    init(_ state: State, now: Duration? = nil) {
        switch state.sheet {
        case .comments: self.init(commentsOf: state, now: now)
        case .filter: self.init(foundBy: state)
        case .help, .trust, .diagnostics, .menu, .topics, nil: self.init(textOf: state)
        }
    }

    private init(textOf state: State) {
        let contents = state.sheetContents ?? SheetContents(title: "", entries: [])
        let room = max(state.size.columns - 4, 5)
        let isDouble = contents.hasColumns && state.size.columns >= Self.minDouble
        let wanted = isDouble ? Self.widestDouble : SheetTypesetter.columns(of: contents.entries) + 4
        let columns = min(max(wanted, Self.minColumns), isDouble ? Self.widestDouble : Self.widest, room)
        let isDense = state.size.rows < 20
        let rows =
            isDouble
            ? Self.inTwoColumns(contents.entries, columns: columns - 4, isASCII: state.options.isASCII)
            : SheetTypesetter(
                columns: columns - 4, entries: contents.entries, isASCII: state.options.isASCII, isDense: isDense
            ).rows(of: contents.entries)
        self.init(title: contents.title, columns: columns, total: rows.count, in: state)
        self.rows = rows
        footer = state.footer([(.close, "close")])
        let over = max(total - body.rows, 0)
        if state.sheet?.isMenu == true {
            chosen = state.sheetLine
            let line = rows.lastIndex { $0.entry == state.sheetLine } ?? 0
            first = min(max(line - body.rows + 1, 0), over)
        } else {
            first = min(state.sheetLine, over)
        }
    }

    private init(commentsOf state: State, now: Duration?) {
        let columns = min(Self.widest, max(state.size.columns - 4, 5))
        let (list, rows) = (state.commentList, state.commentRows(columns: columns - 4))
        let count = state.titleCount.map { " (\(Label.count($0)))" } ?? ""
        self.init(title: "Comments\(count)", columns: columns, total: rows.count, in: state)
        if state.takesComments, state.typing == nil {
            let hints = [(Action.choose, "comment"), (.reply, "reply"), (.close, "close")]
            footer = state.footer(list.entries.isEmpty ? [hints[0], hints[2]] : hints)
        }
        let number = state.chosenComment
        let over = max(total - body.rows, 0)
        if rows.blocks.indices.contains(number) {
            first = min(max(rows.blocks[number].first - state.discussion.lead, 0), over)
            chosen = number
        }
        offset = first
        let entries = list.entries
        self.rows = rows.rows(first..<min(first + body.rows, total)) {
            state.commentHead(entries[$0], indent: rows.blocks[$0].indent, columns: columns - 4, now: now)
        }
    }

    private init(foundBy state: State) {
        let filter = state.filter ?? Filter()
        let columns = min(Self.widestList, max(state.size.columns - 4, 5))
        // As high as there is room, so that it does not jump with every letter.
        self.init(title: filter.title(of: state.items.count), columns: columns, total: Self.maxFound, in: state)
        total = max(filter.matches.count, 1)
        first = min(filter.first(rows: body.rows), max(total - body.rows, 0))
        chosen = filter.chosen
        offset = first
        guard !filter.matches.isEmpty else {
            let words = filter.isEmpty ? "" : filter.isDone(state.items.count) ? "No matches." : ""
            rows = [SheetRow(spans: [SheetRow.Span(column: 0, line: GlyphLine(words), tone: .dim)])]
            return
        }
        rows = (first..<min(first + body.rows, total)).map { place in
            let entry = filter.entry(at: place, of: state.items)
            let ellipsis = Glyph(state.options.isASCII ? "~" : "…")
            let title = entry.title.truncated(
                to: max((columns - 4) * (entry.name.isEmpty ? 3 : 2) / 3, 8), ellipsis: ellipsis)
            let name = entry.name.truncated(to: columns - 6 - title.columns, ellipsis: ellipsis)
            return SheetRow(
                spans: [
                    SheetRow.Span(column: 0, line: title, tone: .text),
                    SheetRow.Span(column: columns - 4 - name.columns, line: name, tone: .dim),
                ], entry: place)
        }
    }

    /// The most rows of the list of what was found.
    static let maxFound = 16

    /// A frame for so many rows, as far as there is room for them above the open text field, and nothing in it.
    private init(title: String, columns: Int, total: Int, in state: State) {
        (self.title, self.total, rows, first) = (title, total, [], 0)
        let free = state.size.rows - 1 - BarLayout.rows(state)
        let height = max(min(total, state.typing == nil ? free - 4 : free - 3), state.typing == nil ? 0 : 1)
        let side = state.typing == nil ? Self.side(for: columns, state) : nil
        isAside = side != nil
        frame = GridRect(
            column: side ?? (state.size.columns - columns) / 2, row: max((free - height - 2) / 2, 1), columns: columns,
            rows: height + 2)
        body = GridRect(column: frame.column + 2, row: frame.row + 1, columns: columns - 4, rows: height)
    }

    /// The row in view at a place of the body, from the top.
    func row(at place: Int) -> SheetRow? {
        let index = first + place - offset
        return rows.indices.contains(index) && place < body.rows ? rows[index] : nil
    }

    /// The entry at a point.
    func entry(at point: GridPoint) -> Int? {
        body.contains(point) ? row(at: point.row - body.row)?.entry : nil
    }

    /// Where the footer stands.
    var footerFrame: GridRect? {
        guard !footer.isEmpty else { return nil }
        return GridRect(
            column: frame.column + 2, row: frame.row + frame.rows - 1,
            columns: min(footer.columns + 2, frame.columns - 4),
            rows: 1)
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
