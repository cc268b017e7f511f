import Model
import Testing
import Wire

@testable import App

@Suite struct PictureRequestTests {
    private let grid = GridSize(columns: 200, rows: 60)

    @Test func halfBlocksOfUnknownCellsAreSquare() {
        let request = SurfaceRequest(grid: grid, samples: PictureMode.half.samplesPerCell, cell: nil, fit: .fill)
        #expect(request.width == 200 && request.height == 120 && request.fit == .fill)
        #expect(request.aspectNumerator == request.aspectDenominator)
    }

    @Test func samplesHaveTheShapeOfTheirPartOfTheCell() {
        // 9×20 pixels: half of one is 9×10.
        let half = SurfaceRequest(
            grid: grid, samples: PictureMode.half.samplesPerCell, cell: PixelSize(width: 9, height: 20), fit: .fit,
            generation: 4)
        #expect(half.aspectNumerator * 10 == half.aspectDenominator * 9)
        #expect(half.fit == .fit && half.generation == 4)
        // 8×16 pixels: 2 × 4 samples of 4×4.
        let ascii = SurfaceRequest(
            grid: grid, samples: PictureMode.ascii.samplesPerCell, cell: PixelSize(width: 8, height: 16), fit: .fit)
        #expect(ascii.width == 400 && ascii.height == 240)
        #expect(ascii.aspectNumerator == ascii.aspectDenominator)
    }
}
