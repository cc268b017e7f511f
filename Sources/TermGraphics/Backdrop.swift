import Model

/// A blurred and darkened copy of a picture, as large as its page:
/// fills the parts of the page that the picture leaves free.
///
/// The picture, scaled to cover the page, is averaged to a coarse grid of nodes; uniform cubic
/// B-splines through them make all pixels, so that no edge of the picture is left. A node follows
/// the picture only when that differs enough, and colours are rounded: a scene that stays costs
/// no bytes, and a row of cells has few colours. A value, owned by the drawing thread.
public struct Backdrop {
    /// The nodes across and down.
    private static let across = 10
    private static let down = 7
    /// By how much a channel of a node differs before it is taken over, 0 … 255.
    private static let tolerance: Float = 6
    /// How bright the backdrop is: the picture's brightness times this.
    private static let brightness: Float = 0.34
    /// Channels are rounded to multiples of this: no steps are seen in the dark.
    private static let step: Float = 2

    private var nodes = [SIMD4<Float>](repeating: SIMD4(), count: across * down)
    private var isKnown = false
    private var picture: Picture

    public init(page: PixelSize) {
        picture = Picture(size: page, pixels: Array(repeating: 0, count: page.width * page.height))
    }

    public var size: PixelSize { picture.size }

    /// Lends the backdrop's pixels; nil before the first `renew`.
    public func withView<Result>(_ body: (PictureView?) -> Result) -> Result {
        isKnown ? picture.withView(body) : body(nil)
    }

    /// Takes over `source` where it differs. `cell` is how many samples a cell has, across and down: all pixels of a
    /// cell get the same colour.
    public mutating func renew(from source: PictureView, cell: PixelSize) {
        guard source.size.width > 0, source.size.height > 0, size.width > 0, size.height > 0 else { return }
        var isChanged = !isKnown
        for row in 0..<Self.down {
            for column in 0..<Self.across {
                let wanted = mean(of: source, column: column, row: row)
                let index = row * Self.across + column
                let apart = wanted - nodes[index]
                guard !isKnown || max(abs(apart[0]), abs(apart[1]), abs(apart[2])) > Self.tolerance else { continue }
                nodes[index] = wanted
                isChanged = true
            }
        }
        isKnown = true
        if isChanged { paint(cell: cell) }
    }

    /// The mean colour of the part of `source` that a node stands for, where `source` covers the page.
    private func mean(of source: PictureView, column: Int, row: Int) -> SIMD4<Float> {
        let (width, height) = (Float(source.size.width), Float(source.size.height))
        let scale = max(Float(size.width) / width, Float(size.height) / height)
        // The part in view, in pixels of the source.
        let (shownWidth, shownHeight) = (Float(size.width) / scale, Float(size.height) / scale)
        let (left, top) = ((width - shownWidth) / 2, (height - shownHeight) / 2)
        func range(_ place: Int, of count: Int, from start: Float, over length: Float, limit: Int) -> Range<Int> {
            let first = Int(start + length * Float(place) / Float(count))
            let end = Int((start + length * Float(place + 1) / Float(count)).rounded(.up))
            let low = min(max(first, 0), limit - 1)
            return low..<min(max(end, low + 1), limit)
        }
        let columns = range(column, of: Self.across, from: left, over: shownWidth, limit: source.size.width)
        let rows = range(row, of: Self.down, from: top, over: shownHeight, limit: source.size.height)
        var (red, green, blue, count): (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
        for y in rows {
            let line = source.pixels + y * source.stride
            for x in columns {
                let pixel = line[x]
                red += pixel >> 16 & 0xFF
                green += pixel >> 8 & 0xFF
                blue += pixel & 0xFF
                count += 1
            }
        }
        return SIMD4(Float(red), Float(green), Float(blue), 0) / Float(count)
    }

    private mutating func paint(cell: PixelSize) {
        let (columns, rows) = (size.width / cell.width, size.height / cell.height)
        let horizontal = Self.weights(places: columns, nodes: Self.across)
        let vertical = Self.weights(places: rows, nodes: Self.down)
        var band = [SIMD4<Float>](repeating: SIMD4(), count: Self.across)
        for row in 0..<rows {
            for column in 0..<Self.across {
                band[column] = vertical[row].sum { nodes[$0 * Self.across + column] }
            }
            for column in 0..<columns {
                let color = horizontal[column].sum { band[$0] } * Self.brightness
                let rounded = (color / Self.step).rounded(.toNearestOrAwayFromZero) * Self.step
                let pixel = UInt32(rounded[0]) << 16 | UInt32(rounded[1]) << 8 | UInt32(rounded[2])
                for y in 0..<cell.height {
                    let first = (row * cell.height + y) * size.width + column * cell.width
                    for x in 0..<cell.width { picture.pixels[first + x] = pixel }
                }
            }
        }
    }

    /// The four nodes that a place lies between, and how much of each it is.
    private struct Weights {
        var nodes: SIMD4<Int32>
        var shares: SIMD4<Float>

        func sum(_ node: (Int) -> SIMD4<Float>) -> SIMD4<Float> {
            var sum = SIMD4<Float>()
            for place in 0..<4 { sum += node(Int(nodes[place])) * shares[place] }
            return sum
        }
    }

    /// The weights of a uniform cubic B-spline for `places` points over a row
    /// of nodes; the outermost nodes are repeated.
    private static func weights(places: Int, nodes: Int) -> [Weights] {
        (0..<places).map { place in
            let along = (Float(place) + 0.5) / Float(places) * Float(nodes) - 0.5
            let first = along.rounded(.down)
            let t = along - first
            let (t2, t3) = (t * t, t * t * t)
            let shares = SIMD4<Float>(
                (1 - t) * (1 - t) * (1 - t), 3 * t3 - 6 * t2 + 4, -3 * t3 + 3 * t2 + 3 * t + 1, t3)
            let last = Int32(nodes - 1)
            let around = SIMD4<Int32>(Int32(first) - 1, Int32(first), Int32(first) + 1, Int32(first) + 2)
            return Weights(
                nodes: pointwiseMin(pointwiseMax(around, SIMD4(repeating: 0)), SIMD4(repeating: last)),
                shares: shares / 6)
        }
    }
}

extension Canvas {
    /// Paints a cell of nothing but backdrop, where pictures are made of characters or of
    /// 256 colours. A blurred picture has no shapes, and the palette has many dark greys
    /// and few dark colours: there it becomes a grey, or a shade of two neighbours.
    @inline(__always)
    func paintBackdrop(_ index: Int, color: UInt32) {
        forgetPicture(at: index)
        guard self.color == .palette256 else {
            let plain = self.color == .mono ? 0 : quantiser.plain(color)
            glyphs[index] = Glyph.space.code
            colors[index] = UInt64(plain) | UInt64(plain) << 32
            return
        }
        // In quarters of the way from one grey to the next: they begin at 8, and are 10 apart (`TerminalPalette`).
        let quarters = min(max(Int(luma(color)) - 8, 0) * 4 / 10, 4 * (TerminalPalette.greys - 1) - 1)
        let (grey, part) = (UInt64(TerminalPalette.firstGrey + quarters / 4), UInt32(quarters % 4))
        if part == 0 || pictureMode == .ascii {
            glyphs[index] = Glyph.space.code
            colors[index] = grey | grey << 32
        } else {
            glyphs[index] = HalfBlock.lightShade - 1 + part
            colors[index] = (grey + 1) | grey << 32
        }
    }
}
