import Model

@testable import UI

/// The colours, styles and shade of a grid as text, so that a golden screen contains them and differences can be read.
///
/// The text begins with the theme's colours. Then comes a line for each row that is not empty, with its runs of cells
/// from left to right as `first+count foreground/background styles`. Colours of the theme appear by name, others by
/// value. A cell without its own background has none here, and blanks belong to the run before them. Then comes the
/// shade over the picture: a line for each shaded row, with a digit for each cell in sixteenths of black.
func looks(of grid: CellGrid, theme: Theme) -> String {
    let names = Dictionary(
        Mirror(reflecting: theme).children.compactMap { child in
            (child.value as? RGB).flatMap { color in child.label.map { (color, $0) } }
        }, uniquingKeysWith: { first, _ in first })
    func value(_ color: RGB) -> String {
        let digits = String(color.packed, radix: 16, uppercase: true)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
    func name(_ color: RGB) -> String { names[color] ?? value(color) }
    func look(_ cell: Cell) -> String? {
        let isOpaque = cell.style.contains(.opaque)
        guard cell.glyph != .none || isOpaque else { return nil }
        // A blank shows no foreground.
        let foreground = cell.glyph == .space || cell.glyph == .none ? "" : name(cell.foreground)
        var text = foreground + (isOpaque ? "/" + name(cell.background) : "")
        if text.isEmpty { return nil }
        let styles: [(CellStyle, Character)] = [
            (.bold, "b"), (.dim, "d"), (.italic, "i"), (.underline, "u"), (.reverse, "r"),
        ]
        let marks = String(styles.filter { cell.style.contains($0.0) && !foreground.isEmpty }.map(\.1))
        if !marks.isEmpty { text += " " + marks }
        return text
    }

    func ground(of cell: Cell) -> RGB? { cell.style.contains(.opaque) ? cell.background : nil }

    var lines = names.map { "\($0.value) \(value($0.key))" }.sorted()
    lines = ["colours: " + lines.joined(separator: ", ")]
    for row in 0..<grid.size.rows {
        var runs: [(first: Int, count: Int, look: String)] = []
        for column in 0..<grid.size.columns {
            let cell = grid[column, row]
            let isNext = runs.last.map { $0.first + $0.count == column } ?? false
            if isNext, cell.glyph == .space, ground(of: cell) == ground(of: grid[column - 1, row]) {
                runs[runs.count - 1].count += 1
                continue
            }
            guard let look = look(cell) else { continue }
            if isNext, runs.last?.look == look {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((column, 1, look))
            }
        }
        if !runs.isEmpty {
            lines.append("\(row): " + runs.map { "\($0.first)+\($0.count) \($0.look)" }.joined(separator: "  "))
        }
    }
    lines.append("shade")
    for row in 0..<grid.size.rows {
        let digits = (0..<grid.size.columns).map { column -> Character in
            let cell = grid[column, row]
            let digit = cell.style.contains(.opaque) ? 0 : Int(cell.shade) / 16
            return digit == 0 ? " " : Character(String(digit, radix: 16))
        }
        let line = String(digits).trimmingRight
        if !line.isEmpty { lines.append("\(row): \(line)") }
    }
    return lines.joined(separator: "\n") + "\n"
}
