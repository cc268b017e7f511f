import Model

extension Canvas {
    /// Lays the text of one row of the overlay over the picture.
    func paintText(row: Int, from line: UnsafePointer<Cell>) {
        var column = 0
        while column < size.columns {
            let cell = line[column]
            let style = cell.style
            guard cell.glyph != .none || style.contains(.opaque) else {
                column += 1
                continue
            }
            guard !isTint(cell) else {
                column += 1
                continue
            }
            let isWide = column + 1 < size.columns && line[column + 1].glyph == .continuation && canLead(cell.glyph)
            // A right half without its left half, or nothing on its own background, is a blank.
            let isBlank = cell.glyph == .continuation || cell.glyph == .none
            let code = isBlank ? Glyph.space.code : cell.glyph.code
            // A blank without its own background shows only pixels.
            if pictureMode.hasPixels, code == Glyph.space.code, !style.contains(.opaque), !style.contains(.underline),
                !style.contains(.reverse)
            {
                column += 1
                continue
            }
            let (foreground, background) =
                pictureMode.isBelowText && !style.contains(.reverse)
                ? colorsAbovePixels(of: cell, column: column, row: row, isWide: isWide)
                : colors(of: cell, column: column, row: row, isWide: isWide)
            paint(
                code, style: style, foreground: foreground, background: background,
                at: row * size.columns + column, isWide: isWide)
            column += isWide ? 2 : 1
        }
    }

    /// Whether the cell was blended into the pixels already.
    private func isTint(_ cell: Cell) -> Bool { color != .mono && cell.tint != nil }

    private func canLead(_ glyph: Glyph) -> Bool {
        glyph != .none && glyph != .continuation && glyph.code >= 0x7F
    }

    /// The colours of a glyph and of its ground: its own, or the mean of the pixels it stands on, darkened.
    private func colors(of cell: Cell, column: Int, row: Int, isWide: Bool) -> (UInt32, UInt32) {
        let (own, opacity) = (cell.background.packed, cell.opacity)
        let isOpaque = cell.style.contains(.opaque)
        if isOpaque, opacity == 255 { return (cell.foreground.packed, own) }
        func ground(_ column: Int) -> UInt32 {
            // Its pixels are darkened.
            meanColor(
                of: pixels.base, samples: pictures.samplesPerCell, columns: size.columns, column: column, row: row)
        }
        var below = ground(column)
        if isWide { below = blend(below, with: ground(column + 1), weight: 128) }
        guard opacity == 255 else {
            let weight = UInt32(opacity) + UInt32(opacity >> 7)
            return (
                blend(below, with: cell.foreground.packed, weight: weight),
                isOpaque ? blend(below, with: own, weight: weight) : below
            )
        }
        guard cell.style.contains(.readable) else { return (cell.foreground.packed, below) }
        return (cell.foreground.packed, readable(ground: below, under: cell))
    }

    /// The ground as dark as a glyph needs it, in the colours that the terminal has.
    private func readable(ground: UInt32, under cell: Cell) -> UInt32 {
        let (text, contrast) = (cell.foreground.packed, Contrast.needed(by: cell.style))
        guard color == .palette256 else {
            let shade = Contrast.shade(of: ground, under: text, contrast: contrast)
            return shade == 0 ? ground : shaded(ground, by: shade)
        }
        let shown = quantiser.palette.color(of: quantiser.plain(text))
        var ground = ground
        while ground != 0,
            Contrast.ratio(shown, quantiser.palette.color(of: quantiser.plain(ground))) < contrast
        {
            ground = shaded(ground, by: 40)
        }
        return ground
    }

    private func paint(
        _ code: UInt32, style: CellStyle, foreground: UInt32, background: UInt32, at index: Int, isWide: Bool
    ) {
        forgetPicture(at: index)
        pictureCells[index] = 0
        if isWide {
            forgetPicture(at: index + 1)
            pictureCells[index + 1] = 0
        }
        var (foreground, background) = (foreground, background)
        var bits = UInt32(style.rawValue & 0x1F)
        if color == .mono {
            // Only plain, bold and reverse: not every terminal without colours has dim, italic and underline.
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
            background = background == PaintedCell.noGround ? background : quantiser.plain(background)
            if code == Glyph.space.code, !style.contains(.underline) {
                glyphs[index] = Glyph.space.code
                colors[index] = UInt64(background & 0xFF_FFFF) | UInt64(background) << 32
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
