import Model

/// A Wyse 60, limited to what its description uses (terminfo `wyse60`; Wyse WY-60 User's Guide, appendix D): a terminal
/// without ECMA-48.
public struct WyseTerminal {
    public struct Error: Swift.Error, CustomStringConvertible {
        public let description: String
    }

    public let size: GridSize
    public private(set) var column = 0
    public private(set) var row = 0
    public private(set) var isCursorShown = true
    /// How often the screen scrolled, which a full-screen program must never cause.
    public private(set) var scrolls = 0
    private var cells: [UInt8]
    private var wraps = true
    private var inserts = false
    /// The bytes of an incomplete sequence.
    private var sequence: [UInt8] = []

    public init(size: GridSize) {
        self.size = size
        cells = Array(repeating: 0x20, count: size.cells)
    }

    public var rows: [String] {
        (0..<size.rows).map { String(decoding: cells[$0 * size.columns..<($0 + 1) * size.columns], as: UTF8.self) }
    }

    public var text: String { rows.joined(separator: "\n") }

    public func contains(_ text: String) -> Bool { rows.contains { $0.contains(text) } }

    public mutating func feed(_ bytes: some Sequence<UInt8>) throws(Error) {
        for byte in bytes {
            if !sequence.isEmpty {
                sequence.append(byte)
                if try perform(sequence) { sequence.removeAll() }
                continue
            }
            switch byte {
            case 0x1B: sequence = [byte]
            case 0x08: left()
            case 0x09: column = min((column / 8 + 1) * 8, size.columns - 1)
            case 0x0A: down()
            case 0x0B: row = max(row - 1, 0)
            case 0x0C: right()
            case 0x0D: column = 0
            case 0x20..<0x7F: put(byte)
            case 0x00...0x1F: break
            default: throw Error(description: "byte \(byte) means nothing to a Wyse 60")
            }
        }
    }

    private mutating func put(_ byte: UInt8) {
        let begin = row * size.columns
        if inserts {
            cells.insert(byte, at: begin + column)
            cells.remove(at: begin + size.columns)
        } else {
            cells[begin + column] = byte
        }
        if column + 1 < size.columns {
            column += 1
        } else if wraps {
            column = 0
            down()
        }
    }

    private mutating func left() {
        if column > 0 {
            column -= 1
        } else if row > 0 {
            (row, column) = (row - 1, size.columns - 1)
        }
    }

    private mutating func right() { column = min(column + 1, size.columns - 1) }

    private mutating func down() {
        if row + 1 < size.rows {
            row += 1
        } else {
            scrolls += 1
            cells.removeFirst(size.columns)
            cells += Array(repeating: 0x20, count: size.columns)
        }
    }

    private mutating func clear(_ range: Range<Int>) { for index in range { cells[index] = 0x20 } }

    /// Carries out a sequence once it is complete; false before that.
    private mutating func perform(_ sequence: [UInt8]) throws(Error) -> Bool {
        guard sequence.count > 1 else { return false }
        let here = row * size.columns + column
        switch (Character(Unicode.Scalar(sequence[1])), sequence.count) {
        case ("=", 4):
            row = min(max(Int(sequence[2]) - 0x20, 0), size.rows - 1)
            column = min(max(Int(sequence[3]) - 0x20, 0), size.columns - 1)
        case ("+", 2):
            clear(0..<cells.count)
            (row, column) = (0, 0)
        case ("{", 2): (row, column) = (0, 0)
        case ("Y", 2): clear(here..<cells.count)
        case ("T", 2): clear(here..<(row + 1) * size.columns)
        case ("W", 2):
            cells.remove(at: here)
            cells.insert(0x20, at: (row + 1) * size.columns - 1)
        case ("E", 2):
            cells.insert(contentsOf: Array(repeating: 0x20, count: size.columns), at: row * size.columns)
            cells.removeLast(size.columns)
        case ("R", 2):
            cells.removeSubrange(row * size.columns..<(row + 1) * size.columns)
            cells += Array(repeating: 0x20, count: size.columns)
        case ("I", 2): column = max((column - 1) / 8 * 8, 0)
        case ("q", 2): inserts = true
        case ("r", 2): inserts = false
        case ("`", 3):
            if sequence[2] == 0x30 { isCursorShown = false } else if sequence[2] == 0x31 { isCursorShown = true }
        case ("d", 3): if sequence[2] == 0x2F { wraps = true } else if sequence[2] == 0x2E { wraps = false }
        // Attributes, protected fields, line drawing, pages, keys and margins do not change the text.
        case ("(", 2), (")", 2), ("G", 3), ("H", 3), ("w", 3), ("e", 3), ("~", 3), ("\'", 2): break
        case ("c", 3) where sequence[2] == UInt8(ascii: "D") || sequence[2] == UInt8(ascii: "E"): break
        case ("c", 4): break
        case ("=", _), ("`", _), ("d", _), ("G", _), ("H", _), ("w", _), ("e", _), ("~", _), ("c", _): return false
        default: throw Error(description: "the sequence \(sequence) means nothing to a Wyse 60")
        }
        return true
    }
}
