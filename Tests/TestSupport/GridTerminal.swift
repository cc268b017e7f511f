import Model

/// A small, strict terminal emulator: applies bytes to a grid of cells, and throws at everything that it does not know.
///
/// It knows what flick writes: UTF-8, cursor moves, SGR, ED/EL/ECH, REP, DEC modes, wide characters, and the pending
/// wrap at the last column.
public struct GridTerminal {
    /// How a cell's colour was set.
    public enum Paint: Hashable, Sendable {
        case standard
        case rgb(RGB)
        case indexed(Int)
    }

    public struct Place: Hashable, Sendable {
        /// Empty in the right half of a wide character.
        public var text: String
        public var foreground: Paint
        public var background: Paint
        public var style: CellStyle

        public init(text: String, foreground: Paint, background: Paint, style: CellStyle) {
            self.text = text
            self.foreground = foreground
            self.background = background
            self.style = style
        }
    }

    public struct Error: Swift.Error, CustomStringConvertible {
        public var description: String
    }

    public let size: GridSize
    public private(set) var cells: [Place]
    public private(set) var row = 0
    public private(set) var column = 0
    /// The DEC private modes that are set.
    public private(set) var modes: Set<Int> = []
    /// How many lines were scrolled out at the last row: an update must not cause any.
    public private(set) var scrolls = 0
    private var waitsToWrap = false
    private var brush = Place(text: " ", foreground: .standard, background: .standard, style: [])
    private var last: Character?

    public init(size: GridSize) {
        self.size = size
        cells = Array(repeating: brush, count: size.cells)
    }

    public subscript(column: Int, row: Int) -> Place { cells[row * size.columns + column] }

    /// The text of a row, without the empty halves of wide characters.
    public func text(ofRow row: Int) -> String {
        cells[row * size.columns..<(row + 1) * size.columns].map(\.text).joined()
    }

    /// The upper and lower pixel of a cell with a half block, a full block or a space; `nil` for anything else.
    public func pixels(column: Int, row: Int) -> (upper: Paint, lower: Paint)? {
        let cell = self[column, row]
        guard cell.style.isEmpty else { return nil }
        switch cell.text {
        case "\u{2580}": return (cell.foreground, cell.background)
        case "\u{2584}": return (cell.background, cell.foreground)
        case "\u{2588}": return (cell.foreground, cell.foreground)
        case " ": return (cell.background, cell.background)
        default: return nil
        }
    }

    /// Applies bytes, which must end with a complete sequence.
    public mutating func feed(_ bytes: some Sequence<UInt8>) throws(Error) {
        var decoder = UTF8()
        var source = bytes.makeIterator()
        while true {
            let scalar: Unicode.Scalar
            switch decoder.decode(&source) {
            case .emptyInput: return
            case .error: throw Error(description: "bytes that are not UTF-8")
            case .scalarValue(let value): scalar = value
            }
            guard scalar == "\u{1B}" else {
                try print(scalar)
                continue
            }
            guard case .scalarValue("[") = decoder.decode(&source) else {
                throw Error(description: "an escape that begins no CSI")
            }
            var parameters = ""
            while true {
                guard case .scalarValue(let next) = decoder.decode(&source) else {
                    throw Error(description: "CSI \(parameters) has no end")
                }
                if ("@"..."~").contains(next) {
                    try control(parameters, Character(next))
                    break
                }
                parameters.unicodeScalars.append(next)
            }

        }
    }

    // MARK: Characters

    private mutating func print(_ scalar: Unicode.Scalar) throws(Error) {
        switch scalar.value {
        case 0x0D:
            column = 0
            waitsToWrap = false
        case 0x0A:
            waitsToWrap = false
            if row == size.rows - 1 { scrolls += 1 } else { row += 1 }
        case 0x08:
            column = max(column - 1, 0)
            waitsToWrap = false
        case ..<0x20, 0x7F..<0xA0:
            throw Error(description: "the control character \(scalar.value) at row \(row), column \(column)")
        default:
            if Self.width(scalar) == 0 { try combine(scalar) } else { try put(Character(scalar)) }
        }
    }

    private mutating func put(_ character: Character) throws(Error) {
        guard let scalar = character.unicodeScalars.first else { return }
        let width = Self.width(scalar)
        guard !waitsToWrap else { throw Error(description: "\(character) relies on wrapping after row \(row)") }
        guard column + width <= size.columns else {
            throw Error(description: "\(character) does not fit at row \(row), column \(column)")
        }
        for each in column..<column + width { clearHalves(at: each) }
        var place = brush
        place.text = String(character)
        cells[row * size.columns + column] = place
        if width == 2 {
            place.text = ""
            cells[row * size.columns + column + 1] = place
        }
        last = character
        column += width
        if column == size.columns {
            column = size.columns - 1
            waitsToWrap = true
        }
    }

    private mutating func combine(_ scalar: Unicode.Scalar) throws(Error) {
        var at = row * size.columns + (waitsToWrap ? column : column - 1)
        if at > 0, cells[at].text.isEmpty { at -= 1 }
        guard at >= 0, last != nil else { throw Error(description: "a mark that stands on nothing") }
        cells[at].text.unicodeScalars.append(scalar)
    }

    /// Overwriting one half of a wide character clears the other.
    private mutating func clearHalves(at column: Int) {
        let index = row * size.columns + column
        if cells[index].text.isEmpty, column > 0 { cells[index - 1].text = " " }
        if column + 1 < size.columns, cells[index + 1].text.isEmpty { cells[index + 1].text = " " }
    }

    /// The columns of a scalar: enough of East Asian Width and emoji for these tests.
    public static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    // MARK: Sequences

    private mutating func control(_ text: String, _ final: Character) throws(Error) {
        if text.hasPrefix("?"), final == "h" || final == "l" {
            guard let mode = Int(text.dropFirst()) else { throw Error(description: "the mode \(text)") }
            if final == "h" { modes.insert(mode) } else { modes.remove(mode) }
            return
        }
        var numbers: [Int] = []
        for part in text.split(separator: ";", omittingEmptySubsequences: false) where !text.isEmpty {
            guard let number = Int(part), number >= 0 else { throw Error(description: "CSI \(text) \(final)") }
            numbers.append(number)
        }
        let count = max(numbers.first ?? 1, 1)
        switch final {
        case "m": return try style(numbers.isEmpty ? [0] : numbers)
        case "b":
            guard let last else { throw Error(description: "REP of nothing") }
            for _ in 0..<count { try put(last) }
            return
        case "J", "K", "X":
            return try erase(final, numbers.first ?? (final == "X" ? 1 : 0))
        default: break
        }
        guard !waitsToWrap || final == "H" || final == "f" else {
            throw Error(description: "CSI \(text)\(final) while waiting to wrap, where terminals differ")
        }
        waitsToWrap = false
        switch final {
        case "H", "f":
            row = count - 1
            column = max(numbers.count > 1 ? numbers[1] : 1, 1) - 1
        case "A": row -= count
        case "B": row += count
        case "C": column += count
        case "D": column -= count
        case "d": row = count - 1
        case "G": column = count - 1
        default: throw Error(description: "CSI \(text)\(final) is not known")
        }
        guard (0..<size.rows).contains(row), (0..<size.columns).contains(column) else {
            throw Error(description: "CSI \(text)\(final) leaves the screen")
        }
    }

    private mutating func erase(_ final: Character, _ number: Int) throws(Error) {
        let place = row * size.columns + column
        let lineEnd = (row + 1) * size.columns
        let range: Range<Int>
        switch (final, number) {
        case ("J", 2): range = 0..<cells.count
        case ("J", 0): range = place..<cells.count
        case ("K", 0): range = place..<lineEnd
        case ("K", 2): range = row * size.columns..<lineEnd
        case ("X", _): range = place..<min(place + max(number, 1), lineEnd)
        default: throw Error(description: "CSI \(number)\(final) is not known")
        }
        guard !waitsToWrap else { throw Error(description: "an erasure while waiting to wrap") }
        let blank = Place(text: " ", foreground: .standard, background: brush.background, style: [])
        for index in range { cells[index] = blank }
        // If the right half of a wide character was erased, so is its left half.
        if range.lowerBound > 0, Self.width(cells[range.lowerBound - 1].text.unicodeScalars.first ?? " ") == 2 {
            cells[range.lowerBound - 1].text = " "
        }
    }

    private mutating func style(_ numbers: [Int]) throws(Error) {
        var rest = numbers[...]
        while let number = rest.popFirst() {
            switch number {
            case 0: brush = Place(text: " ", foreground: .standard, background: .standard, style: [])
            case 1: brush.style.insert(.bold)
            case 2: brush.style.insert(.dim)
            case 3: brush.style.insert(.italic)
            case 4: brush.style.insert(.underline)
            case 7: brush.style.insert(.reverse)
            case 22: brush.style.subtract([.bold, .dim])
            case 23: brush.style.remove(.italic)
            case 24: brush.style.remove(.underline)
            case 27: brush.style.remove(.reverse)
            case 30...37: brush.foreground = .indexed(number - 30)
            case 40...47: brush.background = .indexed(number - 40)
            case 90...97: brush.foreground = .indexed(number - 82)
            case 100...107: brush.background = .indexed(number - 92)
            case 38: brush.foreground = try paint(&rest)
            case 48: brush.background = try paint(&rest)
            case 39: brush.foreground = .standard
            case 49: brush.background = .standard
            default: throw Error(description: "SGR \(number) is not known")
            }
        }
    }

    private func paint(_ rest: inout ArraySlice<Int>) throws(Error) -> Paint {
        switch rest.popFirst() {
        case 5:
            if let index = rest.popFirst(), index < 256 { return .indexed(index) }
        case 2:
            if let red = rest.popFirst(), let green = rest.popFirst(), let blue = rest.popFirst(),
                max(red, green, blue) < 256
            {
                return .rgb(RGB(UInt8(red), UInt8(green), UInt8(blue)))
            }
        default: break
        }
        throw Error(description: "a colour of \(Array(rest))")
    }
}
