import Model

extension SeekStill {
    /// A still of fewer rows shows nothing.
    private static let fewestRows = 4
    private static let maxRows = 12
    /// Of the screen's columns.
    private static let widest = 1.0 / 3

    /// The cells of the still above `label`; nil if it has no room.
    func frame(above label: SeekLabel, on screen: GridSize) -> GridRect? {
        guard size.width > 0, size.height > 0, label.row < screen.rows else { return nil }
        var rows = min(screen.rows / 4, Self.maxRows)
        // Cells are about twice as high as wide.
        func columns() -> Int { max(2 * rows * size.width / size.height, 1) }
        let room = Int(Double(screen.columns) * Self.widest)
        while columns() > room, rows > 0 { rows -= 1 }
        // The top row has the feed's name.
        guard rows >= Self.fewestRows, label.row - rows >= 2 else { return nil }
        let middle = label.column + label.time.columns / 2
        let column = min(max(middle - columns() / 2, 1), screen.columns - columns() - 1)
        return GridRect(column: column, row: label.row - rows, columns: columns(), rows: rows)
    }
}

extension State {
    /// Where the still of the place under the pointer is drawn; nil if it is not.
    func seekStillFrame(_ label: SeekLabel?) -> GridRect? {
        guard let label, !label.isSeek, let still = pointer.still, still.item == currentID else { return nil }
        return still.frame(above: label, on: size)
    }
}
