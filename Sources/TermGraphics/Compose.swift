import Model

extension Canvas {
    /// Paints the background, the pictures of `pages` in order, those of `tiles`, then `overlay`, which must be of the
    /// canvas's size; avatars, framed stills, and `arcs` and `heart` where there are pixels, lie over its shades and
    /// below its text.
    ///
    /// Each page is `pageSize` cells at its `top`. A picture smaller than its page is centred, a larger one is cropped
    /// around its centre. A `.continuation` after a glyph says that it is wide: widths are the overlay's business, and
    /// are believed. Pictures move in whole samples: half rows for half blocks, quarter rows for ASCII. The pixels are
    /// read once each.
    public mutating func compose(
        pages: [PagePicture], tiles: [TilePicture] = [], arcs: [ArcShape] = [], heart: HeartShape? = nil,
        pageSize: GridSize, overlay: CellGrid, background: RGB
    ) {
        precondition(overlay.size == size, "the overlay covers the terminal")
        pixels.base.update(repeating: background.packed, count: pixels.count)
        backdropCells.base.update(repeating: 0, count: backdropCells.count)
        pictureCells.base.update(repeating: 1, count: pictureCells.count)
        for page in pages { paint(page, pageSize: pageSize, background: background) }
        for tile in tiles where tile.kind == .still { paint(tile) }
        if stretchesTones, tones.settle() { forgetPictures() }
        // While pages move, other pictures and other letters come to the same cells.
        updateVeil(for: overlay, remembers: pages.count == 1 && pages[0].top == 0)
        for row in 0..<size.rows { darken(row: row) }
        for tile in tiles where tile.kind == .framed { paintFramed(tile) }
        for tile in tiles { if case .avatar(let rows) = tile.kind { paintAvatar(tile, rows) } }
        overlay.cells.withUnsafeBufferPointer { cells in
            guard let cells = cells.baseAddress else { return }
            for index in overlayIndex.tints { tint(index, with: cells[index]) }
            if pictureMode.hasPixels { for arc in arcs { paint(arc) } }
            if pictureMode.hasPixels, let heart { paint(heart) }
            for row in 0..<size.rows {
                switch pictureMode {
                case .ascii: paintASCII(row: row)
                case .half: paintHalfBlocks(row: row)
                case .braille, .quadrant, .sextant, .octant: paintParts(row: row)
                case .kitty, .sixel, .iterm2: clearCells(row: row)
                }
                if overlayIndex.hasText[row] { paintText(row: row, from: cells + row * size.columns) }
            }
        }
    }

    // MARK: Pictures

    private func paint(_ page: PagePicture, pageSize: GridSize, background: RGB) {
        guard page.top.isFinite, abs(page.top) < 1e6 else { return }
        if let backdrop = page.backdrop {
            paint(backdrop, of: page, pageSize: pageSize, background: background, isBackdrop: true)
        }
        if let picture = page.picture {
            paint(picture, of: page, pageSize: pageSize, background: background, isBackdrop: false)
        }
    }

    private func paint(
        _ picture: PictureView, of page: PagePicture, pageSize: GridSize, background: RGB, isBackdrop: Bool
    ) {
        let page0 = Int((page.top * Double(pictures.samplesPerCell.height)).rounded())
        let whole = pictures.pictureSize(for: size)
        let pagePixels = pictures.pictureSize(for: pageSize)
        // Where the picture's corner lies on the page: negative where it is
        // cropped. Rounded down, so that odd sizes do not jump.
        let left = (pagePixels.width - picture.size.width) >> 1
        let above = (pagePixels.height - picture.size.height) >> 1
        let firstColumn = max(left, 0)
        let endColumn = min(left + picture.size.width, pagePixels.width, whole.width)
        let firstRow = max(page0 + max(above, 0), 0)
        let bottom = whole.height - (isBackdrop ? 0 : rowsWithoutPixels * pictures.samplesPerCell.height)
        let endRow = min(page0 + min(above + picture.size.height, pagePixels.height), bottom)
        guard firstColumn < endColumn, firstRow < endRow else { return }
        var (columns, rows) = (firstColumn..<endColumn, firstRow..<endRow)
        if endsWithWholeCells, !isBackdrop {
            let samples = pictures.samplesPerCell
            columns = columns.inWholeCells(
                of: samples.width, first: left > 0, last: left + picture.size.width < pagePixels.width)
            rows = rows.inWholeCells(
                of: samples.height, first: above > 0, last: above + picture.size.height < pagePixels.height)
        }
        let weight = UInt32((min(max(page.cover.isNaN ? 0 : page.cover, 0), 1) * 256).rounded())
        markCells(columns, rows, isBackdrop: isBackdrop)
        for row in rows {
            let source = picture.pixels + (row - page0 - above) * picture.stride + (columns.lowerBound - left)
            let target = pixels.base + row * whole.width + columns.lowerBound
            let count = columns.count
            if stretchesTones, !isBackdrop, row & 1 == 0 { tones.count(source, count: count) }
            if weight == 0 {
                for column in 0..<count { target[column] = source[column] & 0xFF_FFFF }
            } else {
                for column in 0..<count {
                    target[column] = blend(source[column], with: background.packed, weight: weight)
                }
            }
        }
    }

    /// Whether a picture ends at the edge of a cell: a cell that is partly ground has few colours to show that, so that
    /// the edge would be ragged.
    private var endsWithWholeCells: Bool { !pictureMode.hasPixels && (color == .palette16 || color == .mono) }

    /// Notes which cells show a backdrop and no picture.
    func markCells(_ columns: Range<Int>, _ rows: Range<Int>, isBackdrop: Bool) {
        guard backdropCells.count > 0 else { return }
        let samples = pictures.samplesPerCell
        let (first, end) = (columns.lowerBound / samples.width, (columns.upperBound - 1) / samples.width + 1)
        for row in rows.lowerBound / samples.height...(rows.upperBound - 1) / samples.height {
            (backdropCells.base + row * size.columns + first).update(repeating: isBackdrop ? 1 : 0, count: end - first)
        }
    }

    // MARK: Shades and blending

    private mutating func updateVeil(for overlay: CellGrid, remembers: Bool) {
        let isNew = overlayIndex.update(overlay)
        let (columns, samples, pixels) = (size.columns, pictures.samplesPerCell, pixels.base)
        veil.update(for: overlayIndex, isNew: isNew, remembers: remembers) { letter in
            meanColor(of: pixels, samples: samples, columns: columns, column: letter.column, row: letter.row)
        }
    }

    /// Darkens the pixels of a row of cells. Between a cell and the ones above and below it the darkness changes
    /// gradually, and in a pattern too fine to be seen as steps.
    private func darken(row: Int) {
        guard let own = veil.row(row) else { return }
        guard !pictureMode.hasPixels else { return darkenSmoothly(row: row, by: own) }
        let samples = pictures.samplesPerCell
        let width = size.columns * samples.width
        let above = row > 0 ? own - size.columns : own
        let below = row + 1 < size.rows ? own + size.columns : own
        for y in 0..<samples.height {
            // The middle of this row of pixels, in 16ths of the cell's height from its middle.
            let place = (16 * y + 8) / samples.height - 8
            let (beside, share) = place < 0 ? (above, UInt32(-place)) : (below, UInt32(place))
            let line = pixels.base + (row * samples.height + y) * width
            let pattern = Self.pattern(row: row * samples.height + y)
            var x = 0
            if samples.width <= 2 {
                while x + 4 <= width {
                    let (near, far) =
                        samples.width == 1
                        ? (Self.four(own + x), Self.four(beside + x))
                        : (Self.pairs(own + x / 2), Self.pairs(beside + x / 2))
                    let depth = near &* (16 - share) &+ far &* share
                    if depth != SIMD4() { darken(line + x, by: (depth &+ pattern) &>> 4) }
                    x += 4
                }
            }
            while x < width {
                let column = x / samples.width
                let depth = UInt32(own[column]) * (16 - share) + UInt32(beside[column]) * share
                // In 16ths, rounded up or down by the pattern.
                if depth > 0 { line[x] = shaded(line[x], by: UInt8(min((depth + pattern[x & 3]) >> 4, 255))) }
                x += 1
            }
        }
    }

    /// Four pixels, as `shaded` does each; `depth` 0 … 255.
    @inline(__always)
    private func darken(_ pixels: UnsafeMutablePointer<UInt32>, by depth: SIMD4<UInt32>) {
        let memory = UnsafeMutableRawPointer(pixels)
        let color = memory.loadUnaligned(as: SIMD4<UInt32>.self)
        let light = 256 &- depth &- (depth &>> 7)
        let redBlue = (((color & 0xFF00FF) &* light &+ 0x800080) &>> 8) & 0xFF00FF
        let green = (((color & 0x00FF00) &* light &+ 0x008000) &>> 8) & 0x00FF00
        memory.storeBytes(of: redBlue | green, as: SIMD4<UInt32>.self)
    }

    @inline(__always)
    private static func four(_ bytes: UnsafePointer<UInt8>) -> SIMD4<UInt32> {
        SIMD4<UInt32>(truncatingIfNeeded: UnsafeRawPointer(bytes).loadUnaligned(as: SIMD4<UInt8>.self))
    }

    /// Two bytes, each twice.
    @inline(__always)
    private static func pairs(_ bytes: UnsafePointer<UInt8>) -> SIMD4<UInt32> {
        let (left, right) = (UInt32(bytes[0]), UInt32(bytes[1]))
        return SIMD4(left, left, right, right)
    }

    /// A row of an ordered dither of 4 × 4 (Bayer 1973), 0 … 15.
    @inline(__always)
    static func pattern(row: Int) -> SIMD4<UInt32> {
        switch row & 3 {
        case 0: [0, 8, 2, 10]
        case 1: [12, 4, 14, 6]
        case 2: [3, 11, 1, 9]
        default: [15, 7, 13, 5]
        }
    }

    /// Blends a cell of one colour over its pixels.
    private func tint(_ index: Int, with cell: Cell) {
        guard let color = cell.tint else { return }
        pictureCells[index] = 0
        let weight = UInt32(cell.opacity) + UInt32(cell.opacity >> 7)
        eachSample(column: index % size.columns, row: index / size.columns) {
            $0.pointee = blend($0.pointee, with: color.packed, weight: weight)
        }
    }

    @inline(__always)
    func eachSample(column: Int, row: Int, _ body: (UnsafeMutablePointer<UInt32>) -> Void) {
        let samples = pictures.samplesPerCell
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

extension Range<Int> {
    /// Without the cells of `samples` that it covers in part: at its first end, its last, or both. All of it if no
    /// cell would be left.
    fileprivate func inWholeCells(of samples: Int, first: Bool, last: Bool) -> Range<Int> {
        let start = first ? (lowerBound + samples - 1) / samples * samples : lowerBound
        let end = last ? upperBound / samples * samples : upperBound
        return start < end ? start..<end : self
    }
}

/// The mean colour of the pixels that a cell stands on, in a grid of `columns` cells.
@inline(__always)
func meanColor(of pixels: UnsafePointer<UInt32>, samples: PixelSize, columns: Int, column: Int, row: Int) -> UInt32 {
    let width = columns * samples.width
    let first = pixels + row * samples.height * width + column * samples.width
    guard samples.width * samples.height <= 257 else { return meanColor(of: first, size: samples, stride: width) }
    var (redBlue, green): (UInt32, UInt32) = (0, 0)
    for y in 0..<samples.height {
        for x in 0..<samples.width {
            redBlue += first[y * width + x] & 0xFF00FF
            green += first[y * width + x] >> 8 & 0xFF
        }
    }
    // Of at most 257 samples each sum has room in 16 bits.
    let count = UInt32(samples.width * samples.height)
    let half = count / 2
    let (red, blue) = (((redBlue >> 16) + half) / count, ((redBlue & 0xFFFF) + half) / count)
    return red << 16 | ((green + half) / count) << 8 | blue
}

extension Cell {
    /// The one colour of a cell that is blended over its pixels; nil for a cell of another kind. A full block is
    /// painted so too, as many fonts leave a gap between two of them.
    var tint: RGB? {
        if glyph.code == HalfBlock.full { return foreground }
        return opacity < 255 && glyph == .space && style.contains(.opaque) ? background : nil
    }
}

/// The characters that show two pixels, one above the other (Unicode's Block Elements).
enum HalfBlock {
    static let upper: UInt32 = 0x2580
    static let lower: UInt32 = 0x2584
    static let full: UInt32 = 0x2588
    /// A quarter of the foreground; half of it and three quarters come next.
    static let lightShade: UInt32 = 0x2591
}

/// The colour `weight`/256 of the way from `color` to `other`.
@inline(__always)
func blend(_ color: UInt32, with other: UInt32, weight: UInt32) -> UInt32 {
    // Red and blue lie 16 bits apart, so one multiplication serves both.
    let redBlue = (color & 0xFF00FF) * (256 - weight) + (other & 0xFF00FF) * weight + 0x800080
    let green = (color & 0x00FF00) * (256 - weight) + (other & 0x00FF00) * weight + 0x008000
    return (redBlue >> 8) & 0xFF00FF | (green >> 8) & 0x00FF00
}

/// A round shape among a canvas's pixels: its middle and radius in pixels, and the pixels that may show it. A value.
struct ShapePlace {
    let middle: (x: Double, y: Double)
    let radius: Double
    let columns: Range<Int>
    let rows: Range<Int>
}

extension Canvas {
    /// Blends a shape over the pixels. Each of them counts by its quarters, so that the edge is smooth.
    ///
    /// - Parameters:
    ///   - covers: whether the shape has a point, in radii from its middle; y points down.
    ///   - color: in such a direction.
    @inline(__always)
    func paint(
        _ place: ShapePlace, opacity: UInt8 = 255, covers: (Double, Double) -> Bool, color: (Double, Double) -> RGB
    ) {
        let (stride, middle) = (pictures.pictureSize(for: size).width, place.middle)
        for y in place.rows {
            let line = pixels.base + y * stride
            for x in place.columns {
                var quarters: UInt32 = 0
                for quarter in 0..<4 {
                    let (right, down) = (Double(quarter % 2) / 2 + 0.25, Double(quarter / 2) / 2 + 0.25)
                    let point = (Double(x) + right - middle.x, Double(y) + down - middle.y)
                    if covers(point.0 / place.radius, point.1 / place.radius) { quarters += 1 }
                }
                guard quarters > 0 else { continue }
                let weight = (UInt32(opacity) + UInt32(opacity >> 7)) * quarters / 4
                let color = color(Double(x) + 0.5 - middle.x, Double(y) + 0.5 - middle.y)
                line[x] = blend(line[x], with: color.packed, weight: weight)
            }
        }
    }
}

/// `color` darkened by `shade`: 0 leaves it, 255 makes it black.
@inline(__always)
func shaded(_ color: UInt32, by shade: UInt8) -> UInt32 {
    // 255 must be all of it: 255 + 1 is 256/256.
    blend(color, with: 0, weight: UInt32(shade) + UInt32(shade >> 7))
}
