import Model
import Testing

@Suite struct PictureFormatTests {
    private static let grid = GridSize(columns: 100, rows: 40)

    @Test func aCellHasTheTerminalsPixelsAsFarAsTheyAreFew() {
        let cell = PixelSize(width: 9, height: 18)
        let format = PictureFormat(.kitty, cell: cell, grid: Self.grid, maxPixels: 900 * 720)
        #expect(format.samplesPerCell == cell)
        #expect(format.pictureSize(for: Self.grid) == PixelSize(width: 900, height: 720))
    }

    @Test func manyPixelsBecomeFewerInTheSameShape() {
        let format = PictureFormat(
            .kitty, cell: PixelSize(width: 20, height: 40), grid: Self.grid, maxPixels: 1_280 * 720)
        let size = format.pictureSize(for: Self.grid)
        #expect(size.width * size.height <= 1_280 * 720)
        #expect(format.samplesPerCell == PixelSize(width: 10, height: 21))
        let tiny = PictureFormat(.kitty, cell: nil, grid: GridSize(columns: 2_000, rows: 1_000), maxPixels: 1_000)
        #expect(tiny.samplesPerCell == PixelSize(width: 1, height: 1))
    }

    @Test func glyphsHaveTheirOwn() {
        let format = PictureFormat(.half, cell: PixelSize(width: 9, height: 18), grid: Self.grid, maxPixels: 10)
        #expect(format.samplesPerCell == PixelSize(width: 1, height: 2))
    }
}
