import Model

extension Canvas {
    /// Paints the background, the pictures of `pages` in order, then `overlay`, which must be of the canvas's size.
    ///
    /// Each page is `pageSize` cells at its `top`. A picture smaller than its page is centred, a larger one is cropped around its centre.
    /// A `.continuation` after a glyph says that it is wide: widths are the overlay's business, and are believed.
    /// Pictures move in whole samples: half rows for half blocks, quarter rows for ASCII. The pixels are read once each.
    public mutating func compose(pages: [PagePicture], pageSize: GridSize, overlay: CellGrid, background: RGB) {
        precondition(overlay.size == size, "the overlay covers the terminal")
        pixels.base.update(repeating: background.packed, count: pixels.count)
        for page in pages { paint(page, pageSize: pageSize, background: background) }
        if stretchesTones, tones.settle() { forgetPictures() }
        overlay.cells.withUnsafeBufferPointer { cells in
            guard let cells = cells.baseAddress else { return }
            for row in 0..<size.rows {
                let line = cells + row * size.columns
                let hasOverlay = darken(row: row, under: line)
                switch pictureMode {
                case .half: paintHalfBlocks(row: row)
                case .ascii: paintASCII(row: row)
                }
                if hasOverlay { paintText(row: row, from: line) }
            }
        }
    }

    // MARK: Pictures

    private func paint(_ page: PagePicture, pageSize: GridSize, background: RGB) {
        guard let picture = page.picture, page.top.isFinite, abs(page.top) < 1e6 else { return }
        let page0 = Int((page.top * Double(pictureMode.samplesPerCell.height)).rounded())
        let whole = pictureMode.pictureSize(for: size)
        let pagePixels = pictureMode.pictureSize(for: pageSize)
        // Where the picture's corner lies on the page: negative where it is cropped. Rounded down, so that odd sizes do not jump.
        let left = (pagePixels.width - picture.size.width) >> 1
        let above = (pagePixels.height - picture.size.height) >> 1
        let firstColumn = max(left, 0)
        let endColumn = min(left + picture.size.width, pagePixels.width, whole.width)
        let firstRow = max(page0 + max(above, 0), 0)
        let endRow = min(page0 + min(above + picture.size.height, pagePixels.height), whole.height)
        guard firstColumn < endColumn, firstRow < endRow else { return }
        let weight = UInt32((min(max(page.cover.isNaN ? 0 : page.cover, 0), 1) * 256).rounded())
        for row in firstRow..<endRow {
            let source = picture.pixels + (row - page0 - above) * picture.stride + (firstColumn - left)
            let target = pixels.base + row * whole.width + firstColumn
            let count = endColumn - firstColumn
            if stretchesTones, row & 1 == 0 { tones.count(source, count: count) }
            if weight == 0 {
                for column in 0..<count { target[column] = source[column] & 0xFF_FFFF }
            } else {
                for column in 0..<count {
                    target[column] = blend(source[column], with: background.packed, weight: weight)
                }
            }
        }
    }

    /// Darkens the pixels under shades; tells whether the row has anything laid over it.
    private func darken(row: Int, under line: UnsafePointer<Cell>) -> Bool {
        var found = false
        for column in 0..<size.columns {
            let cell = line + column
            guard cell.pointee.glyph.code | UInt32(cell.pointee.shade) | UInt32(cell.pointee.style.rawValue) != 0
            else { continue }
            found = true
            guard cell.pointee.glyph == .none, cell.pointee.shade > 0 else { continue }
            eachSample(column: column, row: row) { $0.pointee = shaded($0.pointee, by: cell.pointee.shade) }
        }
        return found
    }

    @inline(__always)
    func eachSample(column: Int, row: Int, _ body: (UnsafeMutablePointer<UInt32>) -> Void) {
        let samples = pictureMode.samplesPerCell
        let width = size.columns * samples.width
        for y in 0..<samples.height {
            for x in 0..<samples.width {
                body(pixels.base + (row * samples.height + y) * width + column * samples.width + x)
            }
        }
    }

    private func paintHalfBlocks(row: Int) {
        let upper = pixels.base + 2 * row * size.columns
        let lower = upper + size.columns
        let target = colors.base + row * size.columns
        let codes = glyphs.base + row * size.columns
        let columns = size.columns
        guard color == .truecolor else { return paintPaletteHalfBlocks(row: row) }
        for column in 0..<columns {
            target[column] = UInt64(upper[column]) | UInt64(lower[column]) << 32
            codes[column] = upper[column] == lower[column] ? Glyph.space.code : HalfBlock.upper
        }
    }
}

/// The characters that show two pixels, one above the other (Unicode's Block Elements).
enum HalfBlock {
    static let upper: UInt32 = 0x2580
    static let lower: UInt32 = 0x2584
    static let full: UInt32 = 0x2588
}

/// The colour `weight`/256 of the way from `color` to `other`.
@inline(__always)
func blend(_ color: UInt32, with other: UInt32, weight: UInt32) -> UInt32 {
    // Red and blue lie 16 bits apart, so one multiplication serves both.
    let redBlue = (color & 0xFF00FF) * (256 - weight) + (other & 0xFF00FF) * weight + 0x800080
    let green = (color & 0x00FF00) * (256 - weight) + (other & 0x00FF00) * weight + 0x008000
    return (redBlue >> 8) & 0xFF00FF | (green >> 8) & 0x00FF00
}

/// `color` darkened by `shade`: 0 leaves it, 255 makes it black.
@inline(__always)
func shaded(_ color: UInt32, by shade: UInt8) -> UInt32 {
    // 255 must be all of it: 255 + 1 is 256/256.
    blend(color, with: 0, weight: UInt32(shade) + UInt32(shade >> 7))
}
