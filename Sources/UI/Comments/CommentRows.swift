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
