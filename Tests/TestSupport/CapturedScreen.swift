import Model

/// One cell of a screen that was read back from tmux. Colours are nil for the terminal's default.
public struct CapturedCell: Equatable, Sendable {
    /// Empty for the right half of a wide character.
    public var text = " "
    public var foreground: RGB?
    public var background: RGB?
    public var isBold = false
    public var isDim = false
    public var isUnderlined = false
    public var isReversed = false

    /// The visible colours of the cell's upper and lower half: half and full blocks are pixels, shade characters mix
    /// both colours, and other characters count as their background.
    public var halves: (upper: RGB, lower: RGB) {
        let (front, back) =
            isReversed ? (background ?? .black, foreground ?? .white) : (foreground ?? .white, background ?? .black)
        switch text {
        case "▀": return (front, back)
        case "▄": return (back, front)
        case "█": return (front, front)
        case "░", "▒", "▓":
            let mixed = front.mixed(with: back, by: text == "░" ? 0.75 : text == "▒" ? 0.5 : 0.25)
            return (mixed, mixed)
        default: return (back, back)
        }
    }
}

/// A screen as `tmux capture-pane -e -p -N` prints it.
public struct CapturedScreen: Equatable, Sendable {
    public let size: GridSize
    /// `size.cells` cells, row by row.
    public private(set) var cells: [CapturedCell]

    public init(size: GridSize, capture: String) {
        self.size = size
        cells = Array(repeating: CapturedCell(), count: size.cells)
        // tmux only writes what changed since the previous cell, also across lines.
        var pen = CapturedCell()
        var (column, row) = (0, 0)
        // By scalars: splitting into characters takes a debug build longer than tmux takes to print them.
        var rest = capture.unicodeScalars[...]
        while let scalar = rest.first, row < size.rows {
            switch scalar {
            case "\u{1B}": rest = Self.skipSequence(rest, pen: &pen)
            case "\n":
                rest.removeFirst()
                (column, row) = (0, row + 1)
            default:
                rest.removeFirst()
                put(scalar, pen, row: row, column: &column)
            }
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar, _ pen: CapturedCell, row: Int, column: inout Int) {
        // Most cells belong to pictures. These characters need no lookup of their width.
        let isBlock = scalar == " " || (0x2580...0x2593).contains(scalar.value)
        if !isBlock, column > 0, scalar.properties.canonicalCombiningClass != .notReordered || scalar == "\u{200D}" {
            cells[row * size.columns + column - 1].text.unicodeScalars.append(scalar)
            return
        }
        let width = isBlock ? 1 : Self.width(of: scalar)
        guard column + width <= size.columns else { return }
        var cell = pen
        cell.text = String(scalar)
        cells[row * size.columns + column] = cell
        if width == 2 {
            cell.text = ""
            cells[row * size.columns + column + 1] = cell
        }
        column += width
    }

    public subscript(column: Int, row: Int) -> CapturedCell { cells[row * size.columns + column] }

    /// The text of every row, without trailing spaces.
    public var rows: [String] {
        (0..<size.rows).map { row in
            let text = cells[(row * size.columns)..<((row + 1) * size.columns)].map(\.text).joined()
            let end = text.lastIndex { $0 != " " }
            return end.map { String(text[...$0]) } ?? ""
        }
    }

    public var text: String { rows.joined(separator: "\n") }

    public func contains(_ text: String) -> Bool { rows.contains { $0.contains(text) } }

    /// Where the first occurrence of a text begins.
    public func find(_ text: String) -> GridPoint? {
        for (row, line) in rows.enumerated() {
            guard let range = line.firstRange(of: text) else { continue }
            // The right halves of wide characters are empty, so the index of a letter is not its column.
            let before = line.distance(from: line.startIndex, to: range.lowerBound)
            var letters = 0
            for column in 0..<size.columns {
                if letters == before, !self[column, row].text.isEmpty { return GridPoint(column: column, row: row) }
                letters += self[column, row].text.count
            }
        }
        return nil
    }

    /// The mean colour of a region, two samples per cell; ignores what lies outside the screen.
    public func meanColor(of region: GridRect) -> RGB {
        var sums = (red: 0, green: 0, blue: 0)
        var count = 0
        for row in max(region.row, 0)..<min(region.row + region.rows, size.rows) {
            for column in max(region.column, 0)..<min(region.column + region.columns, size.columns) {
                let halves = self[column, row].halves
                for color in [halves.upper, halves.lower] {
                    sums.red += Int(color.red)
                    sums.green += Int(color.green)
                    sums.blue += Int(color.blue)
                    count += 1
                }
            }
        }
        guard count > 0 else { return .black }
        return RGB(UInt8(sums.red / count), UInt8(sums.green / count), UInt8(sums.blue / count))
    }

    // MARK: parsing

    private typealias Scalars = Substring.UnicodeScalarView

    /// What follows an escape sequence. SGR changes `pen`; other sequences (hyperlinks, charsets) are skipped.
    private static func skipSequence(_ text: Scalars, pen: inout CapturedCell) -> Scalars {
        let body = text.dropFirst()
        switch body.first {
        case "[":
            guard let end = body.dropFirst().firstIndex(where: { (0x40...0x7E).contains($0.value) }) else {
                return body.suffix(0)
            }
            if body[end] == "m" { apply(body[body.index(after: body.startIndex)..<end], to: &pen) }
            return body[body.index(after: end)...]
        case "]":
            guard let end = body.firstIndex(of: "\\") else { return body.suffix(0) }
            return body[body.index(after: end)...]
        case "(", ")":
            return body.dropFirst(2)
        default:
            return body.dropFirst()
        }
    }

    private static func apply(_ parameters: Scalars, to pen: inout CapturedCell) {
        // An empty parameter means 0.
        var numbers: ArraySlice = [0]
        for scalar in parameters {
            if scalar == ";" || scalar == ":" {
                numbers.append(0)
            } else if (0x30...0x39).contains(scalar.value) {
                numbers[numbers.endIndex - 1] = min(
                    numbers[numbers.endIndex - 1] * 10 + Int(scalar.value) - 0x30, 9_999)
            }
        }
        while let code = numbers.popFirst() {
            switch code {
            case 0: pen = CapturedCell()
            case 1: pen.isBold = true
            case 2: pen.isDim = true
            case 4: pen.isUnderlined = true
            case 7: pen.isReversed = true
            case 22: (pen.isBold, pen.isDim) = (false, false)
            case 24: pen.isUnderlined = false
            case 27: pen.isReversed = false
            case 30...37: pen.foreground = palette(code - 30)
            case 38: pen.foreground = color(&numbers)
            case 39: pen.foreground = nil
            case 40...47: pen.background = palette(code - 40)
            case 48: pen.background = color(&numbers)
            case 49: pen.background = nil
            case 90...97: pen.foreground = palette(code - 82)
            case 100...107: pen.background = palette(code - 92)
            default: break
            }
        }
    }

    private static func color(_ numbers: inout ArraySlice<Int>) -> RGB? {
        switch numbers.popFirst() {
        case 5:
            return numbers.popFirst().map { palette($0) }
        case 2:
            let parts = numbers.prefix(3).map { UInt8(clamping: $0) }
            numbers = numbers.dropFirst(3)
            return parts.count == 3 ? RGB(parts[0], parts[1], parts[2]) : nil
        default:
            return nil
        }
    }

    /// xterm's 256 colours.
    public static func palette(_ index: Int) -> RGB {
        switch index {
        case 0..<16:
            let levels: [UInt32] = [
                0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
                0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
            ]
            return RGB(packed: levels[index])
        case 16..<232:
            let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
            let index = index - 16
            return RGB(steps[index / 36], steps[index / 6 % 6], steps[index % 6])
        default:
            let level = UInt8(clamping: 8 + 10 * (index - 232))
            return RGB(level, level, level)
        }
    }

    /// The columns of a character, accurate enough for these tests.
    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            return 1
        }
    }
}
