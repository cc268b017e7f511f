import Model

/// A row of a sheet as it is drawn. A value.
struct SheetRow: Sendable, Equatable {
    /// `match`: what was looked for; `link`: what can be opened.
    enum Tone: Sendable, Equatable { case heading, text, dim, match, link }

    struct Span: Sendable, Equatable {
        /// Counted from the left of the sheet's body.
        var column: Int
        var line: GlyphLine
        var tone: Tone
        /// The number of the link that it is a part of.
        var link: Int?
    }

    var spans: [Span] = []
    /// The number of the menu's entry that the row belongs to.
    var entry: Int?
}

/// Sets entries in rows of a given width. Text is wrapped, never cut.
struct SheetTypesetter {
    /// Between the two parts of a pair.
    private static let gap = 2
    private static let minGraph = 4
    /// The first parts of pairs that are wider than this are wrapped, rather than all the others moved apart.
    private static let widestFirst = 17

    let columns: Int
    let isASCII: Bool
    /// Leaves out the blank rows before headings.
    let isDense: Bool
    /// The width of the first part of pairs.
    private let first: Int

    init(columns: Int, entries: [SheetEntry], isASCII: Bool, isDense: Bool) {
        self.columns = max(columns, 1)
        self.isASCII = isASCII
        self.isDense = isDense
        let widest = entries.map { Self.firstColumns(of: $0) }.max() ?? 0
        first = max(min(widest, Self.widestFirst, columns * 2 / 5), 1)
    }

    func rows(of entries: [SheetEntry]) -> [SheetRow] {
        var rows: [SheetRow] = []
        var choices = 0
        for entry in entries {
            switch entry {
            case .heading(let text):
                if !rows.isEmpty, !isDense { rows.append(SheetRow()) }
                rows += paragraph(text, tone: .heading)
            case .text(let text): rows += paragraph(text, tone: .text)
            case .pair(let name, let words): rows += pair(name, words: words)
            case .graph(let name, let past, let words): rows += graph(name, past: past, words: words)
            case .choice(let text, let key):
                rows += choice(text, key: key).map { SheetRow(spans: $0.spans, entry: choices) }
                choices += 1
            }
        }
        return rows
    }

    /// How many columns entries want, so that nothing needs to be wrapped.
    static func columns(of entries: [SheetEntry]) -> Int {
        let first = min(entries.map(firstColumns).max() ?? 0, widestFirst)
        return entries.map { entry in
            switch entry {
            case .heading(let text), .text(let text): line(text).columns
            case .pair(_, let words): first + gap + line(words).columns
            case .graph(_, let past, let words): first + gap + past.count + 1 + line(words).columns
            case .choice(let text, let key): line(text).columns + 2 * gap + line(key).columns
            }
        }.max() ?? 0
    }

    private static func firstColumns(of entry: SheetEntry) -> Int {
        switch entry {
        case .pair(let name, _), .graph(let name, _, _): line(name).columns
        case .heading, .text, .choice: 0
        }
    }

    private static func line(_ text: String) -> GlyphLine { GlyphLine(CleanText.line(text, limit: 500)) }

    private func lines(_ text: String, columns: Int) -> [GlyphLine] {
        let line = Self.line(text)
        return line.wrapped(to: columns).map(line.slice)
    }

    private func paragraph(_ text: String, tone: SheetRow.Tone) -> [SheetRow] {
        // The lines of a list's item begin under its text.
        let indent = text.hasPrefix("- ") ? 2 : 0
        let lines = lines(indent > 0 ? String(text.dropFirst(indent)) : text, columns: columns - indent)
        return lines.enumerated().map { place, line in
            let mark = [SheetRow.Span(column: 0, line: GlyphLine(isASCII ? "-" : "•"), tone: .dim)]
            return SheetRow(
                spans: (indent > 0 && place == 0 ? mark : [])
                    + [SheetRow.Span(column: indent, line: line, tone: tone)])
        }
    }

    private func pair(_ name: String, words: String) -> [SheetRow] {
        let left = lines(name, columns: first)
        let right = lines(words, columns: columns - first - Self.gap)
        return (0..<max(left.count, right.count)).map { row in
            var spans: [SheetRow.Span] = []
            if row < left.count { spans.append(SheetRow.Span(column: 0, line: left[row], tone: .text)) }
            if row < right.count {
                spans.append(SheetRow.Span(column: first + Self.gap, line: right[row], tone: .dim))
            }
            return SheetRow(spans: spans)
        }
    }

    /// The graph has the room that name and figure leave, and shows as much of the newest past as fits. A single
    /// figure has no graph.
    private func graph(_ name: String, past: [Double], words: String) -> [SheetRow] {
        let figure = Self.line(words)
        let room = columns - first - Self.gap - figure.columns - 1
        guard room >= Self.minGraph, past.count > 1 else { return pair(name, words: words) }
        let graph = Sparkline.line(past.suffix(room), isASCII: isASCII)
        var rows = pair(name, words: "")
        rows[0].spans += [
            SheetRow.Span(column: first + Self.gap, line: graph, tone: .text),
            SheetRow.Span(column: first + Self.gap + graph.columns + 1, line: figure, tone: .dim),
        ]
        return rows
    }

    private func choice(_ text: String, key: String) -> [SheetRow] {
        let key = Self.line(key).truncated(to: columns / 2, ellipsis: Glyph(isASCII ? "~" : "…"))
        var rows = lines(text, columns: columns - key.columns - (key.isEmpty ? 0 : Self.gap)).map {
            SheetRow(spans: [SheetRow.Span(column: 0, line: $0, tone: .text)])
        }
        if !rows.isEmpty, !key.isEmpty {
            rows[0].spans.append(SheetRow.Span(column: columns - key.columns, line: key, tone: .dim))
        }
        return rows
    }
}
