import Model

/// Where the open sheet lies, and its rows. Drawing, scrolling and finding the target of a click all use it. A value.
struct SheetLayout {
    var title: String
    /// What can be done, on the lower edge of the frame; empty for most sheets.
    private(set) var footer = GlyphLine()
    /// Whether "more" stands beside the arrow on the lower edge: not where the footer needs its columns.
    private(set) var namesMore = true
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
    /// The chosen link, if it is in view.
    private(set) var link: Int?
    /// The page beside the sheet stays as it is; else it is darkened.
    var isAside: Bool

    /// Nothing is in a layout without an open sheet.
    ///
    /// - Parameter now: for the ages of comments; nil leaves them out.
    init(_ state: State, now: Duration? = nil) {
        switch state.view.sheet {
        case .caption: self.init(captionOf: state)
        case .comments: self.init(commentsOf: state, now: now)
        case .filter: self.init(foundBy: state)
        case .help, .trust, .diagnostics, .menu, .topics, .hide, .hidden, .places, .quality, nil:
            self.init(textOf: state)
        }
    }

    private init(textOf state: State) {
        let contents = state.sheetContents ?? SheetContents(title: "", entries: [])
        let (place, isASCII) = (SheetPlace(state.size), state.options.isASCII)
        let (columns, rows): (Int, [SheetRow])
        if contents.hasColumns {
            let most = place.frame(columns: place.room, rows: .max)
            let room = GridSize(columns: most.columns - 4, rows: most.rows - 2)
            let sections = SheetColumns(contents.entries, room: room, isASCII: isASCII)
            (columns, rows) = (place.isAside ? sections.columns + 4 : place.room, sections.rows)
        } else {
            let wanted = max(
                SheetTypesetter.columns(of: contents.entries) + 4, Self.columns(of: state.widestSheetHints, in: state))
            columns = state.view.sheet == .menu ? min(wanted, place.room) : place.columns(for: wanted)
            let setter = SheetTypesetter(
                columns: columns - 4, entries: contents.entries, isASCII: isASCII, isDense: state.size.rows < 20)
            rows = setter.rows(of: contents.entries)
        }
        self.init(title: contents.title, columns: columns, total: rows.count, in: state)
        self.rows = rows
        // An open text field says what its keys do.
        if state.typing == nil { setFooter(state.sheetHints, columns: columns, of: state) }
        let over = max(total - body.rows, 0)
        if state.view.sheet?.isMenu == true {
            chosen = state.view.line
            let line = rows.lastIndex { $0.entry == state.view.line } ?? 0
            first = min(max(line - body.rows + 1, 0), over)
        } else {
            first = min(state.view.line, over)
        }
    }

    /// How wide a sheet is that has room for all of its hints.
    private static func columns(of hints: [(action: Action, word: String)], in state: State) -> Int {
        state.footer(hints).columns + edgeColumns + moreColumns
    }

    /// Shows the hints that have room: always the last, which says how the sheet is closed, and rather the first of the
    /// others. The rows must be counted.
    ///
    /// - Parameters:
    ///   - kept: the hint that is dropped after all others.
    ///   - columns: of the sheet.
    ///   - moves: how many hints name what moves. These go first.
    private mutating func setFooter(
        _ hints: [(action: Action, word: String)], keeping kept: Action? = nil, columns: Int, of state: State,
        moves: Int = 0
    ) {
        let room = columns - Self.edgeColumns - (total > body.rows ? Self.arrowColumns : 0)
        var (hints, moves) = (hints, moves)
        while hints.count > 1, state.footer(hints).columns > room {
            let last = hints.dropLast().lastIndex { $0.action != kept } ?? hints.count - 2
            hints.remove(at: moves > 0 ? moves - 1 : last)
            moves -= 1
        }
        footer = state.footer(hints)
        namesMore = footer.columns + Self.edgeColumns + Self.moreColumns <= columns
    }

    private init(captionOf state: State) {
        let columns = SheetPlace(state.size).columns()
        let text = state.captionText(columns: columns - 4)
        self.init(title: "Caption", columns: columns, total: text.lines.count, in: state)
        first = min(state.view.line, max(total - body.rows, 0))
        link = state.view.link.flatMap { number in
            text.links.indices.contains(number) && text.links[number].lines.overlaps(inView) ? number : nil
        }
        (offset, rows) = (first, inView.map(text.row))
        let hasOther = text.links.count > 1 || link == nil && !text.links.isEmpty
        // Without a chosen link the same key closes the sheet.
        let hints = State.hints(
            move: hasOther ? [(.nextLink, "link")] : [], act: link != nil ? [(.choose, "open")] : [])
        setFooter(hints, columns: columns, of: state, moves: hasOther ? 1 : 0)
    }

    private init(commentsOf state: State, now: Duration?) {
        let columns = SheetPlace(state.size).columns()
        let (list, rows) = (state.commentList, state.commentRows(columns: columns - 4))
        let count = state.titleCountWords.map { " (\($0))" } ?? ""
        self.init(title: "Comments\(count)", columns: columns, total: rows.count, in: state)
        if state.typing == nil { setFooter(state.commentHints, keeping: .choose, columns: columns, of: state) }
        let number = state.chosenComment
        let over = max(total - body.rows, 0)
        if rows.blocks.indices.contains(number) {
            first = min(max(rows.blocks[number].first - state.discussion.lead, 0), over)
            chosen = number
        }
        offset = first
        let entries = list.entries
        self.rows = rows.rows(first..<min(first + body.rows, total)) {
            state.commentHead(
                entries[$0], number: $0, indent: rows.blocks[$0].indent, columns: columns - 4, now: now)
        }
    }

    private init(foundBy state: State) {
        let filter = state.typing?.filter ?? Filter()
        let (columns, count) = (SheetPlace(state.size).columns(), filter.count(of: state.items.count))
        self.init(
            title: filter.title(of: state.items.count), columns: columns, total: min(max(count, 1), Self.maxFound),
            in: state)
        total = max(count, 1)
        chosen = state.chosenMatch
        first = min(filter.first(rows: body.rows, around: state.chosenMatch, of: count), max(total - body.rows, 0))
        offset = first
        guard count > 0 else {
            let words = filter.isDone(state.items.count) ? "No matches." : ""
            rows = [SheetRow(spans: [SheetRow.Span(column: 0, line: GlyphLine(words), tone: .dim)])]
            return
        }
        let list = FoundList(state, filter, places: first..<min(first + body.rows, count), columns: body.columns)
        rows = list.rows
    }

    /// The most rows of the list of what was found.
    static let maxFound = 16

    /// The columns of "▾ more" on the lower edge, and of the arrow alone, with blanks at both ends; and of the frame
    /// and the footer's own blanks.
    private static let (moreColumns, arrowColumns, edgeColumns) = (8, 3, 5)

    /// An empty frame for `total` rows, or for as many as fit above the open text field.
    private init(title: String, columns: Int, total: Int, in state: State) {
        (self.title, self.total, rows, first) = (title, total, [], 0)
        let place = SheetPlace(state.size)
        let below = BarLayout.rows(state)
        frame = place.frame(columns: columns, rows: max(total, 1) + 2, below: below)
        isAside = place.isAside || state.view.sheet == .menu
        if state.view.sheet == .menu {
            frame = state.view.menuPlace.frame(GridSize(columns: frame.columns, rows: frame.rows), in: state)
        }
        body = GridRect(
            column: frame.column + 2, row: frame.row + 1, columns: columns - 4, rows: max(frame.rows - 2, 1))
    }

    /// The numbers of the rows in view.
    var inView: Range<Int> { first..<min(first + body.rows, max(total, first)) }

    /// The row in view at a place of the body, from the top.
    func row(at place: Int) -> SheetRow? {
        let index = first + place - offset
        return rows.indices.contains(index) && place < body.rows ? rows[index] : nil
    }

    /// The entry at a point.
    func entry(at point: GridPoint) -> Int? {
        body.contains(point) ? row(at: point.row - body.row)?.entry : nil
    }

    /// The link at a point.
    func link(at point: GridPoint) -> Int? {
        guard body.contains(point), let row = row(at: point.row - body.row) else { return nil }
        let column = point.column - body.column
        return row.spans.first { $0.column <= column && column < $0.column + $0.line.columns }?.link
    }

    /// Where the footer stands.
    var footerFrame: GridRect? {
        guard !footer.isEmpty else { return nil }
        return GridRect(
            column: frame.column + 2, row: frame.row + frame.rows - 1,
            columns: min(footer.columns + 2, frame.columns - 4),
            rows: 1)
    }
}

extension State {
    /// The cells of the open sheet; nil without one.
    var sheetFrame: GridRect? { view.sheet == nil ? nil : SheetLayout(self).frame }
}
