import Model

/// Writes single cells and knows what the terminal is set to: the cursor's place, the colours, the style.
///
/// Sequences are those of ECMA-48 (CUP, CUF, SGR, ECH, EL, REP); colours are SGR 38/48 (ISO 8613-6, with semicolons as
/// xterm takes them). Every method may write up to `bytesPerCell` bytes at `out`; the caller has reserved them.
struct Pen {
    /// More than a move, a style, two colours and a character take together.
    static let bytesPerCell = 128
    /// A colour the terminal is not known to be set to.
    static let unknown: UInt32 = 0xFFFF_FFFF

    var out: UnsafeMutablePointer<UInt8>
    let decimals: UnsafePointer<UInt64>
    var color: ColorMode
    /// Whether a full block may replace a blank of a picture: not where pictures are ASCII.
    var usesBlocks = true
    var foreground = Pen.unknown
    var background = Pen.unknown
    var style: UInt32 = 0
    /// −1 where it is not known.
    var row = -1
    /// The number of columns after a write to the last one: the cursor then
    /// waits to wrap, and terminals differ on what moves it.
    var column = -1

    // MARK: Bytes

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        out[0] = byte
        out += 1
    }

    /// Writes the low `count` bytes of `word`; up to 8 bytes are touched.
    @inline(__always)
    mutating func bytes(_ word: UInt64, count: Int) {
        UnsafeMutableRawPointer(out).storeBytes(of: word.littleEndian, as: UInt64.self)
        out += count
    }

    /// A number and one byte after it, to be overwritten if it should not be a semicolon.
    @inline(__always)
    mutating func number(_ value: Int) {
        if value < Decimals.count {
            let entry = decimals[value]
            UnsafeMutableRawPointer(out).storeBytes(
                of: UInt32(truncatingIfNeeded: entry).littleEndian, as: UInt32.self)
            out += Int(entry >> 32)
        } else {
            longNumber(value)
        }
    }

    @inline(never)
    private mutating func longNumber(_ value: Int) {
        for digit in String(value).utf8 { byte(digit) }
        byte(0x3B)
    }

    /// `CSI value final`.
    @inline(__always)
    mutating func control(_ value: Int, _ final: UInt8) {
        bytes(0x5B1B, count: 2)
        if value == 1 {
            byte(final)
        } else {
            number(value)
            out[-1] = final
        }
    }

    // MARK: Places

    static func digits(_ value: Int) -> Int {
        value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : String(value).utf8.count
    }

    /// What `CSI value final` takes.
    static func controlLength(_ value: Int) -> Int { value == 1 ? 3 : 3 + digits(value) }

    /// Moves the cursor the shortest way.
    mutating func move(row target: Int, column to: Int, columns: Int) {
        if row == target {
            if column == to { return }
            if to == 0 {
                byte(0x0D)
                column = 0
                return
            }
            if column >= 0, column < to, column < columns {
                control(to - column, 0x43)
                column = to
                return
            }
        }
        let absolute = Self.placeLength(row: target, column: to)
        let down = target - row
        // A return leaves the wait at the last column, and a line feed then
        // moves down in column 0 even where the tty adds returns.
        if row >= 0, down >= 0, 1 + down + (to == 0 ? 0 : Self.controlLength(to)) < absolute {
            byte(0x0D)
            for _ in 0..<down { byte(0x0A) }
            if to > 0 { control(to, 0x43) }
        } else if to == 0 {
            control(target + 1, 0x48)
        } else {
            bytes(0x5B1B, count: 2)
            number(target + 1)
            number(to + 1)
            out[-1] = 0x48
        }
        row = target
        column = to
    }

    private static func placeLength(row: Int, column: Int) -> Int {
        column == 0 ? controlLength(row + 1) : 4 + digits(row + 1) + digits(column + 1)
    }

    // MARK: Colours and styles

    /// The bytes a colour takes within an SGR.
    @inline(__always)
    func length(_ value: UInt32) -> Int {
        guard color == .truecolor else { return 1 }
        return Int(
            (decimals[Int(value >> 16 & 0xFF)] + decimals[Int(value >> 8 & 0xFF)] + decimals[Int(value & 0xFF)]) >> 32)
    }

    /// Sets what differs, in one SGR. `nil` leaves that colour as it is.
    @inline(__always)
    mutating func set(foreground wantedFore: UInt32?, background wantedBack: UInt32?, style wantedStyle: UInt32) {
        let needsFore = wantedFore.map { $0 != foreground } ?? false
        let needsBack = wantedBack.map { $0 != background } ?? false
        guard needsFore || needsBack || style != wantedStyle else { return }
        bytes(0x5B1B, count: 2)
        if style != wantedStyle { setStyle(wantedStyle) }
        if needsFore, let wantedFore { setColor(wantedFore, ground: 0x33) }
        if needsBack, let wantedBack {
            if wantedBack == PaintedCell.noGround { number(49) } else { setColor(wantedBack, ground: 0x34) }
        }
        out[-1] = 0x6D
        if needsFore, let wantedFore { foreground = wantedFore }
        if needsBack, let wantedBack { background = wantedBack }
    }

    /// `ground` is "3" for the foreground and "4" for the background.
    @inline(__always)
    private mutating func setColor(_ value: UInt32, ground: UInt8) {
        switch color {
        case .truecolor:
            bytes(UInt64(ground) | 0x3B_323B_3800, count: 5)  // x8;2;
            number(Int(value >> 16 & 0xFF))
            number(Int(value >> 8 & 0xFF))
            number(Int(value & 0xFF))
        case .palette256:
            bytes(UInt64(ground) | 0x3B_353B_3800, count: 5)  // x8;5;
            number(Int(value & 0xFF))
        case .palette16:
            // 30–37 and 40–47; the bright ones are 90–97 and 100–107 (aixterm).
            let first = Int(ground - 0x30) * 10
            number(value < 8 ? first + Int(value) : first + 60 + Int(value & 7))
        case .mono:
            break
        }
    }

    private mutating func setStyle(_ wanted: UInt32) {
        let all = CellStyle(rawValue: UInt8(truncatingIfNeeded: wanted))
        let before = CellStyle(rawValue: UInt8(truncatingIfNeeded: style))
        let gone = before.subtracting(all)
        var new = all.subtracting(before)
        if !gone.isDisjoint(with: [.bold, .dim]) {
            // 22 ends both bold and dim: the one that stays is set again.
            number(22)
            new.formUnion(all.intersection([.bold, .dim]))
        }
        if gone.contains(.italic) { number(23) }
        if gone.contains(.underline) { number(24) }
        if gone.contains(.reverse) { number(27) }
        if new.contains(.bold) { number(1) }
        if new.contains(.dim) { number(2) }
        if new.contains(.italic) { number(3) }
        if new.contains(.underline) { number(4) }
        if new.contains(.reverse) { number(7) }
        style = wanted
    }

    // MARK: Characters

    enum Block: UInt64 {
        case upper = 0x8096E2
        case lower = 0x8496E2
        case full = 0x8896E2
    }

    /// Writes two pixels with the character that needs the fewest bytes, and returns that character's length.
    ///
    /// `next` are the pixels to follow: between two ways of equal length, the one that leaves the background they need
    /// is used. Two equal pixels may be a full block if `mayBeBlock`. The blanks of a text must not: they would be
    /// copied as blocks.
    @inline(__always)
    mutating func pixels(upper: UInt32, lower: UInt32, next: UInt64, mayBeBlock: Bool = false) -> Int {
        if upper == lower {
            if usesBlocks, mayBeBlock, foreground == upper, background != upper {
                set(foreground: nil, background: nil, style: 0)
                bytes(Block.full.rawValue, count: 3)
                return 3
            }
            set(foreground: nil, background: upper, style: 0)
            byte(0x20)
            return 1
        }
        let straight = (foreground == upper ? length(upper) + 5 : 0) + (background == lower ? length(lower) + 5 : 0)
        let crossed = (foreground == lower ? length(lower) + 5 : 0) + (background == upper ? length(upper) + 5 : 0)
        if crossed > straight || crossed == straight && next == UInt64(upper) | UInt64(upper) << 32 {
            set(foreground: lower, background: upper, style: 0)
            bytes(Block.lower.rawValue, count: 3)
        } else {
            set(foreground: upper, background: lower, style: 0)
            bytes(Block.upper.rawValue, count: 3)
        }
        return 3
    }

    /// Writes a character of parts, or the inverted one with its colours
    /// swapped where that needs fewer bytes. Returns its length.
    @inline(__always)
    mutating func parts(_ code: UInt32, or inverse: UInt32, ink: UInt32, paper: UInt32) -> Int {
        let straight = (foreground == ink ? length(ink) + 5 : 0) + (background == paper ? length(paper) + 5 : 0)
        let crossed = (foreground == paper ? length(paper) + 5 : 0) + (background == ink ? length(ink) + 5 : 0)
        let isSwapped = crossed > straight
        set(foreground: isSwapped ? paper : ink, background: isSwapped ? ink : paper, style: 0)
        return scalar(isSwapped ? inverse : code)
    }

    /// Writes a character in its colours; not for clusters. Returns its length.
    @inline(__always)
    @discardableResult
    mutating func scalar(_ code: UInt32) -> Int {
        let start = out
        switch code {
        case ..<0x80: byte(UInt8(truncatingIfNeeded: code))
        case ..<0x800:
            byte(UInt8(truncatingIfNeeded: 0xC0 | code >> 6))
            byte(UInt8(truncatingIfNeeded: 0x80 | code & 0x3F))
        case ..<0x1_0000:
            byte(UInt8(truncatingIfNeeded: 0xE0 | code >> 12))
            byte(UInt8(truncatingIfNeeded: 0x80 | code >> 6 & 0x3F))
            byte(UInt8(truncatingIfNeeded: 0x80 | code & 0x3F))
        default:
            byte(UInt8(truncatingIfNeeded: 0xF0 | code >> 18))
            byte(UInt8(truncatingIfNeeded: 0x80 | code >> 12 & 0x3F))
            byte(UInt8(truncatingIfNeeded: 0x80 | code >> 6 & 0x3F))
            byte(UInt8(truncatingIfNeeded: 0x80 | code & 0x3F))
        }
        return out - start
    }
}

/// The numbers 0…999 as text with a semicolon: four bytes in the low half, their count in the high half.
enum Decimals {
    static let count = 1000

    static func make() -> Plane<UInt64> {
        let plane = Plane<UInt64>(count: count, filledWith: 0)
        for value in 0..<count {
            var text: UInt64 = 0
            var length: UInt64 = 0
            for byte in (String(value) + ";").utf8 {
                text |= UInt64(byte) << (8 * length)
                length += 1
            }
            plane[value] = text | length << 32
        }
        return plane
    }
}
