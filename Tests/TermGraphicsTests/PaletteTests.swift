import Model
import TestSupport
import Testing

@testable import TermGraphics

@Suite struct PaletteTests {
    // MARK: Single colours

    @Test func coloursOfThePaletteStayThemselves() {
        for index in 16..<256 {
            #expect(Quantiser(.palette256).plain(TerminalPalette.color(of: index).packed) == UInt32(index))
        }
        for index in 0..<16 {
            #expect(Quantiser(.palette16).plain(TerminalPalette.color(of: index).packed) == UInt32(index))
        }
        #expect(Quantiser(.truecolor).plain(0x12_3456) == 0x12_3456)
        #expect(Quantiser(.mono).plain(0x7F_7F7F) == 0)
        #expect(Quantiser(.mono).plain(0x80_8080) == 1)
    }

    @Test func xtermsPaletteHasItsCubeAndItsGreys() {
        #expect(TerminalPalette.color(of: 16) == RGB(0, 0, 0))
        #expect(TerminalPalette.color(of: 17) == RGB(0, 0, 95))
        #expect(TerminalPalette.color(of: 110) == RGB(135, 175, 215))
        #expect(TerminalPalette.color(of: 231) == RGB(255, 255, 255))
        #expect(TerminalPalette.color(of: 232) == RGB(8, 8, 8))
        #expect(TerminalPalette.color(of: 255) == RGB(238, 238, 238))
        for value in 0...255 {
            let (below, above) = TerminalPalette.steps(around: value)
            #expect(Int(TerminalPalette.level(below)) <= value)
            #expect(Int(TerminalPalette.level(above)) >= value)
            #expect(above - below <= 1)
        }
    }

    @Test func nearestEntryMatchesAnExhaustiveSearch() {
        var random = SeededRandom(state: 5)
        let palette = PaletteMatcher.cube
        for _ in 0..<3_000 {
            // The middle of a key: what is looked up there is exact.
            let wanted = OpponentColor(key: OpponentColor(.random(in: 0...0xFF_FFFF, using: &random)).key)
            let found = palette.colors[palette.nearestEntry(wanted)]
            let least = (16..<256).map {
                OpponentColor(TerminalPalette.color(of: $0).packed).distance(to: wanted)
            }.min()
            #expect(found.distance(to: wanted) == least)
        }
    }

    @Test func brightnessIsWeighedAsBT709DoesAndGreysHaveNoColour() {
        #expect(OpponentColor(0xFF_0000).luma == 53)
        #expect(OpponentColor(0x00_FF00).luma == 182)
        #expect(OpponentColor(0x00_00FF).luma == 18)
        for value in 0...255 as ClosedRange<UInt32> {
            #expect(OpponentColor(value * 0x01_0101) == OpponentColor(luma: Int32(value), red: 0, blue: 0))
        }
    }

    @Test func coloursFarApartAreNotMixed() {
        var random = SeededRandom(state: 6)
        let palette = PaletteMatcher.cube
        var mixed = 0
        for _ in 0..<4_000 {
            let rgb = UInt32.random(in: 0...0xFF_FFFF, using: &random)
            let cell = palette.cell(upper: rgb, lower: rgb)
            guard cell.quarters > 0 else { continue }
            let (ink, paper) = (palette.color(of: cell.foreground), palette.color(of: cell.background))
            let squares = [16, 8, 0].map { (shift: UInt32) in
                let gap = Int(ink >> shift & 0xFF) - Int(paper >> shift & 0xFF)
                return gap * gap
            }
            #expect(squares.reduce(0, +) <= 160 * 160)
            mixed += 1
        }
        #expect(mixed > 500)
    }

    // MARK: Cells

    /// What the eye sees of a cell: its two pixels, or the mix in both.
    private func shown(_ cell: PaletteCell, of palette: PaletteMatcher) -> (upper: OpponentColor, lower: OpponentColor)
    {
        let (ink, paper) = (palette.color(of: cell.foreground), palette.color(of: cell.background))
        guard cell.quarters > 0 else { return (OpponentColor(ink), OpponentColor(paper)) }
        let mix = OpponentColor(ink).mixed(quarters: Int32(cell.quarters), with: OpponentColor(paper))
        return (mix, mix)
    }

    @Test(arguments: [ColorMode.palette256, .palette16])
    func picturesAreNeitherBrighterNorMoreColourfulThanTheyWere(color: ColorMode) {
        let palette = Quantiser(color).palette
        var random = SeededRandom(state: 9)
        var bias = OpponentColor(luma: 0, red: 0, blue: 0)
        let count: Int32 = 4_000
        for _ in 0..<count {
            // Away from the ends of the scale, where colours can only be missed inwards.
            func channel() -> UInt32 { .random(in: 40...200, using: &random) }
            let rgb = channel() << 16 | channel() << 8 | channel()
            let wanted = OpponentColor(rgb)
            let found = shown(palette.cell(upper: rgb, lower: rgb), of: palette).upper
            bias.luma += found.luma - wanted.luma
            bias.red += found.red - wanted.red
            bias.blue += found.blue - wanted.blue
        }
        #expect(abs(bias.luma) < 2 * count)
        #expect(abs(bias.red) < 8 * count)
        #expect(abs(bias.blue) < 8 * count)
    }

    @Test func greysStayGreyAndKeepTheirBrightness() {
        let palette = PaletteMatcher.cube
        for value in 0...255 as ClosedRange<UInt32> {
            let cell = palette.cell(upper: value * 0x01_0101, lower: value * 0x01_0101)
            for index in [cell.foreground, cell.background] {
                let color = OpponentColor(palette.color(of: index))
                #expect(color.red == 0 && color.blue == 0, "grey \(value)")
            }
            #expect(abs(shown(cell, of: palette).upper.luma - Int32(value)) <= 5, "grey \(value)")
        }
    }

    @Test func darkBrownIsAShadeOfTwoColoursAndStaysBrown() {
        let palette = PaletteMatcher.cube
        let brown: UInt32 = 0x40_2810
        let cell = palette.cell(upper: brown, lower: brown)
        #expect(cell.quarters > 0)
        let mix = shown(cell, of: palette).upper
        #expect(mix.red > 8)
        #expect(mix.blue < 0)
        let alone = OpponentColor(palette.color(of: palette.nearest(brown)))
        // Weighed here and not by the matcher, so that its weights cannot change what is asked of it.
        func away(_ color: OpponentColor) -> Int32 {
            let wanted = OpponentColor(brown)
            let (l, r, b) = (color.luma - wanted.luma, color.red - wanted.red, color.blue - wanted.blue)
            return 14 * l * l + 2 * r * r + b * b
        }
        #expect(away(mix) * 3 < away(alone), "\(away(mix)), \(away(alone))")
    }

    @Test func cellsAreNeverFartherFromTheirPixelsThanTwoPlainPixels() {
        var random = SeededRandom(state: 3)
        for palette in [PaletteMatcher.cube, .terminal, .blackAndWhite] {
            for _ in 0..<2_000 {
                let upper = UInt32.random(in: 0...0xFF_FFFF, using: &random)
                let lower = Bool.random(using: &random) ? upper : UInt32.random(in: 0...0xFF_FFFF, using: &random)
                func away(_ pixels: (upper: OpponentColor, lower: OpponentColor)) -> Int32 {
                    pixels.upper.distance(to: OpponentColor(upper)) + pixels.lower.distance(to: OpponentColor(lower))
                }
                func plain(_ rgb: UInt32) -> OpponentColor {
                    let middle = OpponentColor(key: OpponentColor(rgb).key)
                    return OpponentColor(palette.color(of: palette.nearest(middle.rgb)))
                }
                let cell = away(shown(palette.cell(upper: upper, lower: lower), of: palette))
                // Keys stand for colours that differ by a little.
                #expect(cell <= away((plain(upper), plain(lower))) * 5 / 4 + 3_000)
            }
        }
    }

    @Test func blackBelowWhiteIsTwoPixels() {
        for palette in [PaletteMatcher.cube, .terminal, .blackAndWhite] {
            let cell = palette.cell(upper: 0xFF_FFFF, lower: 0)
            #expect(cell.quarters == 0)
            #expect(palette.color(of: cell.foreground) == 0xFF_FFFF)
            #expect(palette.color(of: cell.background) == 0)
        }
    }

    @Test func shadesCoverAsMuchAsTheyAreTakenFor() {
        // ░ inks a quarter of the cell, ▒ a half, ▓ three quarters.
        let steps: [(grey: UInt32, quarters: UInt32, glyph: Unicode.Scalar)] = [
            (0x40_4040, 1, "░"), (0x80_8080, 2, "▒"), (0xC0_C0C0, 3, "▓"),
        ]
        for step in steps {
            let cell = PaletteMatcher.blackAndWhite.cell(upper: step.grey, lower: step.grey)
            #expect(cell == PaletteCell(quarters: step.quarters, foreground: 1, background: 0))
            #expect(Glyph(code: cell.shade) == Glyph(step.glyph))
        }
    }

    // MARK: Pictures

    private func glyphs(_ pixels: [UInt32], columns: Int, color: ColorMode) -> (text: [String], colors: Set<UInt64>) {
        let size = GridSize(columns: columns, rows: pixels.count / columns / 2)
        let picture = Picture(size: PixelSize(width: columns, height: size.rows * 2), pixels: pixels)
        var canvas = Canvas(size: size, pictureMode: .half, color: color)
        canvas.compose(picture, under: CellGrid(size: size))
        var text: [String] = []
        var colors: Set<UInt64> = []
        for index in 0..<size.cells {
            text.append(GlyphTable.text(of: Glyph(code: canvas.cell(index).glyph)))
            colors.insert(canvas.cell(index).colors)
        }
        return (text, colors)
    }

    @Test(arguments: [ColorMode.palette256, .palette16, .mono])
    func flatAreasAreOneCell(color: ColorMode) {
        for rgb: UInt32 in [0x14_0C08, 0x40_2810, 0x33_3333, 0x87_5F20, 0xA0_B0C0, 0xFF_FFFF] {
            let cells = glyphs(Array(repeating: rgb, count: 16 * 8), columns: 16, color: color)
            #expect(Set(cells.text).count == 1)
            #expect(cells.colors.count == 1)
        }
    }

    @Test func blackAndWhitePicturesAreBlocksAndShades() {
        let (dark, light): (UInt32, UInt32) = (0, 0xFF_FFFF)
        let cells = glyphs(
            [light, light, dark, dark, 0x40_4040, 0x80_8080, 0xC0_C0C0]
                + [light, dark, light, dark, 0x40_4040, 0x80_8080, 0xC0_C0C0], columns: 7, color: .mono)
        #expect(cells.text == ["█", "▀", "▄", " ", "░", "▒", "▓"])
        #expect(cells.colors == [0])
    }

    @Test func monoPicturesAreContrastStretched() {
        // On the whole scale both greys are the same shade.
        let cells = glyphs((0..<8 * 4).map { $0 % 8 < 4 ? 0x6C_6C6C : 0x94_9494 }, columns: 8, color: .mono)
        #expect(cells.text[0] != cells.text[7])
        let colored = glyphs((0..<8 * 4).map { $0 % 8 < 4 ? 0x6C_6C6C : 0x94_9494 }, columns: 8, color: .palette256)
        #expect(colored.colors.count == 2)
    }

    @Test(arguments: [ColorMode.palette256, .palette16])
    func greysOfCharactersHaveNoColour(color: ColorMode) {
        let palette = Quantiser(color).palette
        for value in 0...255 as ClosedRange<UInt32> {
            let found = palette.inkAndPaper(for: value * 0x01_0101)
            for index in [found.ink, found.paper] {
                let entry = OpponentColor(palette.color(of: index))
                #expect(entry.red == 0 && entry.blue == 0, "grey \(value)")
            }
            #expect(found.isInkDarker == (luma(palette.color(of: found.ink)) < luma(palette.color(of: found.paper))))
        }
    }

    @Test func darkGroundsUseEightColoursAndKeepTheToneOrder() {
        let palette = Quantiser(.palette16, hasBrightGrounds: false).palette
        var last: Int32 = 0
        for value in 0...255 as ClosedRange<UInt32> {
            let found = palette.inkAndPaper(for: value * 0x01_0101)
            #expect(found.paper < 8, "grey \(value)")
            let (ink, ground) = (palette.color(of: found.ink), palette.color(of: found.paper))
            for entry in [OpponentColor(ink), OpponentColor(ground)] {
                #expect(entry.red == 0 && entry.blue == 0, "grey \(value)")
            }
            let shown = OpponentColor(ink).mixed(coverage: Int32(found.coverage), with: OpponentColor(ground)).luma
            // Characters of the sixteen coverages: a step of one may go back.
            #expect(shown >= last - 8, "grey \(value)")
            last = max(last, shown)
        }
        #expect(last > 220)
        let red = palette.inkAndPaper(for: 0xFF_0000)
        #expect(red.paper == 1 || red.ink == 9)
    }

    @Test func tonesBetweenTwoEntriesAreDarkInkOnBrightPaper() {
        // Of 16 colours no ink on black is as bright, and no paper as dark.
        let found = PaletteMatcher.terminal.inkAndPaper(for: 0x6A_6A6A)
        #expect(found.isInkDarker)
        #expect(found.coverage > 0)
    }

    @Test func noiseOnAStillPictureChangesNoCellAndMotionDoes() {
        var random = SeededRandom(state: 4)
        let size = GridSize(columns: 30, rows: 10)
        let still = (0..<600).map { _ in UInt32.random(in: 0...0xFF_FFFF, using: &random) & 0xF0_F0F0 | 0x04_0404 }
        var canvas = Canvas(size: size, pictureMode: .half, color: .palette256)
        func show(_ pixels: [UInt32]) -> [PaintedCell] {
            let picture = Picture(size: PixelSize(width: 30, height: 20), pixels: pixels)
            canvas.compose(picture, under: CellGrid(size: size))
            return (0..<size.cells).map { canvas.cell($0) }
        }
        let first = show(still)
        for _ in 0..<10 {
            let noise = still.map { $0 &+ UInt32.random(in: 0...4, using: &random) * 0x01_0001 }
            #expect(show(noise) == first)
        }
        // As a canvas that has shown nothing before.
        let moved = Array(still[30...] + still[..<30])
        var fresh = Canvas(size: size, pictureMode: .half, color: .palette256)
        let seen = show(moved)
        Picture(size: PixelSize(width: 30, height: 20), pixels: moved).withView {
            fresh.compose(
                pages: [PagePicture(picture: $0, top: 0)], pageSize: size, overlay: CellGrid(size: size),
                background: .black)
        }
        #expect(seen == (0..<size.cells).map { fresh.cell($0) })
    }

    @Test func noiseIsAtMostFourOf255() {
        #expect(Steadiness.isNoise(0x40_5060, 0x44_4C60))
        #expect(!Steadiness.isNoise(0x40_5060, 0x45_5060))
        #expect(!Steadiness.isNoise(0x40_5060, 0x40_5065))
        #expect(!Steadiness.isNoise(0x40_5060, Canvas.unknownPixel | 0x40_5060))
    }
}
