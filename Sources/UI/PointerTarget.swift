import Model

/// Something that acts on a click by itself. Clicks act on it, and the page lights it up while the pointer is there:
/// both find it with `State.target`, so that what acts is what is drawn. A value.
enum PointerTarget: Sendable, Equatable {
    // On a page.
    case keyHint
    /// The button at the end of the top row.
    case menu
    /// The name of a place in the top row.
    case place(Place)
    case button(PageLayout.Button)
    /// The creator's name or avatar.
    case creator
    /// One of the item's topics, by its index.
    case topic(Int)
    /// The mark for topics that are not in view: how many of them it scrolls by.
    case moreTopics(Int)
    /// The key that shows a hidden clip.
    case reveal
    case scrubber(column: Int)

    // In a sheet or a text field.
    case entry(Int), link(Int)
    case footer, send

    // In a grid.
    case tile(Int)
    case play, back
}

extension State {
    /// What a click at a point acts on; nil where it acts on the page as a whole.
    func target(at point: GridPoint, now: Duration) -> PointerTarget? {
        guard !isTooSmall else { return nil }
        if typing != nil, BarLayout(self).send.contains(point) { return .send }
        if typing != nil, BarLayout(self).frame.contains(point) { return nil }
        if view.sheet != nil { return targetInSheet(at: point, now: now) }
        guard typing == nil else { return nil }
        if toast(now: now)?.frame.contains(point) == true { return nil }
        if keyHintFrame?.contains(point) == true { return .keyHint }
        guard items.count > 0 else {
            return placeFrames(now: now).first { $0.frame.contains(point) }.map { .place($0.place) }
        }
        return feed.grid == nil ? targetOnPage(at: point, now: now) : targetInGrid(at: point)
    }

    /// What is under a pointer that has just moved.
    func hovered(now: Duration) -> PointerTarget? { pointer.hover.flatMap { target(at: $0.at, now: now) } }

    /// False for a movement of the mouse where nothing lights up: nothing depends on it.
    public func heeds(_ event: Event, now: Duration) -> Bool {
        guard case .mouse(let mouse) = event, mouse.action == .move else { return true }
        return pointer.hover != nil || target(at: mouse.at, now: now) != nil
    }

    /// Whether something else lights up when the pointer is at a point.
    public func changesLight(at point: GridPoint, now: Duration) -> Bool {
        target(at: point, now: now) != hovered(now: now)
    }

    /// The pointer is there, with no button down.
    mutating func hover(at point: GridPoint, now: Duration) {
        let isLit = target(at: point, now: now) != nil
        pointer.hover(at: isLit ? point : nil, now: now)
    }

    /// How far along the scrubber's bar the pointer is, 0 … 1; nil if it is elsewhere.
    func hoveredShare(_ layout: PageLayout) -> Double? {
        guard let point = pointer.hover?.at, view.sheet == nil, typing == nil, hasScrubber,
            layout.scrubberHit.contains(point)
        else { return nil }
        return layout.share(at: point)
    }

    /// Whether the scrubber is drawn. An image has no time to show.
    var hasScrubber: Bool {
        clip.failure == nil && clip.facts?.isStill != true && (!view.isClear || seeking.isShown)
    }

    /// What a page shows of its layout: not what the label of a seek, or the still above it, touches.
    func shown(_ layout: PageLayout, now: Duration) -> PageLayout {
        let label = SeekLabel(self, layout, now: now)
        var shown = layout
        if let label, label.isAbove { shown = shown.clear(of: label.frame) }
        if let still = seekStillFrame(label) { shown = shown.clear(of: still) }
        return shown
    }

    private func targetOnPage(at point: GridPoint, now: Duration) -> PointerTarget? {
        let layout = PageLayout(self, index: current)
        if hasScrubber, layout.scrubberHit.contains(point) { return .scrubber(column: point.column) }
        let page = onPage(point)
        if let page, revealFrame?.contains(page) == true { return .reveal }
        guard !view.isClear else { return nil }
        if menuFrame.contains(point) { return .menu }
        if let place = placeFrames(now: now).first(where: { $0.frame.contains(point) })?.place { return .place(place) }
        let (shown, drawn) = (shown(layout, now: now), drawnWords(layout, now: now))
        if let page, let target = target(at: page, shown, besides: drawn) { return target }
        // The menu's margin, beside it in the top row and below.
        guard menuFrame.grown(by: 1).contains(point), !drawn.contains(where: { $0.contains(point) }) else { return nil }
        return .menu
    }

    /// - Parameter point: on the page.
    private func target(at point: GridPoint, _ layout: PageLayout, besides drawn: [GridRect]) -> PointerTarget? {
        if let content, let row = layout.chipRow(content.tags), layout.chips?.contains(point) == true {
            if let chip = row.chips.first(where: { $0.frame.contains(point) }) { return .topic(chip.index) }
            if let step = row.step(at: point) { return .moreTopics(step) }
        }
        if let button = layout.button(at: point, besides: drawn) {
            return button == .caption && !layout.canExpand(content) ? nil : .button(button)
        }
        guard layout.name.contains(point) || layout.avatar?.contains(point) == true,
            content.flatMap({ FeedPart.maker(of: $0.item) }) != nil
        else { return nil }
        return .creator
    }

    /// A point of the terminal as one of the current page, which may be moving; nil where something else is.
    private func onPage(_ point: GridPoint) -> GridPoint? {
        guard point.row >= 1, point.row < size.rows - 1 else { return nil }
        let top = (Double(current) - pager.position) * Double(pager.rows)
        return GridPoint(column: point.column, row: point.row - Int(top.rounded()))
    }

    /// Temporary words on the page that are not part of its layout.
    private func drawnWords(_ layout: PageLayout, now: Duration) -> [GridRect] {
        guard let item = content?.item else { return [] }
        let loading = LoadingPlace(self, layout, now: now)
        return (words(of: item, clip, above: layout.text.row)?.frames ?? [])
            + [loading?.dots, loading?.words?.frame, setSubtitle(layout, now: now)?.frame].compactMap(\.self)
    }

    private func targetInSheet(at point: GridPoint, now: Duration) -> PointerTarget? {
        let layout = SheetLayout(self, now: now)
        guard layout.frame.contains(point) else { return nil }
        if layout.footerFrame?.contains(point) == true { return .footer }
        if let link = layout.link(at: point) { return .link(link) }
        return view.sheet == .caption ? nil : layout.entry(at: point).map { .entry($0) }
    }

    private func targetInGrid(at point: GridPoint) -> PointerTarget? {
        if point.row == 0 { return .back }
        if gridMore?.frame.contains(point) == true { return nil }
        let hints = gridHints
        if point.row == size.rows - 1 { return point.column < hints.back.column ? .play : .back }
        return StillGridLayout(self).index(at: point).map { .tile($0) }
    }

    // MARK: What lights up

    /// The cells of a target on the terminal, while the page does not move. The scrubber has none: it grows instead.
    func cells(of target: PointerTarget, now: Duration) -> [GridRect] {
        let sheet = view.sheet == nil ? nil : SheetLayout(self, now: now)
        switch target {
        case .keyHint: return [keyHintFrame].compactMap(\.self)
        case .menu: return [menuFrame]
        case .place(let place): return placeFrames(now: now).filter { $0.place == place }.map(\.frame)
        case .reveal: return [revealFrame].compactMap(\.self)
        case .scrubber: return []
        case .button, .creator, .topic, .moreTopics:
            return shown(PageLayout(self, index: current), now: now).cells(of: target, content)
        case .entry(let entry): return sheet?.frames(ofEntry: entry) ?? []
        case .link(let link): return sheet?.frames(ofLink: link) ?? []
        case .footer: return [sheet?.footerFrame].compactMap(\.self)
        case .send: return [BarLayout(self).send]
        case .tile(let index): return [StillGridLayout(self).title(of: index)]
        case .play: return [gridHints.play]
        case .back: return [gridHints.back, gridTitle]
        }
    }
}

extension PointerTarget {
    /// Whether its letters stand on the page's picture, not on a panel.
    fileprivate var isOverPicture: Bool {
        switch self {
        case .menu, .place, .button, .creator, .topic, .moreTopics, .scrubber: true
        case .keyHint, .reveal, .entry, .link, .footer, .send, .tile, .play, .back: false
        }
    }
}

extension PageLayout {
    /// Whether there is more of the caption than the page shows, or it can be made short again.
    fileprivate func canExpand(_ content: PageContent?) -> Bool {
        isExpanded || captionLines.count > caption.rows || content?.needsSheet == true
    }

    /// The cells of a target on the page.
    fileprivate func cells(of target: PointerTarget, _ content: PageContent?) -> [GridRect] {
        switch target {
        case .button(.caption): return [caption]
        case .button(.trust):
            guard var words = trust else { return [] }
            if let gauge, gauge.isShape {
                (words.row, words.rows) = (words.row + TrustGauge.arc.rows, gauge.lines.count)
            }
            return [words]
        case .button(.follow): return [follow].compactMap(\.self)
        case .button(.message): return [message].compactMap(\.self)
        case .button(let button): return buttons.filter { $0.button == button }.map(\.frame)
        case .creator: return [name]
        case .topic(let index):
            return (content.flatMap { chipRow($0.tags) }?.chips ?? []).filter { $0.index == index }.map(\.frame)
        case .moreTopics(let step):
            let row = content.flatMap { chipRow($0.tags) }
            return [step < 0 ? row?.before : row?.behind].compactMap(\.self)
        default: return []
        }
    }
}

extension SheetLayout {
    /// The rows of an entry that are in view, with the column beside them that the chosen one has too.
    fileprivate func frames(ofEntry entry: Int) -> [GridRect] {
        (0..<body.rows).filter { row(at: $0)?.entry == entry }.map {
            GridRect(column: body.column - 1, row: body.row + $0, columns: body.columns + 2, rows: 1)
        }
    }

    fileprivate func frames(ofLink link: Int) -> [GridRect] {
        (0..<body.rows).flatMap { place in
            (row(at: place)?.spans ?? []).filter { $0.link == link }.map {
                GridRect(
                    column: body.column + $0.column, row: body.row + place,
                    columns: min($0.line.columns, body.columns - $0.column), rows: 1)
            }
        }
    }
}

extension OverlayDrawing {
    /// Highlights what is under the pointer: with a background, or underlined where that would look like a selection.
    mutating func drawLight(_ state: State, now: Duration) {
        guard !state.pager.isMoving, let target = state.hovered(now: now) else { return }
        let hasColors = options.color == .truecolor || options.color == .palette256
        let theme = state.theme
        // On a panel the selection is what is chosen.
        let ground = target.isOverPicture ? theme.lit : theme.panel.mixed(with: theme.selection, by: 0.5)
        for frame in state.cells(of: target, now: now) {
            for row in frame.row..<(frame.row + frame.rows) {
                for column in frame.column..<(frame.column + frame.columns) where isInside(column, row) {
                    guard grid[column, row].background != theme.selection else { continue }
                    // A line under the blanks of a solid ground would look like a field for text.
                    if !hasColors, target.isOverPicture, grid[column, row].glyph == .space { continue }
                    light(column, row, hasColors ? ground : nil)
                }
            }
        }
    }

    /// - Parameter ground: nil underlines instead.
    private mutating func light(_ column: Int, _ row: Int, _ ground: RGB?) {
        let isBlank = grid[column, row].glyph == .none
        if let ground {
            if isBlank { grid[column, row].glyph = .space }
            grid[column, row].background = ground
            grid[column, row].style.subtract([.readable, .shape])
            grid[column, row].style.insert(.opaque)
        } else if !isBlank {
            grid[column, row].style.insert(.underline)
        }
    }
}
