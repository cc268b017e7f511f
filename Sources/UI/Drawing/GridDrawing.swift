import Model

extension State {
    /// The scene while the part of the feed is a grid of stills.
    func gridScene(now: Duration) -> Scene {
        let layout = StillGridLayout(self)
        var overlay = OverlayDrawing(size: size, options: options)
        overlay.sheet = sheetFrame
        overlay.drawGrid(self, layout)
        overlay.sheet = nil
        overlay.drawSheet(self, now: now)
        overlay.drawBar(self)
        overlay.drawLight(self, now: now)
        overlay.drawToast(self, now: now)
        var scene = Scene(
            pages: [], pageSize: GridSize(columns: size.columns, rows: pager.rows), overlay: overlay.grid,
            background: theme.background)
        // Shades of the overlay would fade out at the edges of a tile.
        scene.tiles = layout.inView.map {
            let shade = $0 == feed.grid?.chosen ? 0 : OverlayDrawing.unchosen
            return Scene.Tile(.still(items[$0].id), frame: layout.picture(of: $0), shade: shade)
        }
        scene.tileGround = theme.selection
        return scene
    }

    /// Where "▾ more" stands in the bottom row, behind the hints; nil if all tiles below are in view.
    var gridMore: (frame: GridRect, hasWord: Bool)? {
        guard StillGridLayout(self).hasBelow else { return nil }
        let (symbols, back) = (Symbols(options), gridHints.back)
        // The blank at its end stands in the margin.
        let end = size.columns - topRoom.lowerBound + 1
        let hasWord = back.column + back.columns + symbols.line(of: .below, hasWord: true).columns <= end
        let columns = symbols.line(of: .below, hasWord: hasWord).columns
        return (GridRect(column: end - columns, row: size.rows - 1, columns: columns, rows: 1), hasWord)
    }
}

extension OverlayDrawing {
    /// How much the pictures of tiles that are not chosen are darkened.
    fileprivate static let unchosen: UInt8 = 90

    fileprivate mutating func drawGrid(_ state: State, _ layout: StillGridLayout) {
        let (theme, chosen) = (state.theme, state.feed.grid?.chosen ?? 0)
        let number = "\(chosen + 1)/\(state.items.count)"
        let margin = state.topRoom.lowerBound
        let (end, title) = (state.size.columns - margin - number.utf8.count, state.gridTitle)
        put(GlyphLine(number), column: end, row: 0, color: theme.bareDim, ground: theme.background)
        put(
            GlyphLine(options.isASCII ? "< " : "‹ ") + state.feed.title, column: title.column, row: 0,
            limit: title.columns, color: theme.bareText, ground: theme.background, style: .bold)
        if layout.hasAbove {
            drawMore(.above, hasWord: false, end: end, row: 0, color: theme.bareText, ground: theme.background)
        }
        drawKeyHint(state)
        for (index, title) in zip(layout.inView, layout.titles(of: state.items, ellipsis: ellipsis)) {
            drawTile(state, index, title, layout, isChosen: index == chosen)
        }
        if !showsWhole(chosen, of: state, in: layout) { drawChosenTitle(state, chosen, in: layout.footer) }
        drawCentred(state.gridFooter, row: state.size.rows - 1, state: state, color: theme.bareDim)
        guard let more = state.gridMore else { return }
        drawMore(
            .below, hasWord: more.hasWord, end: more.frame.column + more.frame.columns, row: more.frame.row,
            color: theme.bareText, ground: theme.background)
    }

    /// Whether an item's whole title has room below its tile.
    private func showsWhole(_ index: Int, of state: State, in layout: StillGridLayout) -> Bool {
        guard index < state.items.count else { return false }
        return GlyphLine(PageContent.title(of: state.items[index])).columns <= layout.title(of: index).columns
    }

    /// The chosen item's title, where it has no room below its tile, directly above the keys.
    private mutating func drawChosenTitle(_ state: State, _ chosen: Int, in frame: GridRect) {
        guard chosen < state.items.count else { return }
        let title = GlyphLine(PageContent.title(of: state.items[chosen]))
        let lines = title.wrapped(to: frame.columns).prefix(frame.rows)
        let first = frame.row + frame.rows - lines.count
        for (place, range) in lines.enumerated() {
            let isLast = place == frame.rows - 1
            let line = title.slice(isLast ? range.lowerBound..<title.count : range)
                .truncated(to: frame.columns, ellipsis: ellipsis)
            put(
                line, column: (state.size.columns - line.columns) / 2, row: first + place,
                color: state.theme.bareText, ground: state.theme.background, style: .bold)
        }
    }

    /// - Parameter line: the title, as much of it as the tile has room for.
    private mutating func drawTile(
        _ state: State, _ index: Int, _ line: GlyphLine, _ layout: StillGridLayout, isChosen: Bool
    ) {
        let (theme, picture, title) = (state.theme, layout.picture(of: index), layout.title(of: index))
        // With few colours or none, the selection's ground is the panel's.
        let isReversed = isChosen && (options.color == .mono || options.color == .palette16)
        let ground = isChosen ? (isReversed ? theme.panel : theme.selection) : theme.background
        let style: CellStyle = isReversed ? [.reverse, .bold] : isChosen ? .bold : []
        let color = isChosen ? theme.panelText : theme.bareDim
        for column in title.column..<(title.column + title.columns) {
            paint(column: column, row: title.row, color: color, ground: ground, style: isReversed ? .reverse : [])
        }
        put(
            line, column: title.column, row: title.row, limit: title.columns, color: color, ground: ground,
            style: style)
        if isChosen { drawOutline(picture, color: theme.bareAccent) }
        drawFacts(state, index, in: picture)
    }

    /// Whether a picture has room for an outline and something within it.
    private func hasOutline(_ frame: GridRect) -> Bool { frame.columns > 2 && frame.rows > 2 }

    /// A line on the outer cells of a picture, which are seen through it.
    private mutating func drawOutline(_ frame: GridRect, color: RGB) {
        guard hasOutline(frame) else { return }
        let border = Symbols(options).border
        let (right, bottom) = (frame.column + frame.columns - 1, frame.row + frame.rows - 1)
        for column in (frame.column + 1)..<right {
            mark(border.horizontal, column: column, row: frame.row, color: color)
            mark(border.horizontal, column: column, row: bottom, color: color)
        }
        for row in (frame.row + 1)..<bottom {
            mark(border.vertical, column: frame.column, row: row, color: color)
            mark(border.vertical, column: right, row: row, color: color)
        }
        mark(border.corners[0], column: frame.column, row: frame.row, color: color)
        mark(border.corners[1], column: right, row: frame.row, color: color)
        mark(border.corners[2], column: frame.column, row: bottom, color: color)
        mark(border.corners[3], column: right, row: bottom, color: color)
    }

    /// What the user has done with an item, and its duration, in the corners of its picture: within the outline that it
    /// has while it is chosen.
    private mutating func drawFacts(_ state: State, _ index: Int, in picture: GridRect) {
        let item = state.items[index]
        let duration = (state.clips[item.id]?.duration ?? item.duration).map { " \(Label.clock($0)) " } ?? ""
        let marks = state.marks(of: item.id)
        let edge = hasOutline(picture) ? 1 : 0
        let (row, columns) = (picture.row + picture.rows - 1 - edge, picture.columns - 2 * edge)
        func put(_ line: GlyphLine, column: Int) {
            guard !line.isEmpty, line.columns <= columns else { return }
            self.put(line, column: column, row: row, color: state.theme.panelText, ground: state.theme.panel)
        }
        let line = GlyphLine(duration)
        put(line, column: picture.column + edge + columns - line.columns)
        guard !marks.isEmpty, marks.columns + 2 + line.columns <= columns else { return }
        put(GlyphLine(" ") + marks + GlyphLine(" "), column: picture.column + edge)
    }
}
