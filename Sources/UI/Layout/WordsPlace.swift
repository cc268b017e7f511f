import Model

/// Where the words of a page without a clip stand: of one that cannot be played, is hidden, or is of a feed without
/// clips. Drawing and clicks use it. A value.
struct WordsPlace {
    enum Part: Sendable, Equatable { case title, place, words, advice, keys }

    /// What a page says, from what is dropped last to what is dropped first where there is no room.
    struct Text {
        var words: GlyphLine
        var title = GlyphLine()
        var advice = GlyphLine()
        /// Where the clip is.
        var place = GlyphLine()
    }

    /// What is written, row by row: which clip it is about, what is wrong, what can be done, and below that the keys.
    private(set) var rows: [(part: Part, line: GlyphLine, row: Int)] = []
    private let columns: Int
    private let ellipsis: Glyph

    /// The lines of a title, and of what is wrong.
    private static let (titleLines, wordLines) = (2, 5)

    /// - Parameter floor: the row that what else is on the page begins in.
    init(_ text: Text, keys: [(action: Action, word: String)], above floor: Int, in state: State) {
        columns = state.size.columns
        ellipsis = Glyph(state.options.isASCII ? "~" : "…")
        let width = max(min(columns - 4, 56), 12)
        let room = max(floor - 2, 1)
        let hints = state.footers(keys, columns: columns - 4).map { (part: Part.keys, line: $0) }
        let blocks = Self.fitting(text, hints: hints.count, room: room, width: width, ellipsis) + [hints]
        let shown = blocks.filter { !$0.isEmpty }
        let lines = shown.reduce(0) { $0 + $1.count }
        // Blank rows between the blocks, if there is room.
        let gap = lines + shown.count - 1 <= room ? 1 : 0
        let height = lines + gap * (shown.count - 1)
        var row = max(min((state.pager.rows - height) / 2, floor - 1 - height), 1)
        for block in shown {
            for line in block {
                rows.append((line.part, line.line, row))
                row += 1
            }
            row += gap
        }
    }

    /// The blocks above the keys: what the clip is, and what is wrong with it. All of the text, or what has room.
    private static func fitting(
        _ text: Text, hints: Int, room: Int, width: Int, _ ellipsis: Glyph
    ) -> [[(part: Part, line: GlyphLine)]] {
        var parts = text
        func wrapped(_ part: Part, _ line: GlyphLine, most: Int) -> [(part: Part, line: GlyphLine)] {
            guard !line.isEmpty else { return [] }
            let ranges = line.balanced(to: width)
            guard ranges.count > most else { return ranges.map { (part, line.slice($0)) } }
            let rest = line.slice(ranges[most - 1].lowerBound..<line.count)
            return ranges.prefix(most - 1).map { (part, line.slice($0)) }
                + [(part, rest.truncated(to: width, ellipsis: ellipsis))]
        }
        func blocks() -> [[(part: Part, line: GlyphLine)]] {
            let place = parts.place.isEmpty ? [] : [(part: Part.place, line: parts.place.end(of: width, ellipsis))]
            // The end of long words says more than their beginning, which may be an address.
            let words = parts.words.isEmpty ? [] : parts.words.balanced(to: width).suffix(wordLines)
            return [
                wrapped(.title, parts.title, most: titleLines) + place,
                words.map { (part: Part.words, line: parts.words.slice($0)) }
                    + wrapped(.advice, parts.advice, most: wordLines),
            ]
        }
        for part in [\Text.place, \.advice, \.title] {
            guard blocks().reduce(hints, { $0 + $1.count }) > room else { break }
            parts[keyPath: part] = GlyphLine()
        }
        return blocks().map { Array($0.suffix(max(room - hints, 1))) }
    }

    /// The cells of each row, in the middle of the page, and cut as `drawCentred` cuts it.
    var frames: [GridRect] {
        rows.map { row in
            let width = row.line.truncated(to: columns - 4, ellipsis: ellipsis).columns
            return GridRect(column: (columns - width) / 2, row: row.row, columns: width, rows: 1)
        }
    }

    /// The cells of the first row of keys; nil without such a row.
    var firstHint: GridRect? { zip(rows, frames).first { $0.0.part == .keys }?.1 }
}

extension GlyphLine {
    /// The last `columns` columns: the end of a path says more than its beginning.
    fileprivate func end(of columns: Int, _ ellipsis: Glyph) -> GlyphLine {
        guard self.columns > columns else { return self }
        var first = 0
        var left = self.columns
        while left > columns - 1 {
            left -= Int(widths[first])
            first += 1
        }
        var line = GlyphLine()
        line.append(ellipsis, width: 1)
        return line + slice(first..<count)
    }
}

extension State {
    /// The words of the page of an item that cannot be played, or is hidden,
    /// above the row `floor`; nil where its clip plays.
    func words(of item: Item, _ clip: Clip, above floor: Int) -> WordsPlace? {
        if let failure = clip.failure {
            let keys = [(action: Action.retry, word: "retry"), (.open, "open"), (.diagnostics, "details")]
            let text = WordsPlace.Text(
                words: failure.words, title: GlyphLine(PageContent.title(of: item)), advice: failure.advice,
                place: GlyphLine(CleanText.line(item.place, limit: 300)))
            return WordsPlace(text, keys: keys + nextHint(after: item), above: floor, in: self)
        }
        guard covers(item) else { return nil }
        let (words, warning) = coverWords(of: item)
        return WordsPlace(
            .init(words: warning, title: words), keys: [(.retry, "show it")] + nextHint(after: item), above: floor,
            in: self)
    }

    /// What stands on the page of a feed without clips. Its keys lead to another place, if there is one; a list of the
    /// library is read again whenever it is opened.
    var emptyPlace: WordsPlace {
        var keys: [(action: Action, word: String)] = []
        if feed.places.all.count > 1 { keys.append((.nextPlace, "next place")) }
        if keys.isEmpty || !feed.places.current.isOfLibrary { keys.append((.refresh, "refresh")) }
        let text = WordsPlace.Text(words: GlyphLine(emptyListWords ?? ""), title: GlyphLine(emptyListTitle))
        return WordsPlace(text, keys: keys + [(.help, "keys"), (.quit, "quit")], above: size.rows - 1, in: self)
    }

    /// Nothing on the last page: there is no next clip.
    private func nextHint(after item: Item) -> [(action: Action, word: String)] {
        items.count > 0 && items.id(at: items.count - 1) == item.id ? [] : [(.next, "next clip")]
    }
}

extension Item {
    /// The path of a local file, the server of anything else.
    fileprivate var place: String {
        guard !isFile, let parts = URLParts(url), let authority = parts.authority else { return SafeURL.text(url) }
        // Without user name and password.
        return authority.split(separator: "@").last.map(String.init) ?? authority
    }
}
