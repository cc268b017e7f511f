import Model

/// The size of a cell in pixels, as long as it can be true.
///
/// Some terminals, and multiplexers most of all, answer nonsense: tmux said 1×7. A wrong answer would squeeze every
/// picture; without one, a cell is taken to be twice as high as wide.
enum CellPixels {
    /// A cell that a terminal reported.
    static func plausible(_ cell: PixelSize) -> PixelSize? {
        guard (3...200).contains(cell.width), (5...400).contains(cell.height),
            cell.width <= cell.height, cell.height <= 4 * cell.width
        else { return nil }
        return cell
    }

    /// The cell of a text area of `area` pixels that holds `grid`.
    static func cell(area: PixelSize, grid: GridSize) -> PixelSize? {
        guard area.width > 0, area.height > 0, grid.columns > 0, grid.rows > 0,
            area.width < 1 << 20, area.height < 1 << 20
        else { return nil }
        return plausible(PixelSize(width: area.width / grid.columns, height: area.height / grid.rows))
    }
}
