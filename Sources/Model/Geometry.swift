/// A size in terminal cells. A value.
public struct GridSize: Hashable, Sendable {
    public var columns: Int
    public var rows: Int

    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    public var cells: Int { columns * rows }
}

/// A size in pixels of a picture. A value.
public struct PixelSize: Hashable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

/// A place on the terminal, in cells from the top left corner (0, 0). A value.
public struct GridPoint: Hashable, Sendable {
    public var column: Int
    public var row: Int

    public init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }
}

/// A rectangle of cells. A value.
public struct GridRect: Hashable, Sendable {
    public var column: Int
    public var row: Int
    public var columns: Int
    public var rows: Int

    public init(column: Int, row: Int, columns: Int, rows: Int) {
        self.column = column
        self.row = row
        self.columns = columns
        self.rows = rows
    }

    public var cells: Int { columns * rows }

    public func contains(_ point: GridPoint) -> Bool {
        point.column >= column && point.column < column + columns && point.row >= row && point.row < row + rows
    }

    /// How far a point is from the nearest cell, squared; 0 for a point within.
    public func distance(to point: GridPoint) -> Int {
        let across = max(column - point.column, point.column - (column + columns - 1), 0)
        let down = max(row - point.row, point.row - (row + rows - 1), 0)
        return across * across + down * down
    }

    /// The rectangle grown by `margin` cells on every side.
    public func grown(by margin: Int) -> GridRect {
        GridRect(
            column: column - margin, row: row - margin, columns: columns + 2 * margin, rows: rows + 2 * margin)
    }
}

/// How a picture fills its page.
public enum PictureFit: String, Sendable, CaseIterable {
    /// Covers the page where that keeps most of the picture in view, else shows all of it.
    case auto
    /// Covers the page and crops the picture.
    case fill
    /// Shows all of the picture.
    case fit
}

/// The component that writes the terminal's screen.
public enum ScreenOutput: String, Sendable, CaseIterable {
    /// flick itself, with ECMA-48 sequences.
    case direct
    /// ncurses, for any terminal that terminfo describes.
    case ncurses
}

/// How many colours the terminal shows.
public enum ColorMode: String, Sendable, CaseIterable {
    case truecolor
    case palette256 = "256"
    case palette16 = "16"
    case mono
}
