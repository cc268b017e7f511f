import Model

/// A still of a grid, and where it goes.
public struct TilePicture {
    /// As large as the frame; nil while there is none.
    public var picture: Picture?
    public var frame: GridRect
    /// The colour of the frame without a picture.
    public var ground: RGB

    public init(picture: Picture?, frame: GridRect, ground: RGB) {
        (self.picture, self.frame, self.ground) = (picture, frame, ground)
    }
}

extension Canvas {
    /// Paints a tile's picture, or its ground. What of it lies outside the canvas is left out.
    mutating func paint(_ tile: TilePicture) {
        let (samples, whole) = (pictures.samplesPerCell, pictures.pictureSize(for: size))
        let (left, top) = (tile.frame.column * samples.width, tile.frame.row * samples.height)
        let extent = pictures.pictureSize(for: GridSize(columns: tile.frame.columns, rows: tile.frame.rows))
        let columns = max(left, 0)..<max(min(left + extent.width, whole.width), max(left, 0))
        let rows = max(top, 0)..<max(min(top + extent.height, whole.height), max(top, 0))
        guard !columns.isEmpty, !rows.isEmpty else { return }
        markCells(columns, rows, isBackdrop: false)
        guard let picture = tile.picture, picture.size == extent else {
            for row in rows {
                (pixels.base + row * whole.width + columns.lowerBound)
                    .update(repeating: tile.ground.packed, count: columns.count)
            }
            return
        }
        picture.withView { view in
            for row in rows {
                let source = view.pixels + (row - top) * view.stride + columns.lowerBound - left
                if stretchesTones, row & 1 == 0 { tones.count(source, count: columns.count) }
                (pixels.base + row * whole.width + columns.lowerBound).update(from: source, count: columns.count)
            }
        }
    }
}

extension Picture {
    /// `source` stretched from cells of `former` pixels to cells of `samples`, until there are pictures made for those: each pixel is that at its place.
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

    /// `source` scaled to cover `size`, and cropped to it around its middle. Each pixel is the mean of those that it stands for, in the values as they are.
    ///
    /// All of `source` is read once at most. Any thread.
    public init(covering size: PixelSize, with source: PictureView) {
        let (width, height) = (source.size.width, source.size.height)
        guard size.width > 0, size.height > 0, width > 0, height > 0 else {
            self.init(size: size, pixels: Array(repeating: 0, count: max(size.width, 0) * max(size.height, 0)))
            return
        }
        // The part of the source in view, in its pixels: as much as fits of the shape of `size`.
        let isWide = width * size.height > height * size.width
        let shownWidth = isWide ? max(height * size.width / size.height, 1) : width
        let shownHeight = isWide ? height : max(width * size.height / size.width, 1)
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
