import Model

/// Sections of a sheet side by side, in their order, in as many columns as have room. The columns are about equally
/// high: a section may continue in the next one, where its heading stands again. A sheet that scrolls has one column:
/// several would have to be read one after the other at each place. A value.
struct SheetColumns {
    /// The most columns, and the least width of one that stands beside another.
    private static let (most, narrowest) = (3, 40)
    private static let gap = 4

    /// The width of all columns together.
    private(set) var columns = 0
    private(set) var rows: [SheetRow] = []

    /// - Parameter room: what they may take of the terminal; one column may be higher.
    init(_ entries: [SheetEntry], room: GridSize, isASCII: Bool) {
        let headings = entries.count(where: \.isHeading)
        var count = max(min((room.columns + Self.gap) / (Self.narrowest + Self.gap), Self.most, headings), 1)
        var columns = Self(entries, in: count, room: room.columns, isASCII: isASCII)
        while count > 1, columns.rows.count > room.rows {
            count -= 1
            columns = Self(entries, in: count, room: room.columns, isASCII: isASCII)
        }
        self = columns
    }

    private init(_ entries: [SheetEntry], in count: Int, room: Int, isASCII: Bool) {
        let free = room - (count - 1) * Self.gap
        let groups = Self.cut(entries, into: count, columns: free / count, isASCII: isASCII)
        let widths = Self.widths(of: groups.map(SheetTypesetter.columns), sharing: free)
        for (group, width) in zip(groups, widths) {
            if columns > 0 { columns += Self.gap }
            let setter = SheetTypesetter(columns: width, entries: group, isASCII: isASCII, isDense: false)
            add(setter.rows(of: group))
            columns += width
        }
    }

    /// Puts rows beside those that there are.
    private mutating func add(_ new: [SheetRow]) {
        for (place, row) in new.enumerated() {
            if place == rows.count { rows.append(SheetRow()) }
            rows[place].spans += row.spans.map {
                SheetRow.Span(column: $0.column + columns, line: $0.line, tone: $0.tone)
            }
        }
    }

    /// Cuts entries into groups that take about as many rows in a column of that width, in their order.
    private static func cut(
        _ entries: [SheetEntry], into count: Int, columns: Int, isASCII: Bool
    ) -> [[SheetEntry]] {
        guard count > 1 else { return [entries] }
        let setter = SheetTypesetter(columns: columns, entries: entries, isASCII: isASCII, isDense: false)
        // With the blank row before a heading.
        let rows = entries.map { setter.rows(of: [$0]).count + ($0.isHeading ? 1 : 0) }
        var height = rows.reduce(0, +) / count
        while true {
            let groups = fill(entries, rows, height: height)
            if groups.count <= count { return groups }
            height += 1
        }
    }

    /// Groups of at most `height` rows, where that is possible. A heading stays with the entry below it, and begins
    /// each group that its section continues in.
    private static func fill(_ entries: [SheetEntry], _ rows: [Int], height: Int) -> [[SheetEntry]] {
        var (groups, used): ([[SheetEntry]], Int) = ([[]], 0)
        var heading: Int?
        for (place, entry) in entries.enumerated() {
            let next = entry.isHeading && place + 1 < entries.count ? rows[place + 1] : 0
            if used > 0, used + rows[place] + next > height {
                groups.append([])
                used = 0
                if !entry.isHeading, let heading {
                    groups[groups.count - 1].append(entries[heading])
                    used = rows[heading] - 1
                }
            }
            if entry.isHeading { heading = place }
            // At the top there is no blank row before a heading.
            used += used == 0 && entry.isHeading ? rows[place] - 1 : rows[place]
            groups[groups.count - 1].append(entry)
        }
        return groups
    }

    /// Each is as wide as its contents if all have room; those that want more than an equal share divide what is left.
    private static func widths(of wanted: [Int], sharing room: Int) -> [Int] {
        var (widths, room) = (wanted, room)
        for (rank, place) in wanted.indices.sorted(by: { wanted[$0] < wanted[$1] }).enumerated() {
            widths[place] = max(min(wanted[place], room / (wanted.count - rank)), 1)
            room -= widths[place]
        }
        return widths
    }
}
