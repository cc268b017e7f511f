import Model
import TestSupport
import Testing

@testable import TermGraphics

/// Whether letters can be read over any picture.
@Suite struct ContrastTests {
    /// WCAG's own examples: black on white, and the grey that just suffices on white.
    @Test func ratiosAreThoseOfTheDefinition() {
        #expect(abs(Contrast.ratio(0, 0xFFFFFF) - 21) < 0.001)
        #expect(Contrast.ratio(0x777777, 0xFFFFFF) < 4.5 && Contrast.ratio(0x767676, 0xFFFFFF) >= 4.5)
        #expect(Contrast.ratio(0x123456, 0x123456) == 1)
    }

    @Test func theShadeIsTheLeastThatSuffices() {
        var random = SeededRandom(state: 4)
        for _ in 0..<2_000 {
            let ground = UInt32.random(in: 0...0xFF_FFFF, using: &random)
            let text: UInt32 = [0xFFFFFF, 0xC8CCD4, 0x6CC4FF, 0xFF4D6A].randomElement(using: &random) ?? 0
            for needed in [Contrast.readable, Contrast.visible] {
                let shade = Contrast.shade(of: ground, under: text, contrast: needed)
                #expect(Contrast.ratio(text, shaded(ground, by: shade)) >= needed)
                if shade > 1 { #expect(Contrast.ratio(text, shaded(ground, by: shade - 1)) < needed + 0.05) }
            }
        }
    }

    private static let pictures: [(name: String, pixel: @Sendable (inout SeededRandom) -> UInt32)] = [
        ("white", { _ in 0xFFFFFF }), ("black", { _ in 0 }), ("yellow", { _ in 0xFFFF00 }),
        ("noise", { .random(in: 0...0xFF_FFFF, using: &$0) }),
        ("black and white", { Bool.random(using: &$0) ? 0xFFFFFF : 0 }),
    ]

    private func picture(_ kind: Int, _ size: PixelSize, _ random: inout SeededRandom) -> Picture {
        Picture(
            size: size, pixels: (0..<size.width * size.height).map { _ in Self.pictures[kind].pixel(&random) })
    }

    @Test(arguments: 0..<5, [ColorMode.truecolor, .palette256])
    func lettersCanBeReadOverAnyPicture(kind: Int, color: ColorMode) {
        var random = SeededRandom(state: UInt64(kind))
        let size = GridSize(columns: 40, rows: 8)
        var overlay = CellGrid(size: size)
        let colors: [UInt32] = [0xFFFFFF, 0xC8CCD4, 0x6CC4FF, 0xFFC857, 0x4CC38A]
        for column in 3..<35 {
            for (row, packed) in colors.enumerated() {
                overlay[column, row + 1] = Cell(
                    glyph: Glyph("a"), foreground: RGB(packed: packed), style: .readable, shade: 30)
            }
        }
        var canvas = Canvas(size: size, pictureMode: .half, color: color)
        // The second picture comes while the ground of the first is remembered.
        for _ in 0..<2 {
            canvas.compose(picture(kind, PictureMode.half.pictureSize(for: size), &random), under: overlay)
            for column in 3..<35 {
                for row in 1...colors.count {
                    let cell = canvas.cell(row * size.columns + column)
                    let (ink, ground) =
                        color == .truecolor
                        ? (cell.foreground, cell.background)
                        : (
                            TerminalPalette.color(of: Int(cell.foreground)).packed,
                            TerminalPalette.color(of: Int(cell.background)).packed
                        )
                    #expect(
                        Contrast.ratio(ink, ground) >= 4.5,
                        "\(Self.pictures[kind].name), \(String(ink, radix: 16)) on \(String(ground, radix: 16))")
                }
            }
        }
    }

    private func brightness(_ canvas: borrowing Canvas, _ column: Int, _ row: Int) -> Int {
        Int(luma(canvas.pixels[2 * row * canvas.size.columns + column]))
    }

    @Test func aWhitePictureDarkensSoftlyAroundLetters() {
        let size = GridSize(columns: 110, rows: 15)
        var overlay = CellGrid(size: size)
        for column in 20..<30 { overlay[column, 7] = Cell(glyph: Glyph("a"), style: .readable) }
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        var random = SeededRandom(state: 1)
        canvas.compose(picture(0, PictureMode.half.pictureSize(for: size), &random), under: overlay)
        let right = (30..<110).map { brightness(canvas, $0, 7) }
        // From the letters to the edge it only gets brighter, in steps that do not look like an edge.
        for (near, far) in zip(right, right.dropFirst()) { #expect(far >= near - 1 && far - near <= 25) }
        #expect((right.first ?? 255) < 160 && right.last == 255)
        let down = (8..<15).map { brightness(canvas, 25, $0) }
        for (near, far) in zip(down, down.dropFirst()) { #expect(far >= near - 1) }
        #expect((down.first ?? 255) < 200)
    }

    @Test func blackPicturesAndBareCellsStayAsTheyAre() {
        let size = GridSize(columns: 12, rows: 3)
        var overlay = CellGrid(size: size)
        overlay[5, 1] = Cell(glyph: Glyph("a"), style: .readable)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        let dark = Picture(size: PixelSize(width: 12, height: 6), pixels: Array(repeating: 0x202020, count: 72))
        canvas.compose(dark, under: overlay)
        for index in 0..<size.cells { #expect(canvas.cell(index).background == 0x202020) }
    }

    /// A bright spot that comes and goes must not make the ground of the text flicker.
    @Test func scrimFadesSlowlyWhileNothingMoves() {
        let size = GridSize(columns: 5, rows: 1)
        var overlay = CellGrid(size: size)
        overlay[2, 0] = Cell(glyph: Glyph("a"), style: .readable)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        let white = Picture(size: PixelSize(width: 5, height: 2), pixels: Array(repeating: 0xFFFFFF, count: 10))
        let grey = Picture(size: PixelSize(width: 5, height: 2), pixels: Array(repeating: 0x707070, count: 10))
        func ground(_ picture: Picture, top: Double = 0) -> UInt32 {
            canvas.compose(picture, top: top, under: overlay)
            return canvas.cell(2).background
        }
        #expect(ground(grey) == 0x707070)
        _ = ground(white)
        var last = ground(grey)
        #expect(last < 0x404040)
        for _ in 0..<30 {
            let next = ground(grey)
            #expect(next >= last && next - last <= 0x050505)
            last = next
        }
        #expect(last == 0x707070)
        _ = ground(white)
        // While pages move, other letters come to the cell.
        _ = ground(grey, top: 0.5)
        #expect(ground(grey) == 0x707070)
    }

    @Test func shadesGrowWithoutSteps() {
        // A shade of 0 above one of 51: the pixels between have values in between.
        let size = GridSize(columns: 8, rows: 2)
        var overlay = CellGrid(size: size)
        for column in 0..<8 { overlay[column, 1].shade = 48 }
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        var random = SeededRandom(state: 1)
        canvas.compose(picture(0, PixelSize(width: 8, height: 4), &random), under: overlay)
        let means = (0..<4).map { y in (0..<8).reduce(0) { $0 + Int(luma(canvas.pixels[y * 8 + $1])) } / 8 }
        #expect(means[0] == 255 && means[0] > means[1] && means[1] > means[2] && means[2] > means[3])
    }
}

/// Glyphs and grounds that are blended into the picture.
@Suite struct BlendingTests {
    private func painted(_ cell: Cell, on pixels: [UInt32], color: ColorMode = .truecolor) -> PaintedCell {
        let size = GridSize(columns: 1, rows: 1)
        var overlay = CellGrid(size: size)
        overlay[0, 0] = cell
        var canvas = Canvas(size: size, pictureMode: .half, color: color)
        canvas.compose(Picture(size: PixelSize(width: 1, height: 2), pixels: pixels), under: overlay)
        return canvas.cell(0)
    }

    @Test func aFullBlockIsBlendedOverBothPixels() {
        let cell = painted(
            Cell(glyph: Glyph("█"), foreground: RGB(packed: 0xFF0000), opacity: 128), on: [0x0000FF, 0x00FF00])
        #expect(cell.glyph == 0x2580 && cell.foreground == blend(0x0000FF, with: 0xFF0000, weight: 129))
        #expect(cell.background == blend(0x00FF00, with: 0xFF0000, weight: 129))
    }

    @Test func otherGlyphsAreBlendedOverTheMean() {
        let cell = painted(Cell(glyph: Glyph("▘"), foreground: .white, opacity: 64), on: [0x204060, 0x406080])
        #expect(cell.glyph == 0x2598 && cell.background == 0x305070)
        #expect(cell.foreground == blend(0x305070, with: 0xFFFFFF, weight: 64))
    }

    @Test func opacityZeroShowsThePictureAndFullTheMark() {
        let none = painted(Cell(glyph: Glyph("█"), foreground: .white, opacity: 0), on: [0x112233, 0x445566])
        #expect(none.foreground == 0x112233 && none.background == 0x445566)
        let all = painted(Cell(glyph: Glyph("█"), foreground: .white), on: [0x112233, 0x445566])
        #expect(all.background == 0xFFFFFF && all.glyph == 0x20)
    }

    @Test func withoutColoursNothingIsBlended() {
        // Blended, it would be the picture's upper half block.
        let cell = painted(Cell(glyph: Glyph("█"), foreground: .black, opacity: 10), on: [0xFFFFFF, 0], color: .mono)
        #expect(cell.glyph == 0x2588)
    }
}
