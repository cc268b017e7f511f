import Model
import TerminalInput

/// A part of the feed as a grid of stills, one of which is chosen. A value.
public struct StillGrid: Sendable, Equatable {
    /// The item's index.
    public internal(set) var chosen: Int
    /// The topmost row of tiles that the last move has left in view.
    var firstRow = 0
    /// Whose stills were asked for.
    var asked = 0..<0
}

/// Where the tiles of the grid stand: each a picture with the item's title
/// below it. Drawing, keys and clicks all use it. A value.
struct StillGridLayout {
    /// The fewest and the most tiles in a row, and how wide they are about.
    private static let (fewest, most, usualColumns) = (3, 8, 16)
    /// The most columns between two tiles.
    private static let widestGap = 4

    /// How many items there are, and tiles in a row.
    let count: Int
    let across: Int
    /// How many rows of tiles are in view, and the first of them.
    let rows: Int
    let firstRow: Int
    /// The size of a tile's picture in cells.
    private let picture: GridSize
    /// The column of the first tiles, and the columns between two.
    private let (left, gap): (Int, Int)
    private let rowGap: Int
    /// The rows with the chosen item's title, below the tiles.
    let footer: GridRect

    init(_ state: State) {
        count = state.items.count
        let margin = state.topRoom.lowerBound
        // A title has fewer columns where the terminal has.
        let footerRows = state.size.columns < 60 ? 2 : 1
        footer = GridRect(
            column: margin, row: max(state.size.rows - 1 - footerRows, 1), columns: state.size.columns - 2 * margin,
            rows: footerRows)
        let room = GridSize(columns: footer.columns, rows: max(footer.row - 1, 2))
        // Plain mode prints a list.
        let usual = min(max(state.size.columns / Self.usualColumns, Self.fewest), Self.most)
        let tiling =
            state.options.isPlain ? Tiling(across: 1, in: room) : Self.tiling(of: count, in: room, usual: usual)
        (across, picture) = (tiling.across, tiling.picture)
        rows = max(room.rows / (picture.rows + 1), 1)
        rowGap = min((room.rows - rows * (picture.rows + 1)) / rows, 1)
        let free = state.size.columns - across * picture.columns
        gap = min(max(free / (across + 1), 1), Self.widestGap)
        left = max((free - (across - 1) * gap) / 2, 0)
        let (grid, all) = (state.feed.grid ?? StillGrid(chosen: 0), (count + across - 1) / across)
        let chosenRow = grid.chosen / across
        firstRow = max(min(max(grid.firstRow, chosenRow - rows + 1), chosenRow, all - rows), 0)
    }

    /// How many tiles are in a row, and how large their pictures are. A value.
    private struct Tiling {
        var across: Int
        var picture: GridSize

        /// As wide as the terminal has room for.
        init(across: Int, in room: GridSize) {
            self.init(across, columns: (room.columns + 1) / across - 1, rows: room.rows - 1)
        }

        /// As large as it can be with `count` items in view.
        init(across: Int, showing count: Int, in room: GridSize) {
            let rows = room.rows / max((count + across - 1) / across, 1) - 1
            self.init(across, columns: min((room.columns + 1) / across - 1, rows * 3 / 2), rows: rows)
        }

        private init(_ across: Int, columns: Int, rows: Int) {
            self.across = across
            // Three by four, as cells are about twice as high as wide.
            picture = GridSize(columns: max(columns, 1), rows: max(min(columns * 2 / 3, rows), 1))
        }
    }

    /// The largest tiles with which all items are in view; the usual ones if those would be smaller.
    private static func tiling(of count: Int, in room: GridSize, usual: Int) -> Tiling {
        (1...usual).map { Tiling(across: $0, showing: count, in: room) }
            .reduce(Tiling(across: usual, in: room)) { $1.picture.columns > $0.picture.columns ? $1 : $0 }
    }

    /// The items whose tiles are in view.
    var inView: Range<Int> {
        let first = min(firstRow * across, count)
        return first..<min(first + rows * across, count)
    }

    /// Whether there are tiles above those in view, and below them.
    var hasAbove: Bool { firstRow > 0 }
    var hasBelow: Bool { inView.upperBound < count }

    /// The titles of the items in view as they stand below their tiles. Those that would look alike lose their middle,
    /// not their end.
    func titles(of items: any ItemList, ellipsis: Glyph) -> [GlyphLine] {
        let whole = inView.map { GlyphLine(PageContent.title(of: items[$0])) }
        let cut = whole.map { $0.truncated(to: picture.columns, ellipsis: ellipsis) }
        var counts: [GlyphLine: Int] = [:]
        for title in cut { counts[title, default: 0] += 1 }
        return zip(whole, cut).map { title, cut in
            counts[cut, default: 0] > 1 ? title.shortened(to: picture.columns, ellipsis: ellipsis) : cut
        }
    }

    /// The cells of an item's picture; of one that is in view.
    func picture(of index: Int) -> GridRect {
        let (row, column) = (index / across - firstRow, index % across)
        return GridRect(
            column: left + column * (picture.columns + gap), row: 1 + row * (picture.rows + 1 + rowGap),
            columns: picture.columns, rows: picture.rows)
    }

    /// The line below an item's picture.
    func title(of index: Int) -> GridRect {
        let picture = picture(of: index)
        return GridRect(column: picture.column, row: picture.row + picture.rows, columns: picture.columns, rows: 1)
    }

    /// The item whose tile is at a point.
    func index(at point: GridPoint) -> Int? {
        inView.first { picture(of: $0).contains(point) || title(of: $0).contains(point) }
    }

    /// The item that is chosen after a move, by tiles and by rows. A row down
    /// from the last but one leads to the last item at least.
    func moved(from index: Int, by tiles: Int, rows: Int) -> Int {
        let last = count - 1
        if rows == 0 { return min(max(index + tiles, 0), last) }
        let (row, lastRow) = (index / across, last / across)
        let to = min(max(row + rows, 0), lastRow)
        return min(index + (to - row) * across, last)
    }
}

extension State {
    /// Shows the part of the feed as a grid, with the current item chosen. The clip waits meanwhile.
    mutating func openGrid(now: Duration) -> [Effect] {
        var effects = letGo(now: now)
        // No page moves where none is in view.
        if pager.isMoving {
            pager.settle(at: pager.target)
            effects += settled(now: now)
        }
        let wasPaused = isPaused
        leaveField()
        view.closeAll()
        feed.grid = StillGrid(chosen: current)
        return effects + (wasPaused ? [] : onCurrent { .pause($0) })
    }

    /// What an action does while the grid is open.
    mutating func performInGrid(_ action: Action, now: Duration) -> [Effect] {
        guard feed.grid != nil else { return [] }
        if view.sheet != nil { return performOverGrid(action) }
        let page = StillGridLayout(self).rows
        switch action {
        case .gridLeft: moveInGrid(by: -1)
        case .gridRight: moveInGrid(by: 1)
        case .scrollUp, .previous: moveInGrid(rows: -1)
        case .scrollDown, .next: moveInGrid(rows: 1)
        case .scrollPageUp: moveInGrid(rows: -page)
        case .scrollPageDown: moveInGrid(rows: page)
        case .first: moveInGrid(by: -items.count)
        case .last: moveInGrid(by: items.count)
        case .choose: return openChosenTile(now: now)
        case .close: return closeGrid() + [.closePart]
        case .help: return open(.help)
        // It concerns the page, which is not in view.
        default: showKeyHint(now: now)
        }
        return []
    }

    /// The same while the keys are listed over it.
    private mutating func performOverGrid(_ action: Action) -> [Effect] {
        switch action {
        case .scrollUp: scrollSheet(by: -1)
        case .scrollDown: scrollSheet(by: 1)
        case .scrollPageUp: scrollSheet(by: -1, pages: true)
        case .scrollPageDown: scrollSheet(by: 1, pages: true)
        case .first: scrollSheet(by: -Self.farAway)
        case .last: scrollSheet(by: Self.farAway)
        case .close, .choose, .help: open(.help)
        default: []
        }
    }

    private mutating func moveInGrid(by tiles: Int = 0, rows: Int = 0) {
        guard let chosen = feed.grid?.chosen else { return }
        questions.line += 1
        let moved = StillGridLayout(self).moved(from: chosen, by: tiles, rows: rows)
        feed.grid?.chosen = moved
        let firstRow = StillGridLayout(self).firstRow
        feed.grid?.firstRow = firstRow
    }

    /// A click on a tile opens its item, and the wheel moves by rows. A right click leads back.
    mutating func pointInGrid(_ mouse: Mouse, now: Duration) -> [Effect] {
        switch mouse.action {
        case .wheelDown: moveInGrid(rows: 1)
        case .wheelUp: moveInGrid(rows: -1)
        case .press(.left): return target(at: mouse.at, now: now).map { act(on: $0, now: now) } ?? []
        case .press(.right): return performInGrid(.close, now: now)
        default: break
        }
        return []
    }

    /// The part is played as a feed, from the chosen item on.
    mutating func openChosenTile(now: Duration) -> [Effect] {
        guard let chosen = feed.grid?.chosen, chosen < items.count else { return [] }
        guard chosen != current, pager.jump(to: chosen) else { return closeGrid() + [keepWarm()] }
        feed.grid = nil
        return commit(now: now) + settled(now: now)
    }

    /// The page is in view again, and its clip continues.
    mutating func closeGrid() -> [Effect] {
        guard feed.grid != nil else { return [] }
        feed.grid = nil
        return isPaused ? [] : onCurrent { .play($0) }
    }

    /// "↑↓←→ move   Enter play   Esc back".
    var gridFooter: GlyphLine {
        let vertical: [Action] = items.count > StillGridLayout(self).across ? [.scrollUp, .scrollDown] : []
        let horizontal: [Action] = items.count > 1 ? [.gridLeft, .gridRight] : []
        let arrows = (vertical + horizontal).compactMap(keyLabel)
        let joint = arrows.allSatisfy { $0.count == 1 } ? "" : " "
        let keys = footer(Self.hints(act: [(.choose, "play")], close: "back"))
        let all = GlyphLine(arrows.isEmpty ? "" : arrows.joined(separator: joint) + " move   ") + keys
        return all.columns <= size.columns - 4 ? all : keys
    }

    /// Where the hints of the bottom row that can be clicked on stand.
    var gridHints: (play: GridRect, back: GridRect) {
        let (line, play, back) = (gridFooter, footer([(.choose, "play")]).columns, footer([(.close, "back")]).columns)
        let end = (size.columns - line.columns) / 2 + line.columns
        func frame(_ column: Int, _ columns: Int) -> GridRect {
            GridRect(column: column, row: size.rows - 1, columns: columns, rows: 1)
        }
        return (frame(end - back - 3 - play, play), frame(end - back, back))
    }

    /// The feed's title in the top row, before the chosen item's number.
    var gridTitle: GridRect {
        let margin = topRoom.lowerBound
        let number = "\((feed.grid?.chosen ?? 0) + 1)/\(items.count)".utf8.count
        let more = StillGridLayout(self).hasAbove ? 2 : 0
        let room = max(size.columns - 2 * margin - number - 2 - more, 0)
        return GridRect(column: margin, row: 0, columns: min(feed.title.columns + 2, room), rows: 1)
    }

    /// Asks for the stills of the tiles in view, if those are others than before.
    mutating func askForTiles() -> [Effect] {
        guard let grid = feed.grid, !isTooSmall, !options.isPlain else { return [] }
        let inView = StillGridLayout(self).inView
        guard inView != grid.asked else { return [] }
        feed.grid?.asked = inView
        return [.showTiles(inView)]
    }
}
