import Model

/// Pictures as DEC's sixels (VT340 Graphics Programming Reference Manual, chapter 14): six rows of pixels at a time,
/// one colour after the other.
///
/// The colours of a pixel are dithered in a pattern that lies still on the
/// screen, so that what stays the same is drawn the same.
///
/// Cells whose text stays are left out: xterm shows a picture before it reads what follows, and
/// the text would be gone until then. Other terminals replace the cells' text all the same.
struct SixelPictures: ~Copyable, CellPictures {
    /// A cell in pixels of the terminal, which are not scaled: a sample that covers several is repeated.
    let cell: PixelSize
    let maxCells: GridSize
    let leavesTextOut = true
    private let samples: PixelSize
    private var palette: SixelPalette
    /// The colours of a rectangle's samples.
    private let indices: Plane<UInt8>
    /// The sixels of a band: the column of each and its bits below that, and the next one of the same colour.
    private let sixels: Plane<UInt32>
    private let links: Plane<Int32>
    /// Of each colour the first and the last sixel of a band; −1 where it has none.
    private let firsts = Plane<Int32>(count: 256, filledWith: -1)
    private let lasts = Plane<Int32>(count: 256, filledWith: -1)
    /// For each pixel across and down a cell the sample that it shows.
    private let (across, down): ([Int], [Int])

    /// - Parameters:
    ///   - grid: the terminal.
    ///   - limit: the most pixels that a picture may have, across and down.
    ///   - samples: the pixels of a canvas's cell, no more than `cell` has.
    ///   - colors: how many colour registers the terminal has.
    init(grid: GridSize, cell: PixelSize, samples: PixelSize, colors: Int, limit: PixelSize) {
        maxCells = GridSize(columns: max(limit.width / cell.width, 1), rows: max(limit.height / cell.height, 1))
        self.cell = cell
        self.samples = samples
        palette = SixelPalette(most: colors)
        indices = Plane(count: grid.cells * samples.width * samples.height, filledWith: 0)
        sixels = Plane(count: 6 * grid.columns * cell.width, filledWith: 0)
        links = Plane(count: sixels.count, filledWith: 0)
        across = (0..<cell.width).map { $0 * samples.width / cell.width }
        down = (0..<cell.height).map { $0 * samples.height / cell.height }
    }

    mutating func begin(_ pixels: UnsafePointer<UInt32>, count: Int) { palette.suit(pixels, count: count) }

    mutating func append(_ pixels: CellPixels, over area: GridRect, to buffer: inout ByteBuffer) {
        let used = chooseColors(pixels.pixels, stride: pixels.stride, area: area)
        let (width, height) = (area.columns * cell.width, area.rows * cell.height)
        // P2 = 1: pixels without a colour stay unchanged. The raster's attributes: square pixels, and the size.
        buffer.append("\u{1B}P0;1;0q\"1;1;\(width);\(height)")
        for (index, color) in palette.colors.enumerated() where used[index] {
            func hundredths(_ shift: UInt32) -> UInt32 { ((color >> shift & 0xFF) * 100 + 127) / 255 }
            buffer.append("#\(index);2;\(hundredths(16));\(hundredths(8));\(hundredths(0))")
        }
        for band in Swift.stride(from: 0, to: height, by: 6) {
            if band > 0 { buffer.append(UInt8(ascii: "-")) }
            appendBand(band, rows: min(6, height - band), of: pixels, area: area, to: &buffer)
        }
        buffer.append("\u{1B}\\")
    }

    /// Finds each sample's colour; returns which are used.
    private mutating func chooseColors(_ pixels: UnsafePointer<UInt32>, stride: Int, area: GridRect) -> [Bool] {
        let (width, height) = (area.columns * samples.width, area.rows * samples.height)
        var used = Array(repeating: false, count: 256)
        let spread = palette.spread
        let table = palette.nearest.base
        let (left, top) = (area.column * samples.width, area.row * samples.height)
        for y in 0..<height {
            let line = pixels + (top + y) * stride + left
            let target = indices.base + y * width
            let shifts = (SIMD8<Int32>(Self.pattern[(top + y) & 7]) &* spread) &>> 6
            for x in 0..<width {
                let pixel = Int32(truncatingIfNeeded: line[x])
                let shift = shifts[(left + x) & 7]
                func moved(_ channel: Int32) -> Int32 { min(max((channel & 0xFF) &+ shift, 0), 255) }
                let key = SixelPalette.key(moved(pixel >> 16), moved(pixel >> 8), moved(pixel))
                let known = table[key]
                let index = known == SixelPalette.unknown ? palette.find(key) : known
                target[x] = UInt8(truncatingIfNeeded: index)
            }
            for x in 0..<width { used[Int(target[x])] = true }
        }
        return used
    }

    /// An ordered dither of 8 × 8 (Bayer 1973), −63 … 63.
    private static let pattern: [[Int32]] = {
        var values: [[Int32]] = [[0]]
        while values.count < 8 {
            let double = values.map { $0.map { 4 * $0 } }
            let upper = double.map { row in row + row.map { $0 + 2 } }
            let lower = double.map { row in row.map { $0 + 3 } + row.map { $0 + 1 } }
            values = upper + lower
        }
        return values.map { $0.map { 2 * $0 - 63 } }
    }()

    /// `rows` rows of pixels from row `top` of the area on.
    private func appendBand(
        _ top: Int, rows: Int, of pixels: CellPixels, area: GridRect, to buffer: inout ByteBuffer
    ) {
        let (sixels, links, firsts, lasts) = (sixels.base, links.base, firsts.base, lasts.base)
        let line = area.columns * samples.width
        let text = pixels.hasText.map { hasText in
            (0..<rows).map { hasText + (area.row + (top + $0) / cell.height) * pixels.columns + area.column }
        }
        func start(_ y: Int) -> UnsafeMutablePointer<UInt8> {
            let y = top + min(y, rows - 1)
            return indices.base + (y / cell.height * samples.height + down[y % cell.height]) * line
        }
        let starts = (start(0), start(1), start(2), start(3), start(4), start(5))
        var order: [Int] = []
        var count: Int32 = 0
        var x: UInt32 = 0
        @inline(__always)
        func note(_ color: UInt8, bit: UInt32) {
            let color = Int(color)
            let last = lasts[color]
            if last >= 0, sixels[Int(last)] >> 8 == x {
                sixels[Int(last)] |= bit
                return
            }
            sixels[Int(count)] = x << 8 | bit
            links[Int(count)] = -1
            if last >= 0 {
                links[Int(last)] = count
            } else {
                firsts[color] = count
                order.append(color)
            }
            lasts[color] = count
            count &+= 1
        }
        for column in 0..<area.columns {
            // The rows whose cell has no text that stays.
            var drawn = (1 as UInt32) << UInt32(rows) - 1
            if let text {
                for y in 0..<rows where text[y][column] != 0 { drawn &= ~(1 << UInt32(y)) }
            }
            for place in across {
                let sample = column * samples.width + place
                if drawn & 1 != 0 { note(starts.0[sample], bit: 1) }
                if drawn & 2 != 0 { note(starts.1[sample], bit: 2) }
                if drawn & 4 != 0 { note(starts.2[sample], bit: 4) }
                if drawn & 8 != 0 { note(starts.3[sample], bit: 8) }
                if drawn & 16 != 0 { note(starts.4[sample], bit: 16) }
                if drawn & 32 != 0 { note(starts.5[sample], bit: 32) }
                x &+= 1
            }
        }
        for (place, color) in order.enumerated() {
            // Back to the band's left end.
            if place > 0 { buffer.append(UInt8(ascii: "$")) }
            append(color, width: area.columns * cell.width, to: &buffer)
            (firsts[color], lasts[color]) = (-1, -1)
        }
    }

    /// One colour of a band: its number, and its sixels from the left up to the last set one.
    private func append(_ color: Int, width: Int, to buffer: inout ByteBuffer) {
        // Its number, and for each sixel at most a gap and itself.
        var out = buffer.reserve(16 + 8 * width)
        out[0] = UInt8(ascii: "#")
        out = Self.number(UInt32(color), at: out + 1)
        var (next, x) = (firsts[color], UInt32(0))
        while next >= 0 {
            let (begin, bits) = (sixels[Int(next)] >> 8, sixels[Int(next)] & 0xFF)
            var end = begin + 1
            next = links[Int(next)]
            while next >= 0, sixels[Int(next)] == end << 8 | bits {
                end += 1
                next = links[Int(next)]
            }
            // 63 is a sixel without any pixel.
            out = Self.run(63, begin - x, at: out)
            out = Self.run(63 + UInt8(truncatingIfNeeded: bits), end - begin, at: out)
            x = end
        }
        buffer.commit(upTo: out)
    }

    @inline(__always)
    private static func number(_ value: UInt32, at out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        var out = out
        var divisor: UInt32 = value < 10 ? 1 : value < 100 ? 10 : value < 1_000 ? 100 : value < 10_000 ? 1_000 : 10_000
        while divisor > 0 {
            out[0] = UInt8(truncatingIfNeeded: 48 + value / divisor % 10)
            out += 1
            divisor /= 10
        }
        return out
    }

    /// A sixel several times; a count saves bytes from four on.
    @inline(__always)
    private static func run(
        _ sixel: UInt8, _ length: UInt32, at out: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var out = out
        if length > 3 {
            out[0] = UInt8(ascii: "!")
            out = number(length, at: out + 1)
            out[0] = sixel
            return out + 1
        }
        for _ in 0..<length {
            out[0] = sixel
            out += 1
        }
        return out
    }
}
