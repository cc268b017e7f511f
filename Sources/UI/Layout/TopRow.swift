import Model

/// The feed's name, and beside it a chip for each thing that stays as it is until something changes it: as much of that
/// as a row has room for. A value.
struct TopRow {
    /// A line, and the column where it begins.
    typealias Spot = (line: GlyphLine, column: Int)

    /// Cut to its room; nil without room for it.
    private(set) var title: Spot?
    /// The names of all places, in order; empty without room for all of them.
    private(set) var names: [(place: Place, at: Spot)] = []
    private(set) var chips: [Spot] = []

    /// A name of fewer columns says nothing.
    private static let leastTitle = 8
    /// Columns between the names of two places.
    private static let gap = 2

    /// - Parameters:
    ///   - title: may be empty.
    ///   - places: all places with their names; shown instead of the title.
    ///   - texts: of the chips. The last ones are left out first; chips say more than the name.
    init(
        title: GlyphLine, places: [(place: Place, name: GlyphLine)] = [], chips texts: [String], in room: Range<Int>,
        ellipsis: Glyph
    ) {
        var left = room.count
        let lines = texts.map { GlyphLine(" \($0) ") }.prefix { line in
            guard line.columns <= left else { return false }
            left -= line.columns + 1
            return true
        }
        var column = room.lowerBound
        if places.count > 1, left >= places.reduce(0, { $0 + $1.name.columns + Self.gap }) {
            for (place, name) in places {
                names.append((place, (name, column)))
                column += name.columns + Self.gap
            }
            column += 1 - Self.gap
        } else if !title.isEmpty, left >= min(title.columns, Self.leastTitle) {
            let title = title.truncated(to: left, ellipsis: ellipsis)
            self.title = (title, column)
            column += title.columns + 1
        }
        for line in lines {
            chips.append((line, column))
            column += line.columns + 1
        }
    }
}

/// What the page says of a feed whose server does not answer. A value.
struct CachedFeed {
    let text: String
    /// How long the text stays right.
    let nextChange: Duration

    init(age: Duration) {
        let seconds = max(Int(age.components.seconds), 0)
        let (minute, hour, day) = (60, 3_600, 86_400)
        text =
            switch seconds {
            case ..<hour: "\(max(seconds / minute, 1)) min old"
            case ..<(2 * day): "\(seconds / hour) h old"
            default: "\(seconds / day) d old"
            }
        nextChange = .seconds(minute - seconds % minute)
    }
}

extension State {
    /// "3/20".
    var pageNumber: String { "\(pager.target + 1)/\(items.count)" }

    private var topMargin: Int { size.columns >= 60 ? 2 : 1 }

    /// The columns of the top row from its left margin to the number of the page.
    var topRoom: Range<Int> { topMargin..<max(menuFrame.column - 2 - pageNumber.utf8.count, topMargin) }

    /// The button at the end of the top row that opens the menu.
    var menuFrame: GridRect { GridRect(column: size.columns - topMargin - 1, row: 0, columns: 1, rows: 1) }

    /// - Parameter end: the column of what stands to the right.
    func topRow(before end: Int, now: Duration) -> TopRow {
        let isPart = feed.part != nil
        // A feed of one creator is often called so; the creator's line says it then.
        let isNamed = isPart || content?.name != feed.title
        let mark = isPart ? options.isASCII ? "< " : "‹ " : ""
        return TopRow(
            title: isNamed && !feed.title.isEmpty ? GlyphLine(mark + feed.title.text) : GlyphLine(),
            places: isPart ? [] : placeNames, chips: chips(now: now),
            in: topRoom.lowerBound..<max(end - 2, topRoom.lowerBound), ellipsis: Glyph(options.isASCII ? "~" : "…"))
    }

    /// The lists of the library share a name, that of the one that is shown.
    private var placeNames: [(place: Place, name: GlyphLine)] {
        let places = feed.places
        let list = places.chosen.isOfLibrary ? places.chosen : places.all.first(where: \.isOfLibrary)
        return places.all.filter { !$0.isOfLibrary || $0 == list }.map { place in
            switch place {
            case .source where !feed.sourceName.isEmpty:
                (place, feed.sourceName.truncated(to: 24, ellipsis: Glyph(options.isASCII ? "~" : "…")))
            case places.chosen: (place, GlyphLine(place.name))
            default: (place, GlyphLine(place.isOfLibrary ? "Library" : place.name))
            }
        }
    }

    /// Where the names of the places stand that are not shown.
    func placeFrames(now: Duration) -> [(place: Place, frame: GridRect)] {
        let row = topRow(before: keyHintFrame?.column ?? topRoom.upperBound, now: now)
        return row.names.filter { $0.place != feed.places.chosen }.map { place, at in
            (place, GridRect(column: at.column, row: 0, columns: at.line.columns, rows: 1))
        }
    }

    /// What stays as it is until a key or the network changes it.
    private func chips(now: Duration) -> [String] {
        var chips: [String] = []
        if let readAt = feed.readAt {
            chips.append("offline\(options.isASCII ? ", " : " · ")\(CachedFeed(age: now - readAt).text)")
        }
        if content != nil, isPaused, !isHeld, clip.failure == nil {
            chips.append("\(Symbols(options).pause) \(clip.hasEnded ? "ended" : "paused")")
        }
        if playback.speed != 1 { chips.append(playback.speedText) }
        if playback.sound.isMuted { chips.append("muted") }
        if playback.autoAdvances { chips.append("auto") }
        if playback.savesData { chips.append("data saver") }
        if let offlineBadge { chips.append(offlineBadge) }
        return chips
    }

    /// "? keys", with the keys that every page needs before it at the first run; nil if it is not to be shown, or if no
    /// key shows the keys.
    var keyHint: GlyphLine? {
        guard let hint = view.hint, view.sheet == nil, typing == nil, keyLabel(of: .help) != nil else { return nil }
        let all = footer([(.next, "next"), (.like, "like"), (.help, "keys"), (.quit, "quit")])
        return hint.isFirst && all.columns + 3 <= topRoom.count ? all : footer([(.help, "keys")])
    }

    /// Where the hint stands, before the page's number: a click on it does as the key does.
    var keyHintFrame: GridRect? {
        guard let keyHint else { return nil }
        let columns = keyHint.columns + 2
        return GridRect(column: topRoom.upperBound - columns - 1, row: 0, columns: columns, rows: 1)
    }
}
