import Model

/// Sections of a sheet side by side, in their order, as many as have room. A value.
struct SheetColumns {
    /// The most columns, and the least width of one that stands beside another.
    private static let (most, narrowest) = (3, 40)
    private static let gap = 4

    /// The width of all columns together.
    private(set) var columns = 0
    private(set) var rows: [SheetRow] = []

    /// - Parameter room: columns of the terminal that they may take.
    init(_ entries: [SheetEntry], room: Int, isASCII: Bool) {
        let sections = Self.sections(entries)
        let count = max(min((room + Self.gap) / (Self.narrowest + Self.gap), Self.most, sections.count), 1)
        let groups = Self.cut(sections, into: count).map { $0.flatMap(\.self) }
        let widths = Self.widths(
            of: groups.map(SheetTypesetter.columns), sharing: room - (groups.count - 1) * Self.gap)
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

    /// Each begins with its heading.
    private static func sections(_ entries: [SheetEntry]) -> [[SheetEntry]] {
        entries.reduce(into: []) { sections, entry in
            if entry.isHeading || sections.isEmpty { sections.append([]) }
            sections[sections.count - 1].append(entry)
        }
    }

    /// Cuts sections into groups so that the longest is as short as it can be.
    private static func cut(_ sections: [[SheetEntry]], into count: Int) -> [[[SheetEntry]]] {
        guard count > 1, sections.count > count else { return count > 1 ? sections.map { [$0] } : [sections] }
        func length(_ group: some Sequence<[SheetEntry]>) -> Int { group.reduce(0) { $0 + $1.count + 1 } }
        let choices = (1...(sections.count - count + 1)).map { first in
            [Array(sections[..<first])] + cut(Array(sections[first...]), into: count - 1)
        }
        return choices.min { choice, other in
            (choice.map(length).max() ?? 0) < (other.map(length).max() ?? 0)
        } ?? [sections]
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
