import Model

/// Draws the page as it looks at `now`. The result depends on the arguments
/// alone. Any thread; flick calls it on the main thread.
public func draw(_ state: State, now: Duration) -> Scene {
    var overlay = OverlayDrawing(size: state.size, options: state.options)
    overlay.solidGround = state.solidGround
    guard !state.isTooSmall else {
        overlay.drawTooSmall(state)
        return Scene(pages: [], pageSize: state.size, overlay: overlay.grid)
    }
    let pageSize = GridSize(columns: state.size.columns, rows: state.pager.rows)
    guard state.items.count > 0 else {
        overlay.sheet = state.sheetFrame
        overlay.drawEmptyFeed(state)
        overlay.sheet = nil
        overlay.drawTop(overlay.begin(state, isBare: state.theme.isLight && !state.options.textNeedsGround), now: now)
        overlay.bareGround = nil
        overlay.drawSheet(state, now: now)
        overlay.drawBar(state)
        overlay.drawToast(state, now: now)
        return Scene(pages: [], pageSize: pageSize, overlay: overlay.grid, background: state.theme.background)
    }
    guard state.feed.grid == nil else { return state.gridScene(now: now) }
    var (pages, avatars) = ([Scene.Page](), [Scene.Tile]())
    overlay.sheet = state.sheetFrame
    for index in state.indicesInView {
        let layout = PageLayout(state, index: index)
        let top = (Double(index) - state.pager.position) * Double(state.pager.rows)
        pages.append(
            Scene.Page(
                item: state.content(of: index).item.id, top: top, cover: state.coverage(of: index, now: now),
                hasBackdrop: state.hasBackdrop(around: layout.picture)))
        overlay.top = Int(top.rounded())
        (overlay.first, overlay.bottom) = (1, state.size.rows - 1)
        let shown = overlay.begin(state, isBare: state.isBare(index))
        overlay.drawPage(shown, index: index, layout: layout, now: now)
        let free = overlay.behindSheet(layout, of: state)
        if let avatar = state.avatarTile(of: index, free, top: overlay.top) { avatars.append(avatar) }
    }
    (overlay.top, overlay.sheet) = (0, nil)
    (overlay.first, overlay.bottom) = (0, state.size.rows)
    let shown = overlay.begin(state, isBare: state.indicesInView.allSatisfy(state.isBare))
    if !state.view.isClear { overlay.drawTop(shown, now: now) }
    overlay.drawPull(shown)
    overlay.drawScrubber(shown, now: now)
    if overlay.solidGround != nil {
        overlay.separate(background: state.theme.background, around: avatars.map(\.frame))
    }
    overlay.bareGround = nil
    overlay.drawPop(state, now: now)
    overlay.drawBurst(state, now: now)
    overlay.drawRefusal(state)
    overlay.drawSheet(state, now: now)
    overlay.drawBar(state)
    overlay.drawLight(shown, now: now)
    overlay.drawToast(state, now: now)
    var scene = Scene(pages: pages, pageSize: pageSize, overlay: overlay.grid, background: state.theme.background)
    scene.tiles = avatars + [state.seekStillTile(now: now)].compactMap(\.self)
    scene.arcs = overlay.arcs
    if state.options.pictureMode.hasPixels { scene.heart = state.heart(now: now) }
    return scene
}

extension State {
    /// The items in view: one, or two while pages move.
    var indicesInView: [Int] {
        let first = Int(pager.position.rounded(.down))
        let last = Int(pager.position.rounded(.up))
        return (first == last ? [first] : [first, last]).filter { $0 >= 0 && $0 < items.count }
    }

    /// Whether a page has no picture, and a light ground in its place: what stands there is dark then.
    func isBare(_ index: Int) -> Bool {
        let clip = clip(of: index)
        return theme.isLight && !options.textNeedsGround && !clip.hasStill
    }

    /// What the text of pages stands on where its letters could not be read over a picture, where contrast matters more
    /// than the picture, and where the user chose that the picture fills the page, text and all.
    var solidGround: RGB? {
        guard options.textNeedsGround || options.theme == .highContrast || playback.fit == .fill else { return nil }
        return theme.isLight ? .black : theme.background
    }

    /// How much of a page's picture is hidden, 0 … 1: by the cover that fades
    /// when the video starts, or by the dimming of a still.
    func coverage(of index: Int, now: Duration) -> Double {
        let clip = clip(of: index)
        if clip.failure != nil { return clip.hasStill ? 0.7 : 1 }
        if clip.isSoundOnly { return clip.hasStill ? 0 : 1 }
        if covers(content(of: index).item) { return Loading.coverDepth }
        guard index == current else { return 0 }
        return loading.coverage(fades: !options.reducedMotion, now: now)
    }

    /// Whether a blurred copy of the picture fills the rest of its page: the picture leaves cells free, and the
    /// terminal can show the blur well.
    func hasBackdrop(around picture: GridRect) -> Bool {
        options.hasBackdrop && picture.cells < size.columns * pager.rows
    }
}

extension OverlayDrawing {
    /// Before what lies over pictures, or on a page without one: the state to draw, in the colours for that.
    fileprivate mutating func begin(_ state: State, isBare: Bool) -> State {
        bareGround = isBare ? state.theme.background : nil
        guard isBare else { return state }
        var state = state
        state.theme = state.theme.onBareGround
        return state
    }

    /// Draws everything that moves with its page.
    mutating func drawPage(_ state: State, index: Int, layout: PageLayout, now: Duration) {
        let clip = state.clip(of: index)
        let item = state.content(of: index).item
        var shown = index == state.current ? state.shown(layout, now: now) : layout
        shown = behindSheet(shown, of: state)
        let hasText = state.typing == nil && !state.view.isClear
        // Before the marks of a clip that loads, which can stand on the caption of a low page.
        if hasText {
            let hasAvatar = state.showsAvatar(of: state.content(of: index), shown)
            clearGround(of: shown.textBlock, around: hasAvatar ? shown.avatarPicture : nil)
            clearGround(of: shown.railBlock)
        }
        if let words = state.words(of: item, clip, above: layout.text.row) {
            drawWords(state, words)
        } else if clip.isSoundOnly {
            drawSound(state, index: index, layout: layout, now: now)
        } else if index == state.current {
            drawLoading(state, layout: layout, now: now)
        }
        // While something is typed there is nothing else to do or to read.
        guard state.typing == nil else { return }
        if hasText {
            drawRail(state, index: index, layout: shown)
            drawCaption(state, index: index, layout: shown, now: now)
        }
        if index == state.current { drawSubtitle(state, layout: layout, now: now) }
    }

    /// Before text is written on a solid ground: draws that as one block, with a column on both sides, so that neither
    /// its edge is ragged nor letters of a picture read as a part of the text.
    ///
    /// - Parameter avatar: the cells of a picture that stays as it is.
    mutating func clearGround(of frame: GridRect, around avatar: GridRect? = nil) {
        guard let solidGround, bareGround == nil else { return }
        for row in frame.row..<(frame.row + frame.rows) {
            for column in (frame.column - 1)..<(frame.column + frame.columns + 1) {
                guard avatar?.contains(GridPoint(column: column, row: row)) != true else { continue }
                paint(column: column, row: row, color: solidGround, ground: solidGround)
            }
        }
    }

    mutating func drawTooSmall(_ state: State) {
        let by = options.isASCII ? "x" : "×"
        let text = GlyphLine("flick needs 40\(by)12, this is \(state.size.columns)\(by)\(state.size.rows)")
        let lines = text.wrapped(to: state.size.columns)
        let first = max((state.size.rows - lines.count) / 2, 0)
        for (place, range) in lines.enumerated() {
            let line = text.slice(range)
            write(line, column: (state.size.columns - line.columns) / 2, row: first + place, color: state.theme.text)
        }
    }

    mutating func drawEmptyFeed(_ state: State) {
        guard !state.feed.isReading else {
            let (line, color) = (GlyphLine("Opening the feed"), state.theme.bareDim)
            drawCentred(line, row: state.size.rows / 2, state: state, color: color)
            return
        }
        drawWords(state, state.emptyPlace)
    }

    /// A line in the middle of the page, on the page's background.
    mutating func drawCentred(_ line: GlyphLine, row: Int, state: State, color: RGB, style: CellStyle = []) {
        let line = line.truncated(to: state.size.columns - 4, ellipsis: ellipsis)
        put(
            line, column: (state.size.columns - line.columns) / 2, row: row, color: color,
            ground: state.theme.background, style: style)
    }

    /// Above the first page, while it is pulled down: what its release does.
    mutating func drawPull(_ state: State) {
        let rows = Int((state.pager.pull * Double(state.pager.rows)).rounded())
        // The top row has the title and the number of the page.
        guard rows >= 2 else { return }
        let isFar = state.pager.isPulledToRefresh
        let arrow = options.isASCII ? "" : isFar ? "↑ " : "↓ "
        drawCentred(
            GlyphLine(arrow + (isFar ? "Release to refresh" : "Pull to refresh")), row: rows / 2,
            state: state, color: isFar ? state.theme.bareText : state.theme.bareDim, style: isFar ? .bold : [])
    }

    mutating func drawKeyHint(_ state: State) {
        guard let hint = state.keyHint, let frame = state.keyHintFrame else { return }
        put(
            GlyphLine(" ") + hint + GlyphLine(" "), column: frame.column, row: 0, color: state.theme.panelText,
            ground: state.theme.panel, style: .bold)
    }

    mutating func drawTop(_ state: State, now: Duration) {
        let (theme, room) = (state.theme, state.topRoom)
        clearGround(of: GridRect(column: 0, row: 0, columns: grid.size.columns, rows: 1))
        if state.items.count > 0 {
            write(state.pageNumber, column: room.upperBound, row: 0, color: theme.dim)
            write(Symbols(options).menu, column: state.menuFrame.column, row: 0, color: theme.dim, style: .bold)
        }
        drawKeyHint(state)
        let row = state.topRow(now: now)
        if let (line, column) = row.title {
            write(line, column: column, row: 0, color: state.feed.part == nil ? theme.dim : theme.text)
        }
        for (place, at) in row.names {
            let isChosen = place == state.feed.places.chosen
            write(
                at.line, column: at.column, row: 0, color: isChosen ? theme.text : theme.dim,
                style: isChosen ? .bold : [])
        }
        for (line, column) in row.chips {
            put(line, column: column, row: 0, color: theme.panelText, ground: theme.panel, style: .bold)
        }
    }
}
