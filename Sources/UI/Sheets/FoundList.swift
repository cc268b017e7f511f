import Model

/// The rows of Find's list: a clip's title with the match emphasized; then its creator, with the topics that it was
/// found by; the user's reactions to it, and its duration. A value.
struct FoundList {
    /// Between the parts of a row.
    private static let gap = 2
    private static let (minTitle, minName) = (8, 4)
    /// On a narrower terminal the creator stands beside a title only where both have room, or where it was found by it.
    private static let minColumns = 60

    private(set) var rows: [SheetRow] = []

    /// - Parameters:
    ///   - places: those in view, in `filter`'s list.
    ///   - columns: of the list.
    init(_ state: State, _ filter: Filter, places: Range<Int>, columns: Int) {
        let ellipsis = Glyph(state.options.isASCII ? "~" : "…")
        let entries = places.map { filter.entry(at: $0, of: state.items) }
        let durations = entries.map { entry in
            GlyphLine((state.clips[entry.id]?.duration ?? entry.duration).map { Label.clock($0) } ?? "")
        }
        let marks = entries.map { state.marks(of: $0.id) }
        let durationColumns = durations.map(\.columns).max() ?? 0
        let markColumns = marks.map(\.columns).max() ?? 0
        for (place, entry) in entries.enumerated() {
            var (row, end) = (SheetRow(entry: places.lowerBound + place), columns)
            /// Writes a part that ends at `end`, in `width` columns that all rows leave free for it.
            func put(_ line: GlyphLine, width: Int, isRight: Bool, tone: SheetRow.Tone) {
                guard width > 0, end - width - Self.gap >= Self.minTitle else { return }
                let column = isRight ? end - line.columns : end - width
                if !line.isEmpty { row.spans.append(SheetRow.Span(column: column, line: line, tone: tone)) }
                end -= width + Self.gap
            }
            put(durations[place], width: durationColumns, isRight: true, tone: .dim)
            put(marks[place], width: markColumns, isRight: false, tone: .text)
            let origin = Self.origin(of: entry, beside: end, in: state, filter)
            let title = entry.title.truncated(
                to: end - (origin.isEmpty ? 0 : origin.columns + Self.gap), ellipsis: ellipsis)
            row.spans += Self.spans(title, column: 0, tone: .text, filter)
            row.spans += Self.spans(origin, column: end - origin.columns, tone: .dim, filter)
            row.spans.sort { $0.column < $1.column }
            rows.append(row)
        }
    }

    /// "Mira Okafor · #rain": the creator, or the folder, and what else the entry was found by, which is cut last.
    ///
    /// - Parameter columns: of the title and this together.
    private static func origin(
        of entry: Filter.Entry, beside columns: Int, in state: State, _ filter: Filter
    ) -> GlyphLine {
        let isASCII = state.options.isASCII
        let ellipsis = Glyph(isASCII ? "~" : "…")
        let (isName, others) = filter.reason(for: entry)
        var found = GlyphLine()
        for other in others { found = found.isEmpty ? other : found + GlyphLine(" ") + other }
        // What a short title leaves free, too.
        let share = isName || !others.isEmpty ? columns / 2 : columns / 3
        let most = max(share, columns - entry.title.columns - gap)
        found = found.truncated(to: most, ellipsis: ellipsis)
        let dot = GlyphLine(found.isEmpty || entry.name.isEmpty ? "" : isASCII ? " - " : " · ")
        let room = most - found.columns - dot.columns
        let name = entry.name.truncated(to: room, ellipsis: ellipsis)
        let whole = name + dot + found
        let isRoomy =
            state.size.columns >= minColumns || isName || entry.title.columns + gap + whole.columns <= columns
        return isRoomy && (room >= minName || entry.name.columns <= max(room, 0)) ? whole : found
    }

    /// A line in pieces: what matched, and what is between.
    private static func spans(
        _ line: GlyphLine, column: Int, tone: SheetRow.Tone, _ filter: Filter
    ) -> [SheetRow.Span] {
        var (spans, at, column): ([SheetRow.Span], Int, Int) = ([], 0, column)
        func add(_ range: Range<Int>, _ tone: SheetRow.Tone) {
            guard !range.isEmpty else { return }
            spans.append(SheetRow.Span(column: column, line: line.slice(range), tone: tone))
            column += spans[spans.count - 1].line.columns
        }
        for match in filter.matched(in: line) {
            add(at..<match.lowerBound, tone)
            add(match, .match)
            at = match.upperBound
        }
        add(at..<line.count, tone)
        return spans
    }
}

extension State {
    /// What the user has done with an item: that it is liked, and that it was seen; blanks for what is not so.
    func marks(of item: Item.ID) -> GlyphLine {
        let (isLiked, isSeen) = (reactions[item].isLiked, reactions.seen.contains(item))
        guard isLiked || isSeen else { return GlyphLine() }
        let symbols = Symbols(options)
        var line = GlyphLine()
        line.append(isLiked ? symbols.like(true) : .space, width: 1)
        line.append(isSeen ? Glyph(symbols.isASCII ? "v" : "✓") : .space, width: 1)
        return line
    }
}
