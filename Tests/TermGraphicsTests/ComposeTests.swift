import Model
import TestSupport
import Testing

@testable import TermGraphics

@Suite struct ComposeTests {
    /// Every pixel worked out on its own, from the definition.
    @Test(arguments: PictureMode.allCases)
    func pixelsAreThoseOfThePlainDefinition(pictureMode: PictureMode) {
        for seed in 1...40 {
            var random = SeededRandom(state: UInt64(seed))
            let size = GridSize(columns: .random(in: 1...20, using: &random), rows: .random(in: 1...9, using: &random))
            var scene = RandomScene(size: size, pictureMode: pictureMode, using: &random)
            for _ in 0..<8 { scene.change(using: &random) }
            scene.overlay = CellGrid(size: size)
            var canvas = Canvas(size: size, pictureMode: pictureMode, color: .truecolor)
            scene.compose(into: &canvas)
            let whole = pictureMode.pictureSize(for: size)
            for y in 0..<whole.height {
                for x in 0..<whole.width {
                    #expect(
                        canvas.pixels[y * whole.width + x] == plain(scene, pictureMode, whole, x, y), "seed \(seed)")
                }
            }
        }
    }

    private func plain(_ scene: RandomScene, _ pictureMode: PictureMode, _ whole: PixelSize, _ x: Int, _ y: Int)
        -> UInt32
    {
        var color = scene.background.packed
        // No picture reaches the row in which the terminal shows no pixels.
        let lacksLastRow = [.sixel, .iterm2].contains(pictureMode)
        guard !lacksLastRow || y < whole.height - pictureMode.samplesPerCell.height else { return color }
        let second = scene.top + Double(scene.size.rows)
        for (picture, top, cover) in [(scene.first, scene.top, scene.cover), (scene.second, second, 0)] {
            let onPage = y - Int((top * Double(pictureMode.samplesPerCell.height)).rounded())
            guard (0..<whole.height).contains(onPage) else { continue }
            let px = x - Int((Double(whole.width - picture.size.width) / 2).rounded(.down))
            let py = onPage - Int((Double(whole.height - picture.size.height) / 2).rounded(.down))
            guard (0..<picture.size.width).contains(px), (0..<picture.size.height).contains(py) else { continue }
            let source = RGB(packed: picture.pixels[py * picture.size.width + px])
            let weight = (cover * 256).rounded() / 256
            color = source.mixed(with: scene.background, by: weight).packed
        }
        return color
    }

    /// A cell is of a picture or of the ground where colours are few; only pages that meet while they move share one.
    @Test(arguments: PictureMode.ofGlyphs, [ColorMode.palette16, .mono])
    func picturesEndAtTheEdgesOfCells(mode: PictureMode, color: ColorMode) {
        let (size, samples) = (GridSize(columns: 8, rows: 6), mode.samplesPerCell)
        let whole = mode.pictureSize(for: size)
        for (width, height) in [(5, 9), (7, 13), (whole.width, 7), (whole.width - 1, whole.height - 1)] {
            let picture = Picture(
                size: PixelSize(width: width, height: height),
                pixels: Array(repeating: 0xFFFFFF, count: width * height))
            var canvas = Canvas(size: size, pictureMode: mode, color: color)
            canvas.compose(picture, under: CellGrid(size: size))
            var cells = Set<Int>()
            for cell in 0..<size.cells {
                var lit = 0
                canvas.eachSample(column: cell % size.columns, row: cell / size.columns) {
                    lit += $0.pointee == 0xFFFFFF ? 1 : 0
                }
                #expect(lit == 0 || lit == samples.width * samples.height, "\(width)x\(height)")
                if lit > 0 { cells.insert(cell) }
            }
            // No more than the cells at both ends are lost.
            #expect(cells.count >= max(width / samples.width - 1, 1) * max(height / samples.height - 1, 1))
        }
    }

    @Test func fullShadeIsBlackAndNoneLeavesThePixel() {
        #expect(shaded(0x80FF01, by: 0) == 0x80FF01)
        #expect(shaded(0xFFFFFF, by: 255) == 0)
        #expect(shaded(0xFFFFFF, by: 51) == 0xCCCCCC)
    }

    @Test func textStandsOnTheMeanOfItsPixelsDarkened() {
        let size = GridSize(columns: 1, rows: 1)
        let picture = Picture(size: PixelSize(width: 1, height: 2), pixels: [0x204060, 0x406080])
        var overlay = CellGrid(size: size)
        overlay[0, 0] = Cell(glyph: Glyph("a"), foreground: .white, shade: 128)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        canvas.compose(picture, under: overlay)
        #expect(canvas.cell(0).background == shaded(0x305070, by: 128))
    }

    @Test func comparingFourCellsAtOnceFindsTheFirstDifference() {
        let colors = Plane<UInt64>(count: 16, filledWith: 5)
        let glyphs = Plane<UInt32>(count: 16, filledWith: 0)
        let otherColors = Plane<UInt64>(count: 16, filledWith: 5)
        let otherGlyphs = Plane<UInt32>(count: 16, filledWith: 0)
        let line = CellRow(colors: colors.base, glyphs: glyphs.base)
        let other = CellRow(colors: otherColors.base, glyphs: otherGlyphs.base)
        for length in 0...16 {
            #expect(line.firstDifference(from: other, at: 0, count: length) == length)
            for place in 0..<length {
                otherColors[place] = 5 | 1 << 40
                #expect(line.firstDifference(from: other, at: 0, count: length) == place)
                otherColors[place] = 5
                otherGlyphs[place] = 9
                #expect(line.firstDifference(from: other, at: 0, count: length) == place)
                otherGlyphs[place] = 0
            }
        }
    }

    @Test func plainRowsEndWithAResetAndANewline() {
        let size = GridSize(columns: 1, rows: 2)
        let picture = Picture(size: PixelSize(width: 1, height: 4), pixels: [1, 2, 3, 3])
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        canvas.compose(picture, under: CellGrid(size: size))
        var buffer = ByteBuffer()
        canvas.appendRows(to: &buffer)
        let text = buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        #expect(
            text == "\u{1B}[38;2;0;0;1;48;2;0;0;2m▀\u{1B}[m\n\u{1B}[48;2;0;0;3m \u{1B}[m\n")
    }
}
