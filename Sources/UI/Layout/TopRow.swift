import Model

/// The feed's name, and beside it a chip for each thing that stays as it is until something changes it: as much of that
/// as a row has room for. A value.
struct TopRow {
    /// A line, and the column where it begins.
    typealias Spot = (line: GlyphLine, column: Int)
    /// What a chip says, and what it says where not all of them have room.
    typealias Chip = (text: String, short: String)

    /// Cut to its room; nil where that is less than `leastTitle`.
    private(set) var title: Spot?
    /// The names of all places, in order; empty without room for all of them.
    private(set) var names: [(place: Place, at: Spot)] = []
    private(set) var chips: [Spot] = []

    /// A longer name is cut to as many columns for chips and toasts. No place has a longer one.
    static let leastTitle = 9
    /// Columns between the names of two places.
    private static let gap = 2

    /// - Parameters:
    ///   - title: may be empty.
    ///   - places: all places with their names; shown instead of the title.
    ///   - texts: of the chips. The last ones are left out first, where the name needs their room.
    init(
        title: GlyphLine, places: [(place: Place, name: GlyphLine)] = [], chips texts: [Chip], in room: Range<Int>,
        ellipsis: Glyph
    ) {
        let lines = Self.fitting(texts, in: room.count - (title.isEmpty ? 0 : min(title.columns, Self.leastTitle) + 1))
        let left = room.count - lines.reduce(0) { $0 + $1.columns + 1 }
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

    /// All chips; else their short texts, of the first ones that have room.
    private static func fitting(_ chips: [Chip], in room: Int) -> [GlyphLine] {
        let lines = chips.map { GlyphLine(" \($0.text) ") }
        // There is a blank column between two of them.
        if lines.reduce(-1, { $0 + $1.columns + 1 }) <= room { return lines }
        var left = room
        let short = chips.map { GlyphLine(" \($0.short) ") }
        return Array(
            short.prefix { line in
                guard line.columns <= left else { return false }
                left -= line.columns + 1
                return true
            })
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

    /// Whether a page follows the one that the feed shows or moves to.
    var hasNextPage: Bool { pager.target + 1 < items.count }

    private var topMargin: Int { size.columns >= 60 ? 2 : 1 }

    /// The columns of the top row from its left margin to the number of the page.
    var topRoom: Range<Int> { topMargin..<max(menuFrame.column - 2 - pageNumber.utf8.count, topMargin) }

    /// The button at the end of the top row that opens the menu.
    var menuFrame: GridRect { GridRect(column: size.columns - topMargin - 1, row: 0, columns: 1, rows: 1) }

    /// The name of the feed, or of its place if it has none; empty where it would say nothing.
    private var topTitle: GlyphLine {
        let isPart = feed.part != nil
        guard !feed.title.isEmpty else {
            return isPart || feed.places.all.count < 2 ? GlyphLine() : GlyphLine(feed.places.chosen.name)
        }
        // A feed of one creator is often called so; the creator's line says it then.
        guard isPart || content?.name != feed.title else { return GlyphLine() }
        return GlyphLine(isPart ? options.isASCII ? "< " : "‹ " : "") + feed.title
    }

    func topRow(now: Duration) -> TopRow {
        let isPart = feed.part != nil
        var end = keyHintFrame?.column ?? topRoom.upperBound
        if let toast = toast(now: now)?.frame, toast.row == 0 { end = min(end, toast.column + 1) }
        return TopRow(
            title: topTitle, places: isPart ? [] : placeNames, chips: chips(now: now),
            in: topRoom.lowerBound..<max(end - 2, topRoom.lowerBound), ellipsis: Glyph(options.isASCII ? "~" : "…"))
    }

    /// The columns of the top row behind as much of the name as is always shown, with a blank one between: for a toast
    /// that has no other row.
    var roomBesideName: Range<Int> {
        let first = topRoom.lowerBound + min(topTitle.columns, TopRow.leastTitle) + 1
        return first..<max(menuFrame.column + 1, first + 5)
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
        topRow(now: now).names.filter { $0.place != feed.places.chosen }.map { place, at in
            (place, GridRect(column: at.column, row: 0, columns: at.line.columns, rows: 1))
        }
    }

    /// What stays as it is until a key or the network changes it.
    private func chips(now: Duration) -> [TopRow.Chip] {
        var chips: [TopRow.Chip] = []
        func add(_ text: String, short: String? = nil) { chips.append((text, short ?? text)) }
        if let readAt = feed.readAt {
            add("offline\(options.isASCII ? ", " : " · ")\(CachedFeed(age: now - readAt).text)", short: "offline")
        }
        if content != nil, isPaused, !isHeld, clip.failure == nil {
            let mark = Symbols(options).pause
            add("\(mark) \(clip.hasEnded ? "ended" : "paused")", short: mark)
        }
        if playback.speed != 1 { add(playback.speedText) }
        if playback.sound.isMuted { add("muted") }
        if playback.autoAdvances { add("auto") }
        if playback.savesData { add("data saver", short: "saver") }
        if let offlineBadge { add(offlineBadge) }
        return chips
    }

    /// "? keys", with the keys that every page needs before it at the first run; nil if it is not to be shown, or if no
    /// key shows the keys.
    var keyHint: GlyphLine? {
        guard let hint = view.hint, view.sheet == nil, typing == nil, keyLabel(of: .help) != nil else { return nil }
        let hints: [(action: Action, word: String)] = [
            (.next, "next"), (.like, "like"), (.help, "keys"), (.quit, "quit"),
        ]
        let isPlayable = clip.failure == nil && !isCovered
        let all = footer(
            hints.filter { hint in
                switch hint.action {
                case .next: hasNextPage
                case .like: isPlayable
                default: true
                }
            })
        let room = topRoom.count - TopRow.leastTitle - 2
        return hint.isFirst && all.columns + 3 <= room ? all : footer([(.help, "keys")])
    }

    /// Where the hint stands, before the page's number: a click on it does as the key does.
    var keyHintFrame: GridRect? {
        guard let keyHint else { return nil }
        let columns = keyHint.columns + 2
        return GridRect(column: topRoom.upperBound - columns - 1, row: 0, columns: columns, rows: 1)
    }
}
