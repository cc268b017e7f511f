import Model

extension State.MenuPlace {
    /// The menu's frame, moved just enough to leave the top row and the scrubber in view.
    func frame(_ size: GridSize, in state: State) -> GridRect {
        let (column, row) = corner(size, in: state)
        let (lastColumn, lastRow) = (state.size.columns - size.columns, state.size.rows - 1 - size.rows)
        return GridRect(
            column: max(min(column, lastColumn), 0), row: max(min(row, lastRow), 1), columns: size.columns,
            rows: size.rows)
    }

    /// Where the frame's first corner would be in a terminal without edges.
    private func corner(_ size: GridSize, in state: State) -> (column: Int, row: Int) {
        switch self {
        case .pointer(let point): return (point.column, point.row)
        case .button:
            let button = state.menuFrame
            return (button.column + button.columns - size.columns, button.row + 1)
        case .rail:
            guard state.items.count > 0 else { return (state.size.columns, state.size.rows) }
            let rail = PageLayout(state, index: state.current).rail
            return (rail.column - 1 - size.columns, rail.row + rail.rows - size.rows)
        }
    }
}
