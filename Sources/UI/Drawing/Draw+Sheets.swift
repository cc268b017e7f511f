import Model

/// A line of a sheet: a label and its value.
struct SheetLine: Sendable, Equatable {
    var what: GlyphLine
    var value: GlyphLine
    var isHeading = false

    init(_ what: String, _ value: String = "", isHeading: Bool = false) {
        self.what = GlyphLine(CleanText.line(what, limit: 200))
        self.value = GlyphLine(CleanText.line(value, limit: 300))
        self.isHeading = isHeading
    }
}

/// Where the open sheet lies: its frame in the middle of the page, and the visible lines.
struct SheetLayout {
    static let widest = 64
    static let widestMenu = 36

    var frame: GridRect
    var body: GridRect
    /// The first visible line.
    var first: Int

    init(_ state: State) { self.init(state, lines: state.sheetLines().count) }

    init(_ state: State, lines: Int) {
        let columns = min(state.size.columns - 4, state.sheet == .menu ? Self.widestMenu : Self.widest)
        let rows = min(lines, state.size.rows - 5)
        frame = GridRect(
            column: (state.size.columns - columns) / 2, row: max((state.size.rows - 1 - rows - 2) / 2, 1),
            columns: columns, rows: rows + 2)
        body = GridRect(column: frame.column + 2, row: frame.row + 1, columns: columns - 4, rows: rows)
        let over = max(lines - rows, 0)
        first = state.sheet == .menu ? min(max(state.sheetLine - rows + 1, 0), over) : min(state.sheetLine, over)
    }
}

extension State {
    func sheetLines() -> [SheetLine] {
        switch sheet {
        case .help: helpLines
        case .trust: trustLines
        case .diagnostics: diagnosticLines
        case .menu: menuLines
        case .comments: commentLines
        case nil: []
        }
    }

    var sheetTitle: String {
        switch sheet {
        case .help: "Keys"
        case .trust: "Trust"
        case .diagnostics: "Diagnostics"
        case .menu: "This clip"
        case .comments: "Comments"
        case nil: ""
        }
    }

    /// The current key bindings, from the table that the documentation is made from.
    private var helpLines: [SheetLine] {
        let room = min(size.columns - 4, SheetLayout.widest) - 4
        return KeyTable.sections.flatMap { section in
            [SheetLine(section.title, isHeading: true)]
                + section.rows.map { row in
                    let words = options.isASCII ? row.plainWords : row.words
                    // A narrow sheet has no room for mouse gestures. Show them only where a row has no keys.
                    var label = options.keys.label(of: row, isASCII: options.isASCII)
                    let keys = options.keys.keysLabel(of: row.actions, isASCII: options.isASCII)
                    if !keys.isEmpty, label.count + 1 + words.count > room { label = keys }
                    return SheetLine(label.isEmpty ? "(no key)" : label, words)
                }
        }
    }

    private var trustLines: [SheetLine] {
        guard let trust = content?.item.trust, let score = content?.trust else {
            return [SheetLine("The feed gives no trust score for this clip.")]
        }
        let reasons = trust.reasons.prefix(20).map { SheetLine("- \($0)") }
        return [SheetLine(trust.label ?? "Trust", "\(score) of 100", isHeading: true)]
            + (reasons.isEmpty ? [SheetLine("The feed does not say why.")] : reasons)
            + [SheetLine("As told by the feed; flick does not judge.")]
    }

    private var menuLines: [SheetLine] {
        MenuEntry.all.map { SheetLine($0.text, keyLabel(of: $0.action) ?? "") }
    }

    private var commentLines: [SheetLine] {
        let count = content?.item.stats?.comments ?? 0
        return [
            SheetLine(count == 1 ? "1 comment" : "\(Label.count(count)) comments", isHeading: true),
            SheetLine("This feed does not carry their text."),
        ]
    }

    /// Where the clip's bytes come from, and which variant of the stream plays.
    private func sourceLines(of clip: Clip) -> [SheetLine] {
        let isFile = content?.item.isFile ?? true
        let share = clip.cached.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        let percent = Int((min(max(share, 0), 1) * 100).rounded(.down))
        let source =
            if isFile { "file" } else if percent == 100 { "cache, all of it" } else if percent > 0 {
                "network, \(percent) % in the cache"
            } else { "network" }
        var lines = [SheetLine("source", source)]
        guard let variant = clip.diagnostics?.variant else { return lines }
        let size = variant.size.map { "\($0.width) x \($0.height)" } ?? "size unknown"
        let rate = variant.bitrate > 0 ? ", " + Self.rate(variant.bitrate) : ""
        lines.append(SheetLine("variant", size + rate))
        if !variant.why.isEmpty { lines.append(SheetLine("chosen because", variant.why)) }
        return lines
    }

    /// "803 kbit/s", "2.1 Mbit/s".
    private static func rate(_ bits: Int64) -> String {
        bits < 1_000_000 ? "\(max(bits, 0) / 1_000) kbit/s" : "\(tenths(min(Double(bits) / 1e6, 99_999))) Mbit/s"
    }

    /// A real number with one decimal.
    private static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Measured figures. A rate is known after a second, the size with the first picture.
    private func playingLines(_ figures: Diagnostics) -> [SheetLine] {
        var lines = [SheetLine("pictures", "\(figures.shown) shown, \(figures.dropped) dropped")]
        if figures.picturesPerSecond > 0 || figures.bytesPerSecond > 0 {
            let pictures = Int(min(max(figures.picturesPerSecond, 0), 9_999).rounded())
            lines.append(SheetLine("rate", "\(pictures)/s, \(Label.count(figures.bytesPerSecond))B/s"))
        }
        if figures.picture.width > 0 {
            lines.append(SheetLine("picture", "\(figures.picture.width) x \(figures.picture.height)"))
        }
        return lines + [SheetLine("sound to picture", "\(Int(figures.drift.milliseconds.rounded())) ms")]
    }

    private var diagnosticLines: [SheetLine] {
        let clip = self.clip
        var lines = [SheetLine("Clip", isHeading: true)]
        if let facts = clip.facts {
            lines.append(SheetLine("container", facts.container))
            lines.append(SheetLine("video", facts.video ?? "none"))
            lines.append(SheetLine("sound", facts.audio ?? "none"))
            if let size = facts.displaySize { lines.append(SheetLine("size", "\(size.width) x \(size.height)")) }
            lines.append(SheetLine("duration", facts.duration.map { Label.clock($0) } ?? "unknown"))
            lines += sourceLines(of: clip)
        } else {
            lines.append(SheetLine("not open yet"))
        }
        lines.append(SheetLine("Playing", isHeading: true))
        let figures = clip.diagnostics ?? Diagnostics()
        if clip.diagnostics != nil { lines += playingLines(figures) } else { lines.append(SheetLine("not yet")) }
        if let ahead = figures.ahead {
            lines.append(SheetLine("buffered ahead", "\(Self.tenths(min(max(ahead.seconds, 0), 99_999))) s"))
            lines.append(SheetLine("network", figures.throughput.map(Self.rate) ?? "not measured yet"))
        }
        lines += [
            SheetLine("decoder", figures.decoderPID > 0 ? "process \(figures.decoderPID)" : "none"),
            SheetLine("recoveries", "\(figures.recoveries)"),
            SheetLine("Terminal", isHeading: true),
            SheetLine("size", "\(size.columns) x \(size.rows)"),
            SheetLine("surface", "\(options.pictureMode.rawValue), \(options.color.rawValue)"),
            SheetLine("cell shape", options.knowsCellAspect ? "as the terminal tells" : "taken to be 1:2"),
        ]
        return lines
    }
}

extension OverlayDrawing {
    mutating func drawSheet(_ state: State, now: Duration) {
        guard state.sheet != nil else { return }
        let lines = state.sheetLines()
        let layout = SheetLayout(state, lines: lines.count)
        let (theme, frame) = (state.theme, layout.frame)
        for row in 0..<state.size.rows {
            for column in 0..<state.size.columns { shade(column: column, row: row, by: 100) }
        }
        fill(frame, with: theme.panel)
        drawFrame(frame, title: state.sheetTitle, theme: theme)
        for place in 0..<layout.body.rows where layout.first + place < lines.count {
            let number = layout.first + place
            let isChosen = state.sheet == .menu && number == state.sheetLine
            drawLine(lines[number], row: layout.body.row + place, body: layout.body, isChosen: isChosen, theme: theme)
        }
        guard lines.count > layout.body.rows else { return }
        let more = GlyphLine(" \(layout.first + layout.body.rows)/\(lines.count) ")
        put(
            more, column: frame.column + frame.columns - more.columns - 2, row: frame.row + frame.rows - 1,
            color: theme.panelDim, ground: theme.panel)
    }

    private mutating func drawFrame(_ frame: GridRect, title: String, theme: Theme) {
        let border = Symbols(options).border
        let (right, bottom) = (frame.column + frame.columns - 1, frame.row + frame.rows - 1)
        for column in frame.column...right {
            paint(border.horizontal, column: column, row: frame.row, color: theme.panelDim, ground: theme.panel)
            paint(border.horizontal, column: column, row: bottom, color: theme.panelDim, ground: theme.panel)
        }
        for row in frame.row...bottom {
            paint(border.vertical, column: frame.column, row: row, color: theme.panelDim, ground: theme.panel)
            paint(border.vertical, column: right, row: row, color: theme.panelDim, ground: theme.panel)
        }
        let corners = [(frame.column, frame.row), (right, frame.row), (frame.column, bottom), (right, bottom)]
        for (corner, glyph) in zip(corners, border.corners) {
            paint(glyph, column: corner.0, row: corner.1, color: theme.panelDim, ground: theme.panel)
        }
        put(
            GlyphLine(" \(title) "), column: frame.column + 2, row: frame.row, limit: frame.columns - 4,
            color: theme.panelText, ground: theme.panel, style: .bold)
    }

    private mutating func drawLine(_ line: SheetLine, row: Int, body: GridRect, isChosen: Bool, theme: Theme) {
        let ground = isChosen ? theme.selection : theme.panel
        let style: CellStyle = isChosen && options.color == .mono ? .reverse : []
        if isChosen {
            fill(GridRect(column: body.column - 1, row: row, columns: body.columns + 2, rows: 1), with: ground)
        }
        // The value gets two thirds of the line, or more if the label is short.
        let most = max(body.columns * 2 / 3, body.columns - line.what.columns - 1)
        let valueRoom = line.value.isEmpty ? 0 : min(line.value.columns, most)
        let whatRoom = body.columns - (valueRoom > 0 ? valueRoom + 1 : 0)
        put(
            line.what, column: body.column, row: row, limit: whatRoom,
            color: theme.panelText, ground: ground, style: style.union(line.isHeading ? .bold : []))
        if valueRoom > 0 {
            let value = line.value.truncated(to: valueRoom, ellipsis: ellipsis)
            put(
                value, column: body.column + body.columns - value.columns, row: row,
                color: isChosen ? theme.panelText : theme.panelDim, ground: ground, style: style)
        }
    }
}
