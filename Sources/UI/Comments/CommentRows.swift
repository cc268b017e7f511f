import Model

/// The comments of a sheet laid out at a width: the rows of each. Made once for many drawings. A value.
struct CommentRows: Sendable, Equatable {
    /// What the rows were made of: they are made again when it changes.
    struct Source: Sendable, Equatable {
        var item: Item.ID
        var revision: Int
        var columns: Int
        var isDense: Bool
        var tail: String
    }

    /// The rows of one comment: name and time, its text, and why it was refused.
    struct Block: Sendable, Equatable {
        /// Its first row.
        var first: Int
        var indent: Int
        var text: [GlyphLine]
        var note: [GlyphLine]
        var count: Int { 1 + text.count + note.count }
        var end: Int { first + count }
    }

    let source: Source
    private(set) var blocks: [Block] = []
    /// What is said below the comments, or in place of them.
    let tail: [GlyphLine]
    /// All rows, with those between comments and the tail.
    private(set) var count = 0

    init(_ list: CommentList, source: Source) {
        self.source = source
        let gap = source.isDense ? 0 : 1
        // Deep answers are hardly indented where there is little room.
        let step = source.columns >= 40 ? 3 : 2
        for entry in list.entries {
            if !blocks.isEmpty, entry.depth == 0 { count += gap }
            let indent = entry.depth * step
            let room = source.columns - indent
            func lines(_ text: String) -> [GlyphLine] {
                let line = GlyphLine(text)
                return line.wrapped(to: room).map(line.slice)
            }
            var note: [GlyphLine] = []
            if case .refused(let why) = entry.comment.state { note = lines("not sent: \(why)") }
            blocks.append(Block(first: count, indent: indent, text: lines(entry.comment.text), note: note))
            count = blocks[blocks.count - 1].end
        }
        let line = GlyphLine(source.tail)
        tail = line.wrapped(to: source.columns).map(line.slice)
        if !blocks.isEmpty, !tail.isEmpty { count += gap }
        count += tail.count
    }

    /// The comment that has a row; nil between two comments and below them.
    func block(at row: Int) -> Int? {
        var (low, high) = (0, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            if blocks[middle].end <= row { low = middle + 1 } else { high = middle }
        }
        return low < blocks.count && blocks[low].first <= row ? low : nil
    }

    /// The first row in view and the chosen comment, after going to another comment; within one that is longer than the
    /// sheet, by rows. There must be a comment.
    ///
    /// - Parameters:
    ///   - pages: by all rows that are in view but one. Without it, more than one comment is all the way.
    ///   - height: of the sheet, in rows.
    ///   - last: the last row that can be the first in view.
    func moved(
        by count: Int, pages: Bool, from place: (first: Int, chosen: Int), height: Int, last: Int
    ) -> (first: Int, chosen: Int) {
        var (first, chosen) = place
        if pages {
            first = min(max(first + count * max(height - 1, 1), 0), last)
            let inView = blocks.indices.filter {
                blocks[$0].first >= first && blocks[$0].first < first + height
            }
            if first == place.first {
                chosen = count > 0 ? blocks.count - 1 : 0
            } else if let near = count > 0 ? inView.first : inView.last ?? inView.first {
                chosen = near
            } else {
                chosen = block(at: first) ?? chosen
            }
        } else if abs(count) > 1 {
            (first, chosen) = count > 0 ? (last, blocks.count - 1) : (0, 0)
        } else if count > 0 {
            if blocks[chosen].end > first + height {
                first += 1
            } else if chosen + 1 < blocks.count {
                chosen += 1
                let next = blocks[chosen]
                if next.end > first + height {
                    first = min(max(next.end - height, first), next.first, first + height - 1)
                }
            } else {
                first = last
            }
        } else {
            if blocks[chosen].first < first {
                first -= 1
            } else if chosen > 0 {
                chosen -= 1
                let previous = blocks[chosen]
                if previous.first < first { first = max(previous.first, previous.end - height, first - height + 1) }
            }
        }
        return (min(max(first, 0), last), chosen)
    }

    /// The rows in a range.
    ///
    /// - Parameter head: the first row of a comment, by its number.
    func rows(_ range: Range<Int>, head: (Int) -> [SheetRow.Span]) -> [SheetRow] {
        range.map { row in
            guard let number = block(at: row) else {
                let place = row - (count - tail.count)
                return place >= 0
                    ? SheetRow(spans: [SheetRow.Span(column: 0, line: tail[place], tone: .dim)]) : SheetRow()
            }
            let block = blocks[number]
            let place = row - block.first
            if place == 0 { return SheetRow(spans: head(number), entry: number) }
            let isText = place <= block.text.count
            let line = isText ? block.text[place - 1] : block.note[place - 1 - block.text.count]
            return SheetRow(
                spans: [SheetRow.Span(column: block.indent, line: line, tone: isText ? .text : .heading)],
                entry: number)
        }
    }
}
