import Model

/// How a text that is being typed is laid out. The last column of the width is left free, so that the cursor always has
/// a place; only a space that ends a line may stand there.
extension TextField {
    /// The part of a text that is in view. A value.
    struct Window: Sendable, Equatable {
        var lines: [GlyphLine]
        /// The cursor's column and row in the window.
        var cursor: GridPoint
        /// The first line in view, and how many there are.
        var first: Int
        var total: Int
        /// The characters of each line in view.
        fileprivate var ranges: [Range<Int>]
    }

    /// The lines at a width of at least 3 columns. Every character is in one line: a break and the space at which a
    /// line is broken end it.
    func lines(width: Int) -> [Range<Int>] {
        let room = max(width - 1, 2)
        var lines: [Range<Int>] = []
        var (start, used) = (0, 0)
        var afterSpace: Int?
        func end(_ place: Int) {
            lines.append(start..<place)
            (start, used, afterSpace) = (place, 0, nil)
        }
        for (index, character) in characters.enumerated() {
            if character == "\n" {
                end(index + 1)
                continue
            }
            if used + widths[index] > room, character == " " {
                end(index + 1)
                continue
            }
            while used + widths[index] > room, start < index {
                end(afterSpace ?? index)
                used = columns(start..<index)
            }
            used += widths[index]
            if character == " " { afterSpace = index + 1 }
        }
        lines.append(start..<characters.count)
        return lines
    }

    /// The cursor's line is in the middle of the window where the text is longer than that.
    ///
    /// - Parameter most: lines. A field of one line is moved sideways instead.
    func window(width: Int, most: Int) -> Window {
        guard keepsLines else { return lineWindow(width: width) }
        let lines = lines(width: width)
        let at = Self.line(of: cursor, in: lines)
        let first = min(max(at - most / 2, 0), max(lines.count - most, 0))
        let ranges = Array(lines[first..<min(first + most, lines.count)])
        let column = columns(lines[at].lowerBound..<cursor)
        return Window(
            lines: ranges.map(glyphs), cursor: GridPoint(column: column, row: at - first), first: first,
            total: lines.count, ranges: ranges)
    }

    private func lineWindow(width: Int) -> Window {
        let room = max(width - 1, 2)
        var start = 0
        if columns(0..<characters.count) > room {
            var before = columns(0..<cursor)
            while start < cursor, before > room * 3 / 4 {
                before -= widths[start]
                start += 1
            }
        }
        var (end, used) = (start, 0)
        while end < characters.count, used + widths[end] <= room {
            used += widths[end]
            end += 1
        }
        return Window(
            lines: [glyphs(of: start..<end)], cursor: GridPoint(column: columns(start..<cursor), row: 0), first: 0,
            total: 1, ranges: [start..<end])
    }

    /// The number of characters before a point of a window, as near to it as there are any.
    func index(at point: GridPoint, in window: Window) -> Int {
        guard !window.ranges.isEmpty else { return 0 }
        let row = min(max(point.row, 0), window.ranges.count - 1)
        return keepsLines
            ? index(atColumn: point.column, ofLine: row, in: window.ranges)
            : index(atColumn: point.column, in: window.ranges[row])
    }

    /// The line that shows the cursor at `place`: where one line ends and the next begins, the next.
    static func line(of place: Int, in lines: [Range<Int>]) -> Int {
        lines.lastIndex { $0.lowerBound <= place } ?? 0
    }

    /// The place in a line that is nearest to a column, from the left; never one that the next line shows.
    func index(atColumn column: Int, ofLine line: Int, in lines: [Range<Int>]) -> Int {
        let range = lines[line]
        let isLast = range.upperBound == characters.count && characters.last != "\n" || range.isEmpty
        return min(index(atColumn: column, in: range), isLast ? range.upperBound : range.upperBound - 1)
    }

    private func index(atColumn column: Int, in range: Range<Int>) -> Int {
        var at = 0
        for index in range {
            at += widths[index]
            if column < at || characters[index] == "\n" { return index }
        }
        return range.upperBound
    }

    func columns(_ range: Range<Int>) -> Int { widths[range].reduce(0, +) }

    private func glyphs(of range: Range<Int>) -> GlyphLine {
        var line = GlyphLine()
        for index in range where characters[index] != "\n" { line.append(GlyphLine(String(characters[index]))) }
        return line
    }
}
