import Model
import Testing

@testable import TermGraphics

@Suite struct TileTests {
    /// Each pixel encodes its place: red the column, green the row.
    private func picture(_ width: Int, _ height: Int) -> Picture {
        let pixels = (0..<height).flatMap { row in (0..<width).map { UInt32($0 << 16 | row << 8 | 7) } }
        return Picture(size: PixelSize(width: width, height: height), pixels: pixels)
    }

    private func covering(_ width: Int, _ height: Int, with source: Picture) -> Picture {
        source.withView { Picture(covering: PixelSize(width: width, height: height), with: $0) }
    }

    @Test func theMiddleIsCroppedOut() {
        // Of 100×60 a square of 60 in the middle: columns 20 … 79.
        let tile = covering(6, 6, with: picture(100, 60))
        for row in 0..<6 {
            for column in 0..<6 {
                let pixel = tile.pixels[row * 6 + column]
                // The mean of ten columns and rows, rounded: 24.5 and 4.5 in the first.
                #expect(pixel >> 16 == UInt32(25 + 10 * column) && pixel >> 8 & 0xFF == UInt32(5 + 10 * row))
                #expect(pixel & 0xFF == 7)
            }
        }
        let tall = covering(10, 2, with: picture(50, 200))
        #expect(tall.pixels[0] >> 8 & 0xFF == 97 && tall.pixels[10] >> 8 & 0xFF == 102)
    }

    @Test func aSmallPictureIsEnlarged() {
        let tile = covering(4, 4, with: picture(2, 2))
        #expect(tile.pixels.map { $0 >> 16 } == [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1])
        #expect(covering(3, 2, with: picture(3, 2)) == picture(3, 2))
    }

    @Test(arguments: [(1, 1), (1, 300), (300, 1), (7, 5), (0, 3), (64, 2)])
    func everyShapeWorks(width: Int, height: Int) {
        for (columns, rows) in [(1, 1), (5, 8), (40, 3), (0, 0)] {
            let tile = covering(columns, rows, with: picture(width, height))
            #expect(tile.pixels.count == columns * rows)
        }
    }

    /// It hides what is below it, and has a line of one pixel around it; without a picture it is not there.
    @Test func aFramedStillLiesOverThePage() {
        let size = GridSize(columns: 8, rows: 5)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        var overlay = CellGrid(size: size)
        for row in 0..<5 { for column in 0..<8 { overlay[column, row].shade = 200 } }
        let frame = GridRect(column: 2, row: 1, columns: 5, rows: 3)
        for shown in [picture(5, 6), nil] {
            canvas.compose(
                pages: [],
                tiles: [TilePicture(.framed, picture: shown, frame: frame, ground: RGB(packed: 0xAA_BBCC))],
                pageSize: size, overlay: overlay, background: .black)
            for y in 2..<8 {
                for x in 2..<7 {
                    let isEdge = y == 2 || y == 7 || x == 2 || x == 6
                    let wanted = isEdge ? 0xAA_BBCC : UInt32((x - 2) << 16 | (y - 2) << 8 | 7)
                    #expect(canvas.pixels.base[y * 8 + x] == (shown == nil ? 0 : wanted))
                }
            }
            #expect(canvas.pixels.base[2 * 8 + 1] == 0)
        }
    }

    /// What is in view of a tile beyond an edge is the part that belongs there.
    @Test func aTileBeyondTheEdgeIsCut() {
        let size = GridSize(columns: 6, rows: 4)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        for (column, row) in [(-2, -1), (3, 2), (0, 0)] {
            let frame = GridRect(column: column, row: row, columns: 5, rows: 3)
            canvas.compose(
                pages: [], tiles: [TilePicture(picture: picture(5, 6), frame: frame, ground: .black)], pageSize: size,
                overlay: CellGrid(size: size), background: .white)
            for y in 0..<8 {
                for x in 0..<6 {
                    let (ownX, ownY) = (x - column, y - 2 * row)
                    let isInside = (0..<5).contains(ownX) && (0..<6).contains(ownY)
                    let wanted = isInside ? UInt32(ownX << 16 | ownY << 8 | 7) : 0xFF_FFFF
                    #expect(canvas.pixels.base[y * 6 + x] == wanted)
                }
            }
        }
    }

    /// Tiles stand in their frames, also where the canvas ends, and nothing is painted beside them.
    @Test(arguments: [PictureMode.half, .ascii, .octant])
    func tilesStandInTheirFrames(mode: PictureMode) {
        let (size, red) = (GridSize(columns: 20, rows: 10), RGB(packed: 0xC00000))
        var canvas = Canvas(size: size, pictureMode: mode, color: .truecolor)
        func tile(_ frame: GridRect, hasPicture: Bool) -> TilePicture {
            let pixels = mode.pictureSize(for: GridSize(columns: frame.columns, rows: frame.rows))
            let picture = Picture(
                size: pixels, pixels: Array(repeating: 0xC00000, count: pixels.width * pixels.height))
            return TilePicture(picture: hasPicture ? picture : nil, frame: frame, ground: red)
        }
        let frames = [
            GridRect(column: 2, row: 1, columns: 5, rows: 4), GridRect(column: 16, row: 7, columns: 9, rows: 9),
            GridRect(column: -3, row: 8, columns: 5, rows: 4), GridRect(column: 30, row: 2, columns: 2, rows: 2),
        ]
        let (overlay, samples) = (CellGrid(size: size), mode.samplesPerCell)
        for hasPicture in [true, false] {
            canvas.compose(
                pages: [], tiles: frames.map { tile($0, hasPicture: hasPicture) }, pageSize: size, overlay: overlay,
                background: .black)
            for row in 0..<size.rows {
                for column in 0..<size.columns {
                    let point = GridPoint(column: column, row: row)
                    let wanted: UInt32 = frames.contains { $0.contains(point) } ? 0xC00000 : 0
                    let first = row * samples.height * size.columns * samples.width + column * samples.width
                    #expect(canvas.pixels.base[first] == wanted)
                }
            }
        }
    }

    /// Up to its edges, and nothing beside it.
    @Test(arguments: [PictureMode.half, .octant, .kitty]) func tileIsDarkenedEvenly(mode: PictureMode) {
        let (size, frame) = (GridSize(columns: 10, rows: 6), GridRect(column: 3, row: 2, columns: 4, rows: 3))
        var canvas = Canvas(size: size, pictureMode: mode, color: .truecolor)
        for hasPicture in [true, false] {
            let tile = TilePicture(
                picture: hasPicture ? flat(0xFF8000, frame, mode) : nil, frame: frame, ground: RGB(packed: 0xFF8000),
                shade: 128)
            canvas.compose(
                pages: [], tiles: [tile], pageSize: size, overlay: CellGrid(size: size), background: .white)
            let samples = canvas.pictures.samplesPerCell
            let width = size.columns * samples.width
            for y in 0..<(size.rows * samples.height) {
                for x in 0..<width {
                    let cell = GridPoint(column: x / samples.width, row: y / samples.height)
                    let wanted = frame.contains(cell) ? shaded(0xFF8000, by: 128) : 0xFFFFFF
                    #expect(canvas.pixels[y * width + x] == wanted)
                }
            }
        }
    }

    private func flat(_ color: UInt32, _ frame: GridRect, _ mode: PictureMode) -> Picture {
        let size = mode.pictureSize(for: GridSize(columns: frame.columns, rows: frame.rows))
        return Picture(size: size, pixels: Array(repeating: color, count: size.width * size.height))
    }

    /// The pixel in the middle of a cell, after `compose`.
    private func middle(_ canvas: borrowing Canvas, _ column: Int, _ row: Int) -> UInt32 {
        let samples = canvas.pictures.samplesPerCell
        let width = canvas.size.columns * samples.width
        return canvas.pixels[
            (row * samples.height + samples.height / 2) * width + column * samples.width + samples.width / 2]
    }

    /// Neither the page's shade nor text beside it darkens an avatar; its own
    /// shade does, and only its rows are painted.
    @Test(arguments: [PictureMode.half, .octant, .kitty, .sixel])
    func anAvatarLiesOverShadesAndBelowText(mode: PictureMode) {
        let (size, frame) = (GridSize(columns: 12, rows: 6), GridRect(column: 2, row: 2, columns: 4, rows: 2))
        var canvas = Canvas(size: size, pictureMode: mode, color: .truecolor)
        var overlay = CellGrid(size: size)
        for index in overlay.cells.indices { overlay.cells[index].shade = 200 }
        overlay[6, 2] = Cell(glyph: Glyph("W"), foreground: .white, style: .readable, shade: 200)
        overlay[5, 3] = Cell(glyph: Glyph("x"), foreground: .white, background: RGB(packed: 0x0000FF), style: .opaque)
        func compose(_ rows: Range<Int>, shade: UInt8) {
            canvas.compose(
                pages: [],
                tiles: [
                    TilePicture(
                        .avatar(rows: rows), picture: flat(0xFF8000, frame, mode), frame: frame,
                        ground: .black, shade: shade)
                ], pageSize: size, overlay: overlay, background: .white)
        }
        compose(0..<6, shade: 0)
        #expect(middle(canvas, 3, 2) == 0xFF8000 && middle(canvas, 4, 3) == 0xFF8000)
        #expect(middle(canvas, 1, 2) >> 16 < 0x60)
        // The letter with its own background covers it.
        #expect(canvas.cell(3 * 12 + 5).glyph == Glyph("x").code)
        compose(0..<6, shade: 128)
        #expect((0x7C...0x82).contains(middle(canvas, 3, 2) >> 16) && middle(canvas, 3, 2) & 0xFF == 0)
        compose(3..<6, shade: 0)
        #expect(middle(canvas, 3, 2) >> 16 < 0x60 && middle(canvas, 3, 3) == 0xFF8000)
    }

    /// On pixels it is a circle with a soft edge, on cells a square.
    @Test func avatarIsRoundInPixelModes() {
        let (size, frame) = (GridSize(columns: 6, rows: 3), GridRect(column: 1, row: 0, columns: 4, rows: 2))
        for mode in [PictureMode.kitty, .half] {
            var canvas = Canvas(size: size, pictureMode: mode, color: .truecolor)
            canvas.compose(
                pages: [],
                tiles: [
                    TilePicture(
                        .avatar(rows: 0..<3), picture: flat(0xFFFFFF, frame, mode), frame: frame,
                        ground: .black)
                ], pageSize: size, overlay: CellGrid(size: size), background: .black)
            let samples = mode.samplesPerCell
            let width = size.columns * samples.width
            let left = samples.width
            guard mode == .kitty else {
                #expect(canvas.pixels[left] == 0xFFFFFF && canvas.pixels[left - 1] == 0)
                continue
            }
            let whole = (0..<32).flatMap { y in (0..<32).map { x in Int(canvas.pixels[y * width + left + x] & 0xFF) } }
            #expect(whole[0] == 0 && whole[31] == 0 && whole[32 * 31] == 0 && whole[16 * 32 + 16] == 255)
            #expect(whole[16 * 32] > 200 && whole[16] > 200)
            // π/4 of the square, and some pixels between inside and outside.
            let share = Double(whole.reduce(0, +)) / 255 / 1_024
            #expect(abs(share - .pi / 4) < 0.01 && whole.contains { (40...215).contains($0) })
        }
    }

    /// Parts of a cell are not square: what is square in the source is square on the screen.
    @Test func nonSquarePixelsShowTheSameCrop() {
        let source = picture(96, 96)
        // Quadrants of 4×2 cells: 8×4 pixels, each twice as high as wide. All of the source is seen.
        let parts = source.withView {
            Picture(
                covering: PixelSize(width: 8, height: 4), with: $0, pixel: PixelSize(width: 1, height: 2))
        }
        #expect(parts.pixels[0] >> 8 & 0xFF == 12 && parts.pixels[24] >> 8 & 0xFF == 84)
        #expect(parts.pixels[0] >> 16 == 6 && parts.pixels[7] >> 16 == 90)
    }
}
