import Model

/// Where sheets and text fields stand: directly above the scrubber, at the right of a wide terminal and across any
/// other. It does not depend on what opened them. A value.
struct SheetPlace: Sendable, Equatable {
    /// The columns of a terminal that has them at the right.
    static let aside = 100
    /// The columns of a frame at the right. On a terminal of less than twice the most it takes half of it.
    private static let columns = 34...64

    private let terminal: GridSize
    /// The columns beside a frame: those of the page, so that no beginnings of lines are left there.
    private let margin: Int

    init(_ terminal: GridSize) {
        self.terminal = terminal
        margin = terminal.columns >= 60 ? 2 : 1
    }

    /// Whether a frame stands beside the page rather than on it.
    var isAside: Bool { terminal.columns >= Self.aside }

    /// The most columns of any frame.
    var room: Int { max(terminal.columns - 2 * margin, 9) }

    /// The columns of a frame whose contents would take `wanted` of it.
    func columns(for wanted: Int = .max) -> Int {
        guard isAside else { return room }
        return min(max(wanted, Self.columns.lowerBound), Self.columns.upperBound, terminal.columns / 2)
    }

    /// The frame, at most as high as the terminal leaves room for between its top row and `below`.
    ///
    /// - Parameter below: rows between the frame and the scrubber, which an open text field takes.
    func frame(columns: Int, rows: Int, below: Int = 0) -> GridRect {
        let end = max(terminal.rows - 1 - below, 4)
        let rows = min(rows, end - 1)
        let column = isAside ? terminal.columns - margin - columns : (terminal.columns - columns) / 2
        return GridRect(column: column, row: end - rows, columns: columns, rows: rows)
    }
}
