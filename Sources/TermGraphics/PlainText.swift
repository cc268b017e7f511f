import Model

extension Canvas {
    /// Appends the canvas as plain rows, for output that is no terminal of
    /// ours: no cursor moves, colours reset at each row's end.
    public func appendRows(to buffer: inout ByteBuffer) {
        let decimals = Decimals.make()
        let hasColor = color != .mono
        var pen = Pen(
            out: buffer.reserve((size.columns + 1) * Pen.bytesPerCell), decimals: UnsafePointer(decimals.base),
            color: color)
        pen.usesBlocks = pictureMode.needsUnicode
        for row in 0..<size.rows {
            pen.out = buffer.reserve((size.columns + 1) * Pen.bytesPerCell)
            pen.foreground = Pen.unknown
            pen.background = Pen.unknown
            pen.style = 0
            var wasSet = false
            let line = CellRow(colors: colors.base + row * size.columns, glyphs: glyphs.base + row * size.columns)
            for column in 0..<size.columns {
                let cell = cell(row * size.columns + column)
                if cell.glyph == Glyph.continuation.code { continue }
                if hasColor, line.isPixels(column) {
                    _ = pen.pixels(
                        upper: cell.foreground, lower: cell.background, next: 0,
                        mayBeBlock: pictureCells[row * size.columns + column] == 1)
                } else {
                    pen.set(
                        foreground: hasColor ? cell.foreground : nil, background: hasColor ? cell.background : nil,
                        style: cell.style)
                    buffer.commit(upTo: pen.out)
                    buffer.append(CleanGlyph.text(of: Glyph(code: cell.glyph)))
                    pen.out = buffer.reserve((size.columns - column + 1) * Pen.bytesPerCell)
                }
                wasSet = wasSet || pen.background != Pen.unknown || pen.foreground != Pen.unknown || pen.style != 0
            }
            if wasSet { pen.bytes(0x6D_5B1B, count: 3) }
            pen.byte(0x0A)
            buffer.commit(upTo: pen.out)
        }
    }
}
