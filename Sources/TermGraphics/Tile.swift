import Model

/// A small picture, and where it goes.
public struct TilePicture {
    /// The content.
    public enum Kind: Equatable {
        /// A still of a grid: a part of what is below the overlay.
        case still
        /// An avatar: it lies over the page and what text darkens of it, in these rows of the terminal. A circle where
        /// pixels are shown, as high and wide as the frame.
        case avatar(rows: Range<Int>)
        /// A still over the page, with a line of one pixel around it in the colour of `ground`.
        case framed
    }

    public var kind: Kind
    /// As large as the frame; nil without a picture.
    public var picture: Picture?
    public var frame: GridRect
    /// The colour of the frame without a picture.
    public var ground: RGB
    /// How much it is darkened, 0 … 255: evenly, where shades of the overlay change gradually between cells.
    public var shade: UInt8

    public init(_ kind: Kind = .still, picture: Picture?, frame: GridRect, ground: RGB, shade: UInt8 = 0) {
        (self.kind, self.picture, self.frame, self.ground, self.shade) = (kind, picture, frame, ground, shade)
    }
}

extension Canvas {
    /// Where a tile lies, in pixels.
    private struct Place {
        var left: Int
        var top: Int
        var extent: PixelSize
        /// What of it is on the canvas.
        var columns: Range<Int>
        var rows: Range<Int>
    }

    /// nil if nothing of the frame is in these rows of the terminal.
    private func place(of frame: GridRect, within visible: Range<Int>) -> Place? {
        let (samples, whole) = (pictures.samplesPerCell, pictures.pictureSize(for: size))
        let (left, top) = (frame.column * samples.width, frame.row * samples.height)
        let extent = pictures.pictureSize(for: GridSize(columns: frame.columns, rows: frame.rows))
        let lines = visible.clamped(to: 0..<size.rows)
        let columns = max(left, 0)..<max(min(left + extent.width, whole.width), max(left, 0))
        let first = max(top, lines.lowerBound * samples.height)
        let rows = first..<max(min(top + extent.height, lines.upperBound * samples.height), first)
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        return Place(left: left, top: top, extent: extent, columns: columns, rows: rows)
    }

    /// Paints a tile's picture, or its ground. What of it lies outside the canvas is left out.
    mutating func paint(_ tile: TilePicture) {
        guard let place = place(of: tile.frame, within: 0..<size.rows) else { return }
        let (columns, rows, width) = (place.columns, place.rows, pictures.pictureSize(for: size).width)
        markCells(columns, rows, isBackdrop: false)
        guard let picture = tile.picture, picture.size == place.extent else {
            let ground = shaded(tile.ground.packed, by: tile.shade)
            for row in rows {
                (pixels.base + row * width + columns.lowerBound).update(repeating: ground, count: columns.count)
            }
            return
        }
        picture.withView { view in
            for row in rows {
                let source = view.pixels + (row - place.top) * view.stride + columns.lowerBound - place.left
                if stretchesTones, row & 1 == 0 { tones.count(source, count: columns.count) }
                let target = pixels.base + row * width + columns.lowerBound
                if tile.shade == 0 {
                    target.update(from: source, count: columns.count)
                } else {
                    for x in 0..<columns.count { target[x] = shaded(source[x] & 0xFF_FFFF, by: tile.shade) }
                }
            }
        }
    }

    /// Paints a still with a frame over the canvas; nothing without a picture.
    mutating func paintFramed(_ tile: TilePicture) {
        guard tile.picture != nil else { return }
        paint(tile)
        guard let place = place(of: tile.frame, within: 0..<size.rows) else { return }
        let width = pictures.pictureSize(for: size).width
        let (right, bottom) = (place.left + place.extent.width - 1, place.top + place.extent.height - 1)
        for row in place.rows {
            for column in place.columns
            where row == place.top || row == bottom || column == place.left || column == right {
                pixels[row * width + column] = tile.ground.packed
            }
        }
    }

    /// Paints an avatar over the canvas; nothing without a picture.
    func paintAvatar(_ tile: TilePicture, _ visible: Range<Int>) {
        guard let place = place(of: tile.frame, within: visible), let picture = tile.picture,
            picture.size == place.extent
        else { return }
        markCells(place.columns, place.rows, isBackdrop: false)
        let (width, isRound) = (pictures.pictureSize(for: size).width, pictureMode.hasPixels)
        picture.withView { view in
            for row in place.rows {
                let source = view.pixels + (row - place.top) * view.stride - place.left
                let target = pixels.base + row * width
                for column in place.columns {
                    let color = shaded(source[column] & 0xFF_FFFF, by: tile.shade)
                    guard isRound else {
                        target[column] = color
                        continue
                    }
                    let share = Self.circleShare(column - place.left, row - place.top, of: place.extent)
                    target[column] = blend(target[column], with: color, weight: UInt32(share * 256))
                }
            }
        }
    }

    /// How much of a pixel is in the ellipse that touches all sides of
    /// a picture, 0 … 1: a fraction within half a pixel of the edge.
    private static func circleShare(_ column: Int, _ row: Int, of size: PixelSize) -> Float {
        let across = (2 * Float(column) + 1) / Float(size.width) - 1
        let down = (2 * Float(row) + 1) / Float(size.height) - 1
        let distance = (1 - (across * across + down * down).squareRoot()) * Float(min(size.width, size.height)) / 2
        return min(max(distance + 0.5, 0), 1)
    }
}

extension Picture {
    /// `source` stretched from cells of `former` pixels to cells of `samples`, until there are pictures made for those:
    /// each pixel is that at its place.
    public init(stretching source: PictureView, from former: PixelSize, to samples: PixelSize) {
        let size = PixelSize(
            width: source.size.width * samples.width / former.width,
            height: source.size.height * samples.height / former.height)
        var pixels: [UInt32] = []
        pixels.reserveCapacity(size.width * size.height)
        for row in 0..<size.height {
            let line = source.pixels + row * former.height / samples.height * source.stride
            for column in 0..<size.width { pixels.append(line[column * former.width / samples.width] & 0xFF_FFFF) }
        }
        self.init(size: size, pixels: pixels)
    }

    /// `source` scaled to cover `size`, and cropped to it around its middle. Each
    /// pixel is the mean of those that it stands for, in the values as they are.
    ///
    /// All of `source` is read once at most. Any thread.
    ///
    /// - Parameter pixel: the width and height of a pixel of the
    ///   result, in pixels of `source` or in any unit shared by both.
    public init(
        covering size: PixelSize, with source: PictureView, pixel: PixelSize = PixelSize(width: 1, height: 1)
    ) {
        let (width, height) = (source.size.width, source.size.height)
        guard size.width > 0, size.height > 0, width > 0, height > 0 else {
            self.init(size: size, pixels: Array(repeating: 0, count: max(size.width, 0) * max(size.height, 0)))
            return
        }
        // The part of the source in view, in its pixels: as much as fits of the shape of `size`.
        let (across, down) = (size.width * max(pixel.width, 1), size.height * max(pixel.height, 1))
        let isWide = width * down > height * across
        let shownWidth = isWide ? max(height * across / down, 1) : width
        let shownHeight = isWide ? height : max(width * down / across, 1)
        let (left, top) = ((width - shownWidth) / 2, (height - shownHeight) / 2)
        func range(_ place: Int, of count: Int, over length: Int, from start: Int) -> Range<Int> {
            let first = place * length / count
            return (start + first)..<(start + max((place + 1) * length / count, first + 1))
        }
        let columns = (0..<size.width).map { range($0, of: size.width, over: shownWidth, from: left) }
        let pixels = [UInt32](unsafeUninitializedCapacity: size.width * size.height) { buffer, count in
            for row in 0..<size.height {
                let rows = range(row, of: size.height, over: shownHeight, from: top)
                for (column, sources) in columns.enumerated() {
                    var (red, green, blue): (UInt32, UInt32, UInt32) = (0, 0, 0)
                    for y in rows {
                        let line = source.pixels + y * source.stride
                        for x in sources {
                            let pixel = line[x]
                            red += pixel >> 16 & 0xFF
                            green += pixel >> 8 & 0xFF
                            blue += pixel & 0xFF
                        }
                    }
                    let area = UInt32(rows.count * sources.count)
                    let half = area / 2
                    (red, green, blue) = ((red + half) / area, (green + half) / area, (blue + half) / area)
                    buffer[row * size.width + column] = red << 16 | green << 8 | blue
                }
            }
            count = size.width * size.height
        }
        self.init(size: size, pixels: pixels)
    }
}
