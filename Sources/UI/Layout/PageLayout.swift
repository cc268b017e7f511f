import Model

/// Where everything on a page goes. Drawing and finding the target of a click
/// both use it, so that they never disagree. A value.
///
/// A picture that leaves columns free at its sides has the rail beside it, and the caption too where there are at least
/// `narrowestCaption` columns; else they lie over its lower part.
///
/// Elements that do not fit are dropped in this order. With fewer rows: "Comment"; the empty row above the scrubber;
/// the gaps in the rail; the buttons' counts; the arc of the trust score (a bar takes its place); that bar. Down to
/// 40×12 nothing else is dropped, but for the age where it needs a row. A page can be lower still if the terminal
/// shrinks while pages move; it then loses the trust score, the age, topics, sound, caption lines, and buttons from the
/// last on. With fewer columns: the age moves to a row below the name; the feed's title and the badges in the top row
/// are dropped from the last on; names, captions, topics and sounds end in an ellipsis. No two rectangles overlap.
///
/// What means nothing for an item is not shown at all: see `RailPlan`.
public struct PageLayout: Sendable {
    public enum Button: Sendable, Equatable, CaseIterable {
        case like, dislike, comments, save, share, trust, follow, caption, message
    }

    static let widestCaption = 72
    /// The columns of a caption beside the picture.
    static let narrowestCaption = 20
    /// A caption beside the picture that needs no more columns stands close to it.
    static let usualCaptionBeside = 44
    /// An avatar that stands beside two lines: about a square. A column is free at its right.
    static let avatarSize = GridSize(columns: 4, rows: 2)
    /// The columns of a text over the picture that has room for an avatar beside its caption.
    static let narrowestBesideAvatar = 32
    /// The columns between a text and the rail: with a single one, they read as one line.
    private static let railGap = 2
    /// The widest line of a title in the middle of the page, and the most lines of it.
    private static let (middleTitleColumns, middleTitleLines) = (48, 2)
    /// Caption lines that are shown at once on a page of that height: over the picture, and where they hide nothing of
    /// it.
    static func captionRows(of rows: Int) -> (over: Int, free: Int) { (max(rows / 12, 2), max(rows / 5, 5)) }

    /// The cells that the picture covers; the whole page if that is unknown.
    public private(set) var picture: GridRect
    /// Whether the rail stands beside the picture.
    public private(set) var isRailBeside: Bool
    /// Whether the text stands beside the picture.
    public private(set) var isTextBeside: Bool

    /// The page's elements lie in rows 1 ..< `floor`; only the scrubber is below.
    public private(set) var floor: Int
    /// From the first button to the floor; no rows if nothing is shown there (see `RailPlan`).
    public private(set) var rail: GridRect
    public private(set) var buttons: [(button: Button, frame: GridRect)] = []
    public private(set) var trust: GridRect?
    /// How the trust score is shown in `trust`.
    private(set) var gauge: TrustGauge?
    /// The creator's initial, or room for an avatar; nil without a creator.
    public private(set) var avatar: GridRect?
    /// The avatar's cells; nil where only the initial is shown. What is beside
    /// it does not depend on whether it is there yet.
    public private(set) var avatarPicture: GridRect?
    public private(set) var name: GridRect
    public private(set) var follow: GridRect?
    /// How long ago the item was published: behind the name and the follow button, with a dot before it, or below both;
    /// nil without a date.
    public private(set) var age: GridRect?
    private(set) var isAgeBelow = false
    /// Whether nothing stands before the age in its row.
    var isAgeFirst: Bool { age?.column == name.column && name.columns == 0 || isAgeBelow }
    /// The lines of a title that stands in the middle, where there is no picture: the caption leaves it out. Empty on
    /// other pages, and if the middle has no room for all of a title that the caption can show.
    let titleLines: [GlyphLine]
    /// Empty if there is no caption.
    public private(set) var caption: GridRect
    /// Ranges of the caption's glyphs, line by line; the first ones are shown if `caption` has fewer rows.
    public private(set) var captionLines: [Range<Int>]
    /// The most lines of a caption that is expanded on the page.
    let captionRoom: Int
    /// Whether the caption is expanded: a longer one is not.
    let isExpanded: Bool
    public private(set) var chips: GridRect?
    /// The first topic that is not scrolled away.
    let firstChip: Int
    public private(set) var sound: GridRect?
    /// "Send message", where comments can be written.
    public private(set) var message: GridRect?
    /// From the first of these elements to the floor.
    public private(set) var text: GridRect
    /// The bottom row of the terminal, and the bar in it.
    public private(set) var scrubber: GridRect
    public private(set) var bar: GridRect
    /// The columns of the times on both sides of the bar.
    var clockColumns: Int
    public private(set) var top: GridRect

    public init(_ state: State, index: Int) {
        let columns = max(state.size.columns, 1)
        let rows = max(state.pager.rows, 3)
        let content = state.content(of: index)
        let (margin, gap) = (Self.margin(in: columns), rows >= 20 ? 1 : 0)
        floor = rows - 1 - gap
        top = GridRect(column: 0, row: 0, columns: columns, rows: 1)
        scrubber = GridRect(column: 0, row: max(state.size.rows - 1, 0), columns: columns, rows: 1)

        firstChip = index == state.current ? state.view.firstChip : 0
        bar = Self.bar(of: state.clip(of: index), on: state.size)
        clockColumns = bar.column - margin - 1

        picture = Self.picture(of: state.clip(of: index), page: GridSize(columns: columns, rows: rows), state.options)
        let free = columns - (picture.column + picture.columns)
        let textRoom = picture.column - margin - 2
        isTextBeside = textRoom >= Self.narrowestCaption

        let room = floor - 1
        // Below a wide picture the rail keeps clear of it if it can.
        let below = floor - (picture.row + picture.rows)
        let plan = RailPlan(content, state, clip: state.clip(of: index), room: room, below: below)
        isRailBeside = free >= plan.columns + 2
        let railColumn =
            isRailBeside
            ? columns - free + min(2, (free - plan.columns) / 2) : max(columns - margin - plan.columns, 0)
        let railRow = floor - plan.rows
        rail = GridRect(column: railColumn, row: railRow, columns: plan.columns, rows: plan.rows)
        for place in plan.places {
            let frame = GridRect(
                column: railColumn, row: railRow + place.row, columns: plan.columns, rows: place.rows)
            buttons.append((place.button, frame))
        }
        if let gauge = plan.gauge {
            self.gauge = gauge
            trust = GridRect(
                column: railColumn, row: railRow + plan.gaugeRow, columns: plan.columns, rows: gauge.rows)
        }

        titleLines = Self.titleLines(content, beside: rail, on: state, index: index)
        // Of the caption, without a title that stands in the middle.
        let hasTitle = !titleLines.isEmpty
        let shown = hasTitle ? content.captionBelowTitle : 0..<content.caption.count
        let words = hasTitle ? content.caption.slice(shown) : content.caption

        let usual = Self.captionRows(of: rows)
        var width =
            isTextBeside
            ? min(textRoom, Self.usualCaptionBeside)
            : max(min(rail.column - Self.railGap - margin, Self.widestCaption), 1)
        // A long caption is wider before it is cut. Its first lines show that it is long: it is laid out once.
        if isTextBeside, textRoom > width,
            words.wrapped(to: width, most: usual.free + 1).count > usual.free
        {
            width = min(textRoom, Self.widestCaption)
        }
        // The follow button stands beside the name, or below it if the text is narrow.
        let hasFollowRow = isTextBeside && content.canFollow
        var left = room - (hasFollowRow ? 2 : 1)
        // Two lines are beside the avatar: the name, and the button or the caption's first line.
        let hasAvatar = content.avatar != nil && state.options.showsAvatars
        let isCaptionBeside =
            hasAvatar && !hasFollowRow && width >= Self.narrowestBesideAvatar && words.count > 0 && left >= 1
        let isAvatarLarge = isCaptionBeside || hasAvatar && hasFollowRow
        let indent = isAvatarLarge ? Self.avatarSize.columns + 1 : 0
        let captionIndent = isCaptionBeside ? indent : 0
        let wrapped = words.wrapped(to: width - captionIndent).map {
            $0.lowerBound + shown.lowerBound..<$0.upperBound + shown.lowerBound
        }
        captionLines = wrapped
        let few = isTextBeside || below >= 10 ? usual.free : usual.over
        // A page without a clip says in its middle what it is about.
        let isFailed = state.clip(of: index).failure != nil
        // An expanded caption leaves the middle to the title.
        captionRoom = min(max(room / 2 - titleLines.count, few + 1), max(left, 0))
        isExpanded = state.view.isExpanded && index == state.current && wrapped.count <= captionRoom
        let captionRows = isFailed ? 0 : min(wrapped.count, isExpanded ? captionRoom : few, max(left, 0))
        left -= captionRows
        let soundRows = content.sound.isEmpty || isFailed || left < 1 ? 0 : 1
        left -= soundRows
        let chipRows = content.tags.isEmpty || isFailed || left < 1 ? 0 : 1
        left -= chipRows
        let hasMessage = state.feed.acceptsComments(on: content.item) && !isFailed && rows >= 20 && left >= 1
        let messageRows = hasMessage ? 1 : 0
        let label = Self.followLabel(state.reactions.follows(content.item)).count
        let nameIndent = isAvatarLarge ? indent : content.hasCreator ? 4 : 0
        let nameRoom = width - nameIndent - (content.canFollow && !hasFollowRow ? label + 2 : 0)
        // Text beside the picture stands close to it.
        let column = isTextBeside ? picture.column - 2 - width : margin
        let hasFollowBeside = content.canFollow && !hasFollowRow && nameRoom >= 4
        // Without a creator and a folder the name is the title, which the middle shows.
        let isNameInMiddle = isFailed ? !content.hasCreator : hasTitle && content.isNamedByTitle
        let nameColumns = isNameInMiddle ? 0 : min(content.name.columns, max(nameRoom, 1))
        if content.item.published != nil {
            let button = Self.followColumns + (hasFollowRow ? 0 : 2)
            let taken =
                hasFollowRow ? indent + button : nameIndent + nameColumns + (hasFollowBeside ? button : 0)
            isAgeBelow = taken + Self.ageGap + Self.ageColumns > width
        }
        // A low page keeps its rows for the picture.
        let ageRows = isAgeBelow && rows >= 16 && left - messageRows >= 1 ? 1 : 0
        var row = floor - messageRows
        if hasMessage {
            let word = Self.messageWord(state)
            message = GridRect(column: column, row: row, columns: min(word.columns, width), rows: 1)
        }
        row -= soundRows
        if soundRows > 0 { sound = GridRect(column: column, row: row, columns: width, rows: 1) }
        row -= chipRows
        if chipRows > 0 { chips = GridRect(column: column, row: row, columns: width, rows: 1) }
        row -= captionRows
        caption = GridRect(
            column: column + captionIndent, row: row, columns: width - captionIndent, rows: captionRows)
        row -= ageRows
        if ageRows > 0 {
            age = GridRect(
                column: column + indent, row: row, columns: min(RelativeTime.widest, width - indent), rows: 1)
        }
        row -= hasFollowRow ? 2 : 1
        if content.hasCreator {
            let (columns, rows) = isAvatarLarge ? (Self.avatarSize.columns, Self.avatarSize.rows) : (3, 1)
            avatar = GridRect(column: column, row: row, columns: columns, rows: rows)
        }
        if isAvatarLarge {
            avatarPicture = avatar
        } else if hasAvatar, state.options.pictureMode.hasPixels {
            avatarPicture = GridRect(column: column, row: row, columns: 2, rows: 1)
        }
        name = GridRect(
            column: column + nameIndent, row: row, columns: nameColumns, rows: 1)
        if hasFollowRow {
            follow = GridRect(column: column + indent, row: row + 1, columns: label, rows: 1)
        } else if hasFollowBeside {
            follow = GridRect(column: name.column + name.columns + 2, row: row, columns: label, rows: 1)
        }
        if content.item.published != nil, !isAgeBelow {
            let before = follow ?? name
            let end = before.columns == 0 ? before.column : before.column + before.columns + Self.ageGap
            age = GridRect(column: end, row: before.row, columns: Self.ageColumns, rows: 1)
        }
        text = GridRect(column: column, row: row, columns: width, rows: floor - row)
    }

    /// The columns beside the rail that a title in the middle may take.
    static func middle(beside rail: GridRect) -> Range<Int> { 2..<max(rail.column - 2, 3) }

    private static func titleLines(
        _ content: PageContent, beside rail: GridRect, on state: State, index: Int
    ) -> [GlyphLine] {
        let clip = state.clip(of: index)
        guard clip.isSoundOnly, !clip.hasStill, clip.failure == nil, !state.covers(content.item) else { return [] }
        let columns = min(middle(beside: rail).count, middleTitleColumns)
        let isWhole = content.title.wrapped(to: columns, most: middleTitleLines + 1).count <= middleTitleLines
        guard isWhole || content.isNamedByTitle else { return [] }
        return content.title.lines(
            of: columns, limit: middleTitleLines, ellipsis: Glyph(state.options.isASCII ? "~" : "…"))
    }

    /// The free columns on both sides of a page.
    static func margin(in columns: Int) -> Int { columns >= 60 ? 2 : 1 }

    /// The scrubber's bar, between the times.
    static func bar(of clip: Clip, on size: GridSize) -> GridRect {
        let before = margin(in: size.columns) + Label.clock(clip.duration ?? .zero).count + 1
        return GridRect(
            column: before, row: max(size.rows - 1, 0), columns: max(size.columns - 2 * before, 1), rows: 1)
    }

    /// The cells that a clip's picture covers, in the middle of its page.
    private static func picture(of clip: Clip, page: GridSize, _ options: Options) -> GridRect {
        let whole = GridRect(column: 0, row: 0, columns: page.columns, rows: page.rows)
        guard let size = clip.picture, clip.failure == nil else { return whole }
        let (cell, most) = (options.pictures.samplesPerCell, options.pictures.pictureSize(for: page))
        func cells(_ length: Int, of most: Int, samples: Int) -> Range<Int> {
            let first = max((most - length) >> 1, 0)
            return first / samples..<(min(first + length, most) + samples - 1) / samples
        }
        let columns = cells(size.width, of: most.width, samples: cell.width)
        let rows = cells(size.height, of: most.height, samples: cell.height)
        return GridRect(column: columns.lowerBound, row: rows.lowerBound, columns: columns.count, rows: rows.count)
    }

    static func messageWord(_ state: State) -> KeyedWord {
        KeyedWord("Comment", key: state.keyLabel(of: .message), room: 24)
    }

    /// The columns of the wider of both.
    private static let followColumns = max(followLabel(true).count, followLabel(false).count)
    /// The columns before an age that stands in the row of something else; and its own, with the dot.
    private static let (ageGap, ageColumns) = (2, 2 + RelativeTime.widest)

    static func followLabel(_ follows: Bool) -> String { follows ? "Following" : "+ Follow" }

    /// Where the pointer scrubs: the bar, and the row above it if that is empty.
    public var scrubberHit: GridRect {
        let spare = scrubber.row - floor
        return GridRect(column: bar.column - 1, row: scrubber.row - spare, columns: bar.columns + 2, rows: 1 + spare)
    }

    /// How far along the bar a point is, 0 … 1.
    public func share(at point: GridPoint) -> Double {
        min(max(Double(point.column - bar.column) / Double(max(bar.columns - 1, 1)), 0), 1)
    }

    /// The button at a point. The hit area is one cell larger on each side than the button, except where something else
    /// is drawn; the nearest button wins.
    ///
    /// - Parameter drawn: what is drawn on the page besides `frames`.
    public func button(at point: GridPoint, besides drawn: [GridRect] = []) -> Button? {
        var targets = buttons
        if let trust { targets.append((.trust, trust)) }
        if let follow { targets.append((.follow, follow)) }
        if let message { targets.append((.message, message)) }
        if let exact = targets.first(where: { $0.frame.contains(point) }) { return exact.button }
        if caption.contains(point) { return .caption }
        guard !frames.contains(where: { $0.contains(point) }), !drawn.contains(where: { $0.contains(point) }) else {
            return nil
        }
        return targets.filter { $0.frame.grown(by: 1).contains(point) }
            .min { $0.frame.distance(to: point) < $1.frame.distance(to: point) }?.button
    }

    /// The rectangles of all elements. No two overlap.
    public var frames: [GridRect] {
        [top, scrubber, name, caption].filter { $0.rows > 0 } + buttons.map(\.frame)
            + [trust, avatar, follow, age, chips, sound, message].compactMap { $0 }
    }

    /// The rows of the text that show something, and those of the rail, as wide as all of it: the ground of both where
    /// that is solid. With a free row below they reach to the bar: a single row of picture would look like a mistake.
    var textBlock: GridRect {
        let parts = [name, caption] + [avatar, follow, age, chips, sound, message].compactMap { $0 }
        return text.part(with: parts, above: bar.row)
    }
    var railBlock: GridRect { rail.part(with: buttons.map(\.frame) + [trust].compactMap { $0 }, above: bar.row) }

    /// The layout without what the label of a seek, or a sheet, in these cells would touch.
    func clear(of label: GridRect) -> PageLayout {
        let space = label.grown(by: 1)
        func free(_ frame: GridRect?) -> GridRect? { frame.flatMap { space.overlaps($0) ? nil : $0 } }
        var layout = self
        layout.buttons.removeAll { space.overlaps($0.frame) }
        if space.overlaps(caption) { layout.caption.rows = max(space.row - caption.row, 0) }
        layout.name = free(name) ?? GridRect(column: name.column, row: name.row, columns: 0, rows: 0)
        (layout.trust, layout.avatar, layout.avatarPicture) = (free(trust), free(avatar), free(avatarPicture))
        (layout.follow, layout.age, layout.chips) = (free(follow), free(age), free(chips))
        (layout.sound, layout.message) = (free(sound), free(message))
        return layout
    }

    /// The layout behind a sheet in these cells: without the rail if the sheet would touch any of it, and without the
    /// text if it would touch any of that. What is left of either is whole.
    func behind(_ sheet: GridRect) -> PageLayout {
        var layout = clear(of: sheet)
        if layout.railFrames != railFrames { (layout.buttons, layout.trust) = ([], nil) }
        return layout.textFrames == textFrames ? layout : layout.withoutText
    }

    /// The layout without the caption and what stands above and below it.
    var withoutText: PageLayout {
        var layout = self
        (layout.name.columns, layout.caption.rows, layout.text.rows) = (0, 0, 0)
        (layout.avatar, layout.avatarPicture, layout.follow, layout.age) = (nil, nil, nil, nil)
        (layout.chips, layout.sound, layout.message) = (nil, nil, nil)
        return layout
    }

    private var railFrames: [GridRect?] { buttons.map { Optional($0.frame) } + [trust] }
    private var textFrames: [GridRect?] { [name, caption, avatar, follow, age, chips, sound, message] }
}

extension GridRect {
    /// The rows from the first of these rectangles to the last, and to the row before `floor` if that is the next one;
    /// none without any.
    fileprivate func part(with frames: [GridRect], above floor: Int) -> GridRect {
        let shown = frames.filter { $0.cells > 0 }
        let first = shown.map(\.row).min() ?? row
        var end = shown.map { $0.row + $0.rows }.max() ?? first
        if end > first, end == floor - 1 { end = floor }
        return GridRect(column: column, row: first, columns: columns, rows: end - first)
    }

    func overlaps(_ other: GridRect) -> Bool {
        row < other.row + other.rows && other.row < row + rows && column < other.column + other.columns
            && other.column < column + columns
    }
}

extension GlyphLine {
    /// Breaks the line into at most `limit` lines of `columns` columns, and cuts the rest.
    func lines(of columns: Int, limit: Int, ellipsis: Glyph) -> [GlyphLine] {
        let ranges = balanced(to: columns)
        guard ranges.count > limit else { return ranges.map(slice) }
        let rest = slice(ranges[limit - 1].lowerBound..<glyphs.count).truncated(to: columns, ellipsis: ellipsis)
        return ranges.prefix(limit - 1).map(slice) + [rest]
    }
}
