import Model
import TestSupport
import Testing

@testable import TermGraphics

@Suite struct PerceptualErrorsTests {
    /// Four cells at once against one after the other, over texts, wide characters and unknown cells.
    @Test func errorsOfFourCellsAreThoseOfEach() {
        for seed in 1...40 {
            var random = SeededRandom(state: UInt64(seed))
            let size = GridSize(columns: .random(in: 1...30, using: &random), rows: .random(in: 1...9, using: &random))
            var scene = RandomScene(size: size, pictureMode: .half, using: &random)
            var before = canvas(size)
            var after = canvas(size)
            scene.compose(into: &before)
            scene.change(using: &random)
            scene.compose(into: &after)
            if Bool.random(using: &random) { before.glyphs[.random(in: 0..<size.cells, using: &random)] = 0xFFFF_FFFE }
            let errors = PerceptualErrors(size: size)
            let differs = errors.measure(after, colors: before.colors, glyphs: before.glyphs)
            var any = false
            for row in 0..<size.rows {
                var greatest: UInt16 = 0
                for column in 0..<size.columns {
                    let begin = row * size.columns
                    let error = PerceptualErrors.error(
                        CellRow(colors: after.colors.base + begin, glyphs: after.glyphs.base + begin),
                        CellRow(colors: before.colors.base + begin, glyphs: before.glyphs.base + begin),
                        isPicture: after.pictureCells[begin + column] == 1, at: column,
                        slack: errors.slack(row: row)[column / PerceptualErrors.block.columns])
                    #expect(errors.values[begin + column] == error, "seed \(seed), \(column), \(row)")
                    #expect((error == 0) == (before.cell(begin + column) == after.cell(begin + column)))
                    greatest = max(greatest, error)
                }
                #expect(errors.greatest[row] >= greatest && (errors.greatest[row] == 0) == (greatest == 0))
                any = any || greatest > 0
            }
            #expect(differs == any)
        }
    }

    @Test func onlyPictureCellsAreApproximated() {
        let size = GridSize(columns: 8, rows: 1)
        var overlay = CellGrid(size: size)
        overlay[1, 0] = Cell(glyph: Glyph("a"))
        overlay[2, 0] = Cell(glyph: .space, background: RGB(10, 10, 10), style: .opaque)
        overlay[3, 0] = Cell(glyph: Glyph("█"), foreground: RGB(90, 90, 90))
        overlay[4, 0].shade = 128
        var canvas = canvas(size)
        canvas.compose(pages: [], pageSize: size, overlay: overlay, background: RGB(100, 100, 100))
        #expect((0..<size.columns).map { canvas.pictureCells[$0] } == [1, 0, 0, 0, 1, 1, 1, 1])
        let shown = Plane<UInt64>(count: size.cells, filledWith: 0)
        for column in 0..<size.columns { shown[column] = canvas.colors[column] &+ 0x0001_0101_0001_0101 }
        let errors = PerceptualErrors(size: size)
        _ = errors.measure(canvas, colors: shown, glyphs: canvas.glyphs)
        for column in 0..<size.columns {
            #expect((errors.values[column] == PerceptualErrors.exact) == (1...3).contains(column), "\(column)")
        }
    }

    @Test func changesHideWhereThePictureIsBusy() {
        let flat = PerceptualErrors.slack(light: 128, deviation: 0)
        #expect(flat == 4, "one level")
        #expect(PerceptualErrors.slack(light: 128, deviation: 12) > flat)
        #expect(PerceptualErrors.slack(light: 128, deviation: 255) == 4 * flat, "and no more than four times as well")
    }

    @Test func changesHideInTheVeryDarkAndVeryBright() {
        let middle = PerceptualErrors.slack(light: 110, deviation: 40)
        #expect(PerceptualErrors.slack(light: 2, deviation: 40) > middle)
        #expect(PerceptualErrors.slack(light: 30, deviation: 40) < middle)
        #expect(PerceptualErrors.slack(light: 255, deviation: 40) > middle)
    }

    private func canvas(_ size: GridSize) -> Canvas { Canvas(size: size, pictureMode: .half, color: .truecolor) }
}
