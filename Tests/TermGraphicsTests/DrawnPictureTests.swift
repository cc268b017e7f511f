import Foundation
import Model
import TestSupport
import Testing

@testable import TermGraphics

/// Pictures that are drawn into cells: what decoders that are not flick's make of them, and what is drawn when.
@Suite struct DrawnPictureTests {
    /// Soft colours with an edge, as footage has them.
    private static func footage(_ size: PixelSize) -> Picture {
        Picture(
            size: size,
            pixels: (0..<size.width * size.height).map { place in
                let (x, y) = (place % size.width, place / size.width)
                let (red, green) = (UInt32(x * 255 / size.width), UInt32(y * 255 / size.height))
                return x > size.width / 2 && y > size.height / 2 ? 0xE0_C0A0 : red << 16 | green << 8 | (255 - red) / 2
            })
    }

    /// The peak signal-to-noise ratio of two pictures of one size, in dB.
    private func likeness(_ first: Picture, _ second: Picture) -> Double {
        var sum = 0.0
        for (one, other) in zip(first.pixels, second.pixels) {
            for shift in [16, 8, 0] as [UInt32] {
                let apart = Double(one >> shift & 0xFF) - Double(other >> shift & 0xFF)
                sum += apart * apart
            }
        }
        return 10 * log10(255 * 255 / max(sum / Double(3 * first.pixels.count), 1e-9))
    }

    /// What ffmpeg reads from a file.
    private func picture(in file: String, size: PixelSize) throws -> Picture {
        let raw = file + ".raw"
        let result = try Command.run(
            ["ffmpeg", "-v", "error", "-nostdin", "-i", file, "-f", "rawvideo", "-pix_fmt", "rgb24", raw])
        try #require(result.status == 0, "\(result.errors)")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
        try #require(bytes.count == 3 * size.width * size.height)
        return Picture(
            size: size,
            pixels: stride(from: 0, to: bytes.count, by: 3).map {
                UInt32(bytes[$0]) << 16 | UInt32(bytes[$0 + 1]) << 8 | UInt32(bytes[$0 + 2])
            })
    }

    /// What is sent for `area` of a picture. `hasText`: 1 for each cell with text, in the order of the picture's cells.
    private func drawn(
        _ drawing: inout some CellPictures & ~Copyable, _ picture: Picture, _ area: GridRect, hasText: [UInt8]? = nil
    ) -> [UInt8] {
        let columns = area.column + area.columns
        let hasText = hasText ?? Array(repeating: 0, count: columns * (area.row + area.rows))
        var buffer = ByteBuffer()
        picture.withView { view in
            hasText.withUnsafeBufferPointer { hasText in
                drawing.begin(view.pixels, count: picture.pixels.count)
                drawing.append(
                    // Not nil: the area has cells.
                    CellPixels(
                        pixels: view.pixels, stride: view.stride, hasText: hasText.baseAddress!, columns: columns),
                    over: area, to: &buffer)
            }
        }
        return buffer.withUnsafeBytes { Array($0) }
    }

    @Test(arguments: [(256, 33.0), (64, 26.0), (16, 18.0)])
    func anotherDecoderSeesThePictureInSixels(_ colors: Int, least: Double) throws {
        // 13 rows of pixels a cell: sixels come by sixes.
        let (grid, cell) = (GridSize(columns: 20, rows: 7), PixelSize(width: 9, height: 13))
        let size = PixelSize(width: 180, height: 91)
        let picture = Self.footage(size)
        var sixels = SixelPictures(
            grid: grid, cell: cell, samples: cell, colors: colors, limit: PixelSize(width: 1_000, height: 1_000))
        let bytes = drawn(&sixels, picture, GridRect(column: 0, row: 0, columns: 20, rows: 7))
        let folder = TemporaryFolder()
        let file = try folder.write("picture.six", bytes)
        let png = folder.path + "/picture.png"
        let result = try Command.run(["sixel2png", "-i", file, "-o", png])
        try #require(result.status == 0, "\(result.errors)")
        #expect(likeness(try self.picture(in: png, size: size), picture) > least)
    }

    /// A sample that stands for several pixels is drawn as all of them.
    @Test func fewSamplesFillTheirCells() throws {
        let (grid, cell) = (GridSize(columns: 4, rows: 3), PixelSize(width: 10, height: 20))
        let samples = PixelSize(width: 2, height: 3)
        let picture = Picture(
            size: PixelSize(width: 8, height: 9), pixels: (0..<72).map { ($0 + $0 / 8) % 2 == 0 ? 0 : 0xFF_FFFF })
        var sixels = SixelPictures(
            grid: grid, cell: cell, samples: samples, colors: 2, limit: PixelSize(width: 1_000, height: 1_000))
        let bytes = drawn(&sixels, picture, GridRect(column: 1, row: 1, columns: 3, rows: 2))
        let folder = TemporaryFolder()
        let file = try folder.write("picture.six", bytes)
        let png = folder.path + "/picture.png"
        #expect(try Command.run(["sixel2png", "-i", file, "-o", png]).status == 0)
        let seen = try self.picture(in: png, size: PixelSize(width: 30, height: 40))
        for y in 0..<40 {
            for x in 0..<30 {
                let (sampleX, sampleY) = (2 + x / 10 * 2 + x % 10 / 5, 3 + y / 20 * 3 + y % 20 * 3 / 20)
                let wanted = picture.pixels[sampleY * 8 + sampleX] == 0
                #expect((luma(seen.pixels[y * 30 + x]) < 128) == wanted, "\(x), \(y)")
            }
        }
    }

    /// The pixels of cells with text are left out, so that their text stays until it is written again. A band of six
    /// rows of pixels has parts of two cells, and of three where cells are low.
    @Test(arguments: [13, 5]) func sixelsLeaveOutCellsWithText(cellHeight: Int) throws {
        let cell = PixelSize(width: 9, height: cellHeight)
        let area = GridRect(column: 1, row: 1, columns: 3, rows: 3)
        let size = PixelSize(width: 4 * cell.width, height: 4 * cell.height)
        let grey = Picture(size: size, pixels: Array(repeating: 0x80_8080, count: size.width * size.height))
        var hasText = [UInt8](repeating: 0, count: 16)
        let texts = [(column: 1, row: 1), (column: 3, row: 2), (column: 2, row: 3)]
        for (column, row) in texts { hasText[row * 4 + column] = 1 }
        var sixels = SixelPictures(
            grid: GridSize(columns: 4, rows: 4), cell: cell, samples: cell, colors: 16,
            limit: PixelSize(width: 1_000, height: 1_000))
        let folder = TemporaryFolder()
        let file = try folder.write("picture.six", drawn(&sixels, grey, area, hasText: hasText))
        let png = folder.path + "/picture.png"
        #expect(try Command.run(["sixel2png", "-i", file, "-o", png]).status == 0)
        let width = 3 * cell.width
        let seen = try self.picture(in: png, size: PixelSize(width: width, height: 3 * cell.height))
        for y in 0..<3 * cell.height {
            for x in 0..<width {
                let isText = texts.contains { $0.column - 1 == x / cell.width && $0.row - 1 == y / cell.height }
                // The other program fills gaps with black or white.
                #expect(!(70...190).contains(luma(seen.pixels[y * width + x])) == isText, "\(x), \(y)")
            }
        }
    }

    /// Symmetric, with a notch above and a point below, and nothing of it outside its rows.
    @Test func heartIsDrawnInPixels() {
        let size = GridSize(columns: 20, rows: 10)
        let format = PictureFormat(.kitty, cell: PixelSize(width: 9, height: 18), grid: size, maxPixels: 1 << 20)
        var canvas = Canvas(size: size, pictures: format, color: .truecolor)
        let (red, ground) = (RGB(255, 0, 0), RGB(1, 2, 3))
        let heart = HeartShape(
            at: GridPoint(column: 10, row: 5), columns: 10, color: red, opacity: 255, rows: 0..<7)
        canvas.compose(pages: [], heart: heart, pageSize: size, overlay: CellGrid(size: size), background: ground)
        let width = size.columns * 9
        func pixel(_ x: Int, _ y: Int) -> UInt32 { canvas.pixels[y * width + x] }
        // The middle is at 94.5, 99; half its width are 45.
        #expect(pixel(94, 99) == red.packed && pixel(94, 58) == ground.packed)
        #expect(pixel(72, 62) == red.packed && pixel(116, 62) == red.packed)
        for y in 0..<180 { for x in 9..<94 { #expect(pixel(x, y) == pixel(188 - x, y)) } }
        #expect((0..<width).allSatisfy { pixel($0, 7 * 18) == ground.packed })
        #expect(pixel(94, 7 * 18 - 1) == red.packed)
    }

    /// Filled from the left on, with a gradient, open below, and nothing of it outside its rows.
    @Test func arcIsDrawnInPixels() {
        let size = GridSize(columns: 20, rows: 10)
        let format = PictureFormat(.kitty, cell: PixelSize(width: 10, height: 20), grid: size, maxPixels: 1 << 20)
        var canvas = Canvas(size: size, pictures: format, color: .truecolor)
        let (red, amber, green, ground) = (RGB(255, 0, 0), RGB(200, 150, 0), RGB(0, 255, 0), RGB(1, 2, 3))
        var arc = ArcShape(
            in: GridRect(column: 4, row: 3, columns: 6, rows: 2), share: 0.75, left: red, top: amber, right: green,
            missing: .white, rows: 0..<10)
        func compose() {
            canvas.compose(pages: [], arcs: [arc], pageSize: size, overlay: CellGrid(size: size), background: ground)
        }
        func pixel(_ x: Int, _ y: Int) -> RGB { RGB(packed: canvas.pixels[y * 200 + x]) }
        compose()
        // The middle is at 70, 90; the radii are 30 and 22.
        let (left, top, right) = (pixel(43, 88), pixel(70, 63), pixel(96, 88))
        #expect(left.red > 240 && left.green < 20 && top.red > 190 && top.green > 140 && right == .white)
        #expect(pixel(70, 85) == ground && pixel(43, 95) == ground && pixel(39, 89) == ground)
        arc.share = 0
        compose()
        #expect(pixel(43, 88) == .white)
        arc.rows = 4..<10
        compose()
        #expect(pixel(70, 63) == ground && pixel(43, 88) == .white)
    }

    @Test func anotherDecoderSeesThePictureInAFile() throws {
        let size = PixelSize(width: 37, height: 21)
        let picture = Self.footage(size)
        var pictures = InlinePictures(grid: GridSize(columns: 1, rows: 1), samples: size)
        var png = PNG()
        let folder = TemporaryFolder()
        let file = try folder.write("picture.png", picture.withView { png.file(of: $0) })
        #expect(try self.picture(in: file, size: size) == picture)
        let text = String(
            decoding: drawn(&pictures, picture, GridRect(column: 0, row: 0, columns: 1, rows: 1)), as: UTF8.self)
        #expect(text.hasPrefix("\u{1B}]1337;File=inline=1;size=") && text.hasSuffix("\u{7}"))
        #expect(text.contains(";width=1;height=1;preserveAspectRatio=0;"))
    }

    /// What stays the same is chosen the same, though another part of the picture changes.
    @Test func coloursLieStill() {
        let cell = PixelSize(width: 8, height: 12)
        let grid = GridSize(columns: 10, rows: 6)
        var picture = Self.footage(PixelSize(width: 80, height: 72))
        var pictures = SixelPictures(
            grid: grid, cell: cell, samples: cell, colors: 256, limit: PixelSize(width: 1_000, height: 1_000))
        let area = GridRect(column: 0, row: 0, columns: 5, rows: 3)
        let before = drawn(&pictures, picture, area)
        for place in 71 * 80..<72 * 80 { picture.pixels[place] ^= 0x08_0808 }
        let isSame = drawn(&pictures, picture, area) == before
        #expect(isSame)
    }

    // MARK: The painter

    /// Writes nothing but where it was asked to draw.
    private struct NotedPictures: CellPictures, ~Copyable {
        var maxCells = GridSize(columns: 6, rows: 100)
        var leavesTextOut = false
        mutating func begin(_ pixels: UnsafePointer<UInt32>, count: Int) {}
        mutating func append(_ pixels: CellPixels, over area: GridRect, to buffer: inout ByteBuffer) {
            buffer.append("<\(area.column),\(area.row) \(area.columns)x\(area.rows)>")
        }
    }

    private static let grid = GridSize(columns: 10, rows: 6)
    private static let format = PictureFormat(.sixel, samplesPerCell: PixelSize(width: 4, height: 6))

    /// Where the last row has no pixels, a picture ends above it. The backdrop continues there.
    @Test(arguments: [PictureMode.sixel, .iterm2, .kitty]) func pictureEndsAboveARowWithoutPixels(mode: PictureMode) {
        let format = PictureFormat(mode, samplesPerCell: PixelSize(width: 4, height: 6))
        let size = format.pictureSize(for: Self.grid)
        func flat(_ color: UInt32) -> Picture {
            Picture(size: size, pixels: Array(repeating: color, count: size.width * size.height))
        }
        var canvas = Canvas(size: Self.grid, pictures: format, color: .truecolor)
        flat(0xFF8000).withView { picture in
            flat(0x102030).withView { backdrop in
                canvas.compose(
                    pages: [PagePicture(picture: picture, top: 0, backdrop: backdrop)], pageSize: Self.grid,
                    overlay: CellGrid(size: Self.grid), background: .black)
            }
        }
        let first = (Self.grid.rows - 1) * 6 * size.width
        let (above, below): (UInt32, UInt32) = (canvas.pixels[first - 1], canvas.pixels[first])
        #expect(above == 0xFF8000 && below == (mode == .kitty ? 0xFF8000 : 0x102030))
    }

    @Test func onlyChangesAreDrawnAndTextFollows() {
        let painter = DrawnPainter(
            size: Self.grid, pictures: Self.format, capabilities: EncoderCapabilities(synchronised: true),
            drawing: NotedPictures())
        var canvas = Canvas(size: Self.grid, pictures: Self.format, color: .truecolor)
        var picture = Self.footage(Self.format.pictureSize(for: Self.grid))
        var overlay = CellGrid(size: Self.grid)
        func update() -> String {
            canvas.compose(picture, under: overlay)
            var buffer = ByteBuffer()
            let figures = painter.paint(canvas, within: .max, precision: .exact, into: &buffer)
            #expect(figures.bytes == buffer.count)
            return buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
        func areas(_ text: String) -> [String] {
            text.components(separatedBy: "<").dropFirst().map { $0.components(separatedBy: ">")[0] }
        }
        overlay[3, 2] = Cell(glyph: Glyph("x"), foreground: .white)
        let first = update()
        // The last row is of characters, and the rest of pictures of at most six columns.
        #expect(areas(first) == ["0,0 6x5", "6,0 4x5"])
        #expect(first.contains("\u{1B}7\u{1B}[1;1H<0,0 6x5>\u{1B}8") && first.components(separatedBy: "x").count == 4)
        #expect(first.hasPrefix("\u{1B}[?2026h") && first.hasSuffix("\u{1B}[?2026l"))
        #expect(update().isEmpty)
        // A pixel in cell 7, 1.
        picture.pixels[(1 * 6 + 2) * 40 + 7 * 4 + 1] ^= 0xFF
        #expect(areas(update()) == ["7,1 1x1"])
        // Below a letter: it is written again.
        picture.pixels[(2 * 6 + 2) * 40 + 3 * 4 + 1] ^= 0xFF
        let below = update()
        #expect(areas(below) == ["3,2 1x1"] && below.hasSuffix("x\u{1B}[?2026l"))
        // On both sides of a letter: it is drawn over.
        picture.pixels[(2 * 6 + 2) * 40 + 2 * 4 + 1] ^= 0xFF
        picture.pixels[(2 * 6 + 2) * 40 + 4 * 4 + 1] ^= 0xFF
        let over = update()
        #expect(areas(over) == ["2,2 3x1"] && over.hasSuffix("x\u{1B}[?2026l"))
        // Only text: nothing is drawn.
        overlay[3, 2].glyph = Glyph("y")
        let text = update()
        #expect(areas(text).isEmpty && text.contains("y"))
        // A letter goes: its pixels come back, and no blank is written over them.
        overlay[3, 2] = Cell(glyph: .none)
        let gone = update()
        #expect(areas(gone) == ["3,2 1x1"] && gone.hasSuffix(">\u{1B}8\u{1B}[?2026l"))
        // Two go, at the sides of a pixel that changes.
        for column in [2, 5] { overlay[column, 2] = Cell(glyph: Glyph("x"), foreground: .white) }
        #expect(areas(update()).isEmpty)
        for column in [2, 5] { overlay[column, 2] = Cell(glyph: .none) }
        picture.pixels[(2 * 6 + 2) * 40 + 3 * 4 + 1] ^= 0xFF
        #expect(areas(update()) == ["2,2 4x1"])
        painter.forget()
        #expect(areas(update()).count == 2)
    }

    /// Text that is close to text is in one picture with gaps; the large rest is in pictures without. If more than
    /// an eighth of the text is replaced, all is drawn at once.
    @Test(arguments: [false, true]) func textIsDrawnApart(leavesTextOut: Bool) {
        let grid = GridSize(columns: 40, rows: 20)
        let format = PictureFormat(.sixel, samplesPerCell: PixelSize(width: 2, height: 3))
        let painter = DrawnPainter(
            size: grid, pictures: format, capabilities: EncoderCapabilities(),
            drawing: NotedPictures(maxCells: grid, leavesTextOut: leavesTextOut))
        var canvas = Canvas(size: grid, pictures: format, color: .truecolor)
        var overlay = CellGrid(size: grid)
        let letters = [(2, 5), (10, 6), (8, 10), (30, 9), (39, 16), (0, 19)]
        for (column, row) in letters {
            overlay[column, row] = Cell(glyph: Glyph("x"), foreground: .white)
        }
        var picture = Self.footage(format.pictureSize(for: grid))
        func areas() -> [String] {
            for place in picture.pixels.indices { picture.pixels[place] ^= 0x10 }
            canvas.compose(picture, under: overlay)
            var buffer = ByteBuffer()
            _ = painter.paint(canvas, within: .max, precision: .exact, into: &buffer)
            let text = buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            return text.components(separatedBy: "<").dropFirst().map { $0.components(separatedBy: ">")[0] }
        }
        #expect(areas() == ["0,0 40x19"])
        let apart = [
            "0,0 40x5",
            "0,5 2x6", "2,5 9x6", "11,5 19x6", "30,5 1x6", "31,5 9x6",
            "0,11 40x5", "0,16 39x1", "39,16 1x1", "0,17 40x2",
        ]
        #expect(areas() == (leavesTextOut ? apart : ["0,0 40x19"]))
        for (column, row) in letters { overlay[column, row].glyph = Glyph("y") }
        #expect(areas() == ["0,0 40x19"])
    }

    /// What a picture was drawn over has to be written in the same update, whatever the budget.
    @Test func textOverADrawnPictureIgnoresTheBudget() {
        let painter = DrawnPainter(
            size: Self.grid, pictures: Self.format, capabilities: EncoderCapabilities(), drawing: NotedPictures())
        var canvas = Canvas(size: Self.grid, pictures: Self.format, color: .truecolor)
        var overlay = CellGrid(size: Self.grid)
        for row in 0..<Self.grid.rows { overlay[3, row] = Cell(glyph: Glyph("x"), foreground: .white) }
        canvas.compose(Self.footage(Self.format.pictureSize(for: Self.grid)), under: overlay)
        var buffer = ByteBuffer()
        let stats = painter.paint(canvas, within: 1, precision: .exact, into: &buffer)
        let letters = buffer.withUnsafeBytes { bytes in
            String(decoding: bytes, as: UTF8.self).replacing(/<.*?>/, with: "").count { $0 == "x" }
        }
        #expect(stats.isExact && letters == Self.grid.rows)
    }
}
