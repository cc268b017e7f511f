import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension OverlayDrawing {
    /// Draws creator, title and description at the bottom left.
    mutating func drawCaption(_ state: State, index: Int, layout: PageLayout, now: Duration) {
        let content = state.content(of: index)
        drawName(content, state: state, layout: layout, now: now)
        let lines = layout.captionLines
        for place in 0..<layout.caption.rows where place < lines.count {
            drawCaptionLine(
                content, lines[place], column: layout.caption.column, row: layout.caption.row + place,
                theme: state.theme)
        }
        if lines.count > layout.caption.rows, layout.caption.rows > 0 {
            let dots = options.isASCII ? "~ " : "… "
            let more = KeyedWord("more", key: state.keyLabel(of: .caption), room: 10)
            let row = layout.caption.row + layout.caption.rows - 1
            let last = content.caption.slice(lines[layout.caption.rows - 1])
            let room = layout.caption.columns - 2 - more.columns
            let column = layout.caption.column + min(last.truncated(to: room).columns, room)
            write(dots, column: column, row: row, color: state.theme.dim, style: .bold)
            write(more, column: column + 2, row: row, theme: state.theme)
        }
        if let row = layout.chipRow(content.tags) { drawChips(content.tags, row, theme: state.theme) }
        if let message = layout.message {
            write(PageLayout.messageWord(state), column: message.column, row: message.row, theme: state.theme)
        }
        if let sound = layout.sound { drawSound(content, in: sound, state: state, index: index, now: now) }
    }

    private mutating func drawChips(_ tags: [GlyphLine], _ row: ChipRow, theme: Theme) {
        for (index, frame) in row.chips {
            write(tags[index], column: frame.column, row: frame.row, limit: frame.columns, color: theme.accent)
        }
        for (mark, text) in [(row.before, options.isASCII ? "<" : "‹"), (row.behind, options.isASCII ? ">" : "›")] {
            guard let mark else { continue }
            write(text, column: mark.column, row: mark.row, color: theme.dim, style: .bold)
        }
    }

    private mutating func drawName(_ content: PageContent, state: State, layout: PageLayout, now: Duration) {
        let (theme, frame) = (state.theme, layout.name)
        if let avatar = layout.avatar, !state.showsAvatar(of: content, layout) {
            let ground = Self.avatarGround(content)
            fill(GridRect(column: avatar.column, row: avatar.row, columns: 3, rows: 1), with: ground)
            let left = content.initial.columns == 1 ? 1 : 0
            put(
                content.initial, column: avatar.column + left, row: avatar.row, color: .white, ground: ground,
                style: .bold)
        }
        write(
            content.name, column: frame.column, row: frame.row, limit: frame.columns, color: theme.text, style: .bold)
        if let follow = layout.follow {
            let follows = state.reactions.follows(content.item)
            write(
                PageLayout.followLabel(follows), column: follow.column, row: follow.row,
                color: follows ? theme.dim : theme.accent, style: follows ? [] : .bold)
        }
        guard let frame = layout.age, let age = state.age(of: content.item, now: now) else { return }
        var label = GlyphLine()
        if !layout.isAgeFirst {
            label.append(Symbols(options).dot, width: 1)
            label.append(.space, width: 1)
        }
        label.append(GlyphLine(RelativeTime(age: age).label))
        write(label, column: frame.column, row: frame.row, limit: frame.columns, color: theme.dim)
    }

    private mutating func drawCaptionLine(
        _ content: PageContent, _ range: Range<Int>, column: Int, row: Int, theme: Theme
    ) {
        let split = min(max(content.titleCount, range.lowerBound), range.upperBound)
        let title = content.caption.slice(range.lowerBound..<split)
        var column = column + write(title, column: column, row: row, color: theme.text, style: .bold)
        var place = split
        for topic in content.namedTopics where topic.overlaps(split..<range.upperBound) {
            let (first, end) = (max(topic.lowerBound, place), min(topic.upperBound, range.upperBound))
            column += write(content.caption.slice(place..<first), column: column, row: row, color: theme.text)
            column += write(content.caption.slice(first..<end), column: column, row: row, color: theme.accent)
            place = end
        }
        write(content.caption.slice(place..<range.upperBound), column: column, row: row, color: theme.text)
    }

    private mutating func drawSound(
        _ content: PageContent, in frame: GridRect, state: State, index: Int, now: Duration
    ) {
        var note = GlyphLine()
        note.append(Symbols(options).note, width: 1)
        write(note, column: frame.column, row: frame.row, color: state.theme.text, style: .bold)
        let room = frame.columns - 2
        let offset = index == state.current ? state.marqueeOffset(in: room, now: now) : 0
        let line = offset == 0 ? content.sound : Marquee.window(of: content.sound, from: offset, columns: room)
        write(line, column: frame.column + 2, row: frame.row, limit: room, color: state.theme.dim)
    }

    /// A muted colour derived from the creator's name.
    private static func avatarGround(_ content: PageContent) -> RGB {
        let tones: [UInt32] = [0x7A4E8C, 0x3F6E8F, 0x3E7D62, 0x8C5A3C, 0x8A4660, 0x5A5FA0, 0x6E7340]
        let sum = content.name.glyphs.reduce(UInt32(7)) { $0 &* 31 &+ $1.code }
        return RGB(packed: tones[Int(sum % UInt32(tones.count))])
    }
}

/// Scrolls a line that is too long for its place.
enum Marquee {
    static let pause = Duration.seconds(2)
    static let step = Duration.milliseconds(160)
    /// Blank columns between the end of the line and its next beginning.
    static let gap = 4

    /// The part of an endlessly repeated line that begins at glyph `offset` and fills `columns`.
    static func window(of line: GlyphLine, from offset: Int, columns: Int) -> GlyphLine {
        var part = GlyphLine()
        var index = offset
        while part.columns < columns {
            let place = index % (line.count + gap)
            let width = place < line.count ? Int(line.widths[place]) : 1
            guard part.columns + width <= columns else { break }
            part.append(place < line.count ? line.glyphs[place] : .space, width: width)
            index += 1
        }
        return part
    }
}

extension State {
    /// How long ago the item was published.
    func age(of item: Item, now: Duration) -> Duration? {
        item.published.flatMap { age(of: $0, now: now) }
    }

    /// How long ago a date was.
    func age(of published: Date, now: Duration) -> Duration? {
        // A feed can contain any date, also one too far away for a `Duration`.
        let seconds = wallClock.timeIntervalSince(published)
        guard seconds.isFinite else { return nil }
        return .seconds(min(max(seconds, -1e11), 1e11)) + now
    }

    /// Whether the creator's avatar is there and has its place on the page.
    func showsAvatar(of content: PageContent, _ layout: PageLayout) -> Bool {
        layout.avatarPicture != nil && content.avatar.map(feed.avatars.contains) == true
    }

    /// The creator's avatar on a page whose top is in row `top`; nil if it is not shown.
    func avatarTile(of index: Int, _ layout: PageLayout, top: Int) -> Scene.Tile? {
        let content = content(of: index)
        guard typing == nil, !view.isClear, showsAvatar(of: content, layout), var frame = layout.avatarPicture,
            let address = content.avatar
        else { return nil }
        frame.row += top
        let isBehindSheet = view.sheet != nil && !SheetLayout(self).isAside
        return Scene.Tile(
            .avatar(address), frame: frame, rows: 1..<max(size.rows - 1, 1),
            shade: isBehindSheet ? OverlayDrawing.sheetShade : 0)
    }

    /// Whether the sound's title scrolls: it is too long for its place, and the clip plays.
    func marqueeRuns(in room: Int) -> Bool {
        guard let content, !options.reducedMotion, !isPaused, !pager.isMoving else { return false }
        return content.sound.columns > room
    }

    func marqueeOffset(in room: Int, now: Duration) -> Int {
        guard let content, marqueeRuns(in: room) else { return 0 }
        let since = now - loading.pageShownAt - Marquee.pause
        guard since > .zero else { return 0 }
        return Int(since / Marquee.step) % (content.sound.count + Marquee.gap)
    }
}
