import Model

extension State {
    /// The scene while the part of the feed is a grid of stills.
    func gridScene(now: Duration) -> Scene {
        let layout = StillGridLayout(self)
        var overlay = OverlayDrawing(size: size, options: options)
        overlay.drawGrid(self, layout)
        overlay.drawSheet(self, now: now)
        overlay.drawToast(self, now: now)
        var scene = Scene(
            pages: [], pageSize: GridSize(columns: size.columns, rows: pager.rows), overlay: overlay.grid,
            background: theme.background)
        scene.tiles = layout.inView.map { Scene.Tile(.still(items[$0].id), frame: layout.picture(of: $0)) }
        scene.tileGround = theme.panel
        return scene
    }
}

extension OverlayDrawing {
    /// How much the pictures of tiles that are not chosen are darkened.
    private static let unchosen: UInt8 = 90

    fileprivate mutating func drawGrid(_ state: State, _ layout: StillGridLayout) {
        let (theme, chosen) = (state.theme, state.grid?.chosen ?? 0)
        let number = "\(chosen + 1)/\(state.items.count)"
        let margin = state.topRoom.lowerBound
        let end = state.size.columns - margin - number.utf8.count
        put(GlyphLine(number), column: end, row: 0, color: theme.bareDim, ground: theme.background)
        put(
            GlyphLine(options.isASCII ? "< " : "‹ ") + state.feedTitle, column: margin, row: 0, limit: end - margin - 2,
            color: theme.bareText, ground: theme.background, style: .bold)
        drawKeyHint(state)
        for index in layout.inView { drawTile(state, index, layout, isChosen: index == chosen) }
        drawCentred(
            state.footer([(.choose, "play"), (.close, "back")]), row: state.size.rows - 1, state: state,
            color: theme.bareDim)
    }

    private mutating func drawTile(_ state: State, _ index: Int, _ layout: StillGridLayout, isChosen: Bool) {
        let (theme, picture, title) = (state.theme, layout.picture(of: index), layout.title(of: index))
        if !isChosen {
            for row in picture.row..<(picture.row + picture.rows) {
                for column in picture.column..<(picture.column + picture.columns) {
                    shade(column: column, row: row, by: Self.unchosen)
                }
            }
        }
        // With few colours or none, the selection's ground is the panel's.
        let isReversed = isChosen && (options.color == .mono || options.color == .palette16)
        let ground = isChosen ? (isReversed ? theme.panel : theme.selection) : theme.background
        let style: CellStyle = isReversed ? [.reverse, .bold] : isChosen ? .bold : []
        let color = isChosen ? theme.panelText : theme.bareDim
        for column in title.column..<(title.column + title.columns) {
            paint(column: column, row: title.row, color: color, ground: ground, style: isReversed ? .reverse : [])
        }
        let line = GlyphLine(PageContent.title(of: state.items[index])).truncated(to: title.columns, ellipsis: ellipsis)
        put(
            line, column: title.column, row: title.row, limit: title.columns, color: color, ground: ground, style: style
        )
    }
}
