import Model

/// Where the words of a page without a clip stand: of one that cannot be
/// played, or is hidden. Drawing and clicks use it. A value.
struct WordsPlace {
    enum Part: Sendable, Equatable { case words, advice, keys }

    /// What is written, row by row: what is wrong, what can be done, and the hints at keys below both.
    private(set) var rows: [(part: Part, line: GlyphLine, row: Int)] = []
    private let columns: Int
    private let ellipsis: Glyph

    /// - Parameter floor: the row that what else is on the page begins in.
    init(_ words: GlyphLine, _ advice: GlyphLine, keys: GlyphLine, above floor: Int, in state: State) {
        columns = state.size.columns
        ellipsis = Glyph(state.options.isASCII ? "~" : "…")
        let width = max(min(state.size.columns - 4, 56), 12)
        let room = max(floor - 3, 1)
        // The end of long words says more than their beginning, which may be an address.
        let wordRanges = words.balanced(to: width).suffix(min(room, 5))
        let adviceRanges = advice.balanced(to: width).prefix(max(room - wordRanges.count, 0))
        let height = wordRanges.count + adviceRanges.count + 2
        let first = max(min((state.pager.rows - height) / 2 - 1, floor - height), 1)
        let lines =
            wordRanges.map { (part: Part.words, line: words.slice($0)) }
            + adviceRanges.map { (part: Part.advice, line: advice.slice($0)) }
        for (place, line) in lines.enumerated() { rows.append((line.part, line.line, first + place)) }
        let end = first + height - 2
        if !keys.isEmpty { rows.append((.keys, keys, end + 1 < floor ? end + 1 : end)) }
    }

    /// The cells of each row, in the middle of the page, and cut as `drawCentred` cuts it.
    var frames: [GridRect] {
        rows.map { row in
            let width = row.line.truncated(to: columns - 4, ellipsis: ellipsis).columns
            return GridRect(column: (columns - width) / 2, row: row.row, columns: width, rows: 1)
        }
    }
}

extension State {
    /// The words of the page of an item that cannot be played, or is hidden,
    /// above the row `floor`; nil where its clip plays.
    func words(of item: Item, _ clip: Clip, above floor: Int) -> WordsPlace? {
        if let failure = clip.failure {
            return WordsPlace(
                failure.words, failure.advice, keys: hints([(.retry, "retry"), (.next, "next clip")]), above: floor,
                in: self)
        }
        guard hides(item) else { return nil }
        let (words, warning) = hiddenWords(of: item)
        return WordsPlace(words, warning, keys: hiddenKeys, above: floor, in: self)
    }
}
