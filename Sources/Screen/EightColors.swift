import TermGraphics

/// Pictures in 16 colours on terminals that have eight (linux, xterm, rxvt):
/// bold makes a foreground bright, and no background is.
///
/// A cell's pixels are put so that its bright one is the foreground: `▀` becomes `▄` with its colours exchanged.
enum EightColors {
    /// The same cell without a bright background, if it is part of a picture. Of two different bright colours one
    /// becomes darker.
    static func cell(_ cell: PaintedCell) -> PaintedCell {
        let (front, back) = (cell.foreground & 0xFF, cell.background & 0xFF)
        guard back >= 8, cell.style == 0, let inverse = inverse(of: cell.glyph) else { return cell }
        if front == back || cell.glyph == space { return painted(full, front: back, back: 0) }
        // As the background, the one that changes least: white becomes light grey, but dark grey becomes black.
        guard front < 8 || loss(of: back) > loss(of: front) else { return cell }
        return painted(inverse, front: back, back: front)
    }

    /// Which spaces of a row have letters on the same bright ground. They stay
    /// spaces, as letters cannot have that ground either.
    static func spacesBesideLetters(
        glyphs: some RandomAccessCollection<UInt32>, colors: some RandomAccessCollection<UInt64>
    )
        -> [Bool]
    {
        var stay = Array(repeating: false, count: glyphs.count)
        var run = 0..<0
        var hasLetter = false
        var ground: UInt64 = 0
        for (column, (glyph, colors)) in zip(glyphs, colors).enumerated() {
            let isPixel = glyph != space && (inverse(of: glyph) != nil || glyph == full)
            if isPixel || colors >> 32 != ground || run.isEmpty {
                run = column..<column
                hasLetter = false
                ground = colors >> 32
            }
            guard !isPixel, ground >= 8 else { continue }
            run = run.lowerBound..<(column + 1)
            if hasLetter {
                stay[column] = true
            } else if glyph != space {
                hasLetter = true
                for column in run { stay[column] = true }
            }
        }
        return stay
    }

    private static let space: UInt32 = 0x20
    private static let full: UInt32 = 0x2588
    /// The character that shows the same with foreground and background exchanged. A full block has no such character.
    private static func inverse(of glyph: UInt32) -> UInt32? {
        switch glyph {
        case space: return full
        case 0x2591, 0x2593: return 0x2591 + 0x2593 - glyph
        case 0x2592: return glyph
        default:
            let inverse = PartGlyphs.inverse(of: glyph)
            return inverse == 0 ? nil : inverse
        }
    }

    private static func loss(of color: UInt32) -> Int { color == 15 ? 1 : color == 8 ? 3 : 2 }

    private static func painted(_ glyph: UInt32, front: UInt32, back: UInt32) -> PaintedCell {
        PaintedCell(glyph: glyph, colors: UInt64(back) << 32 | UInt64(front))
    }
}
