import Model

extension Canvas {
    /// Lays the text of one row of the overlay over what is painted already.
    func paintText(row: Int, from line: UnsafePointer<Cell>) {
        var column = 0
        while column < size.columns {
            let cell = line[column]
            let style = cell.style
            guard cell.glyph != .none || style.contains(.opaque) else {
                column += 1
                continue
            }
            let isWide = column + 1 < size.columns && line[column + 1].glyph == .continuation && canLead(cell.glyph)
            // A right half without its left half, or nothing on its own background, is a blank.
            let isBlank = cell.glyph == .continuation || cell.glyph == .none
            let code = isBlank ? Glyph.space.code : cell.glyph.code
            paint(
                code, style: style, foreground: cell.foreground.packed,
                background: background(of: cell, column: column, row: row, isWide: isWide),
                at: row * size.columns + column, isWide: isWide)
            column += isWide ? 2 : 1
        }
    }

    private func canLead(_ glyph: Glyph) -> Bool {
        glyph != .none && glyph != .continuation && glyph.code >= 0x7F
    }

    /// The cell's own background, or the mean of the pixels it stands on, darkened by its shade.
    private func background(of cell: Cell, column: Int, row: Int, isWide: Bool) -> UInt32 {
        if cell.style.contains(.opaque) { return cell.background.packed }
        var red: UInt32 = 0
        var green: UInt32 = 0
        var blue: UInt32 = 0
        var count: UInt32 = 0
        for each in column...(isWide ? column + 1 : column) {
            eachSample(column: each, row: row) { pixel in
                red += pixel.pointee >> 16
                green += pixel.pointee >> 8 & 0xFF
                blue += pixel.pointee & 0xFF
                count += 1
            }
        }
        let half = count / 2
        let mean = ((red + half) / count) << 16 | ((green + half) / count) << 8 | (blue + half) / count
        return shaded(mean, by: cell.shade)
    }

    private func paint(
        _ code: UInt32, style: CellStyle, foreground: UInt32, background: UInt32, at index: Int, isWide: Bool
    ) {
        forgetPicture(at: index)
        if isWide { forgetPicture(at: index + 1) }
        var (foreground, background) = (foreground, background)
        var bits = UInt32(style.rawValue & 0x1F)
        if color == .mono {
            // Only plain, bold and reverse: dim, italic and underline are not to be had everywhere that has no colour.
            let isDark = style.contains(.opaque) && luma(foreground) < luma(background)
            let isReverse = style.contains(.reverse) != isDark
            bits = UInt32(style.rawValue & CellStyle.bold.rawValue)
            if code == Glyph.space.code { bits = 0 }
            if isReverse { bits |= UInt32(CellStyle.reverse.rawValue) }
            (foreground, background) = (0, 0)
        } else {
            // Swapped here, so that a reversed cell and one painted in those colours are the same cell.
            if style.contains(.reverse) { swap(&foreground, &background) }
            bits &= ~UInt32(CellStyle.reverse.rawValue)
            foreground = quantiser.plain(foreground)
            background = quantiser.plain(background)
            if code == Glyph.space.code, !style.contains(.underline) {
                glyphs[index] = Glyph.space.code
                colors[index] = UInt64(background) | UInt64(background) << 32
                return
            }
        }
        let packed = UInt64(foreground | bits << 24) | UInt64(background) << 32
        glyphs[index] = code
        colors[index] = packed
        if isWide {
            glyphs[index + 1] = Glyph.continuation.code
            colors[index + 1] = packed
        }
    }
}

/// Brightness, 0…255: the weights of BT.601 in 256ths.
@inline(__always)
func luma(_ color: UInt32) -> UInt32 {
    ((color >> 16 & 0xFF) * 77 + (color >> 8 & 0xFF) * 150 + (color & 0xFF) * 29) >> 8
}
