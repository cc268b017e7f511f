import Model
import Testing
import Wire

@testable import Media

/// How a coded picture meets a surface.
@Suite struct PictureGeometryTests {
    private func size(
        _ width: Int, _ height: Int, aspect: Double, rotation: Int, fit: PictureFit = .fit
    ) -> PictureGeometry {
        PictureGeometry(
            codedWidth: width, codedHeight: height, sampleAspect: aspect, orientation: Orientation(degrees: rotation),
            request: SurfaceRequest(generation: 1, width: 1_000, height: 1_000, fit: fit))
    }

    @Test(arguments: [0, 90, 180, 270]) func nonSquarePixelsAreStretchedAtAnyRotation(rotation: Int) {
        // 720 × 576 as 16:15 pixels are 768 × 576.
        let fit = size(720, 576, aspect: 16.0 / 15, rotation: rotation)
        let isTurned = rotation % 180 != 0
        #expect((fit.width, fit.height) == (isTurned ? (750, 1_000) : (1_000, 750)))
        #expect((fit.scaledWidth, fit.scaledHeight) == (1_000, 750))
    }

    @Test func fillCropsBothSidesOfTheLongerDimension() {
        let fit = size(720, 576, aspect: 16.0 / 15, rotation: 90, fit: .fill)
        #expect((fit.width, fit.height) == (1_000, 1_000))
        // Of 768 rows 576 are visible, upright: an eighth of the coded columns is cropped on either side.
        #expect((fit.cropX, fit.cropY) == (90, 0))
    }

    /// Pages of half blocks at 200×60, 80×24 and 60×50 cells, and what of the picture a covered page would show.
    @Test(arguments: [
        (9, 16, 200, 120, false), (1, 1, 200, 120, false), (4, 5, 200, 120, false), (4, 3, 200, 120, true),
        (16, 9, 200, 120, true), (21, 9, 200, 120, true), (24, 9, 200, 120, false), (9, 16, 80, 48, false),
        (16, 9, 80, 48, true), (9, 16, 60, 100, true), (4, 5, 60, 100, true), (16, 9, 60, 100, false),
        (7, 10, 100, 100, true), (69, 100, 100, 100, false),
    ])
    func autoShowsTheWholePictureWhereFillingWouldHideMoreThanThreeTenths(
        across: Int, down: Int, width: Int, height: Int, fills: Bool
    ) {
        let fit = PictureGeometry(
            codedWidth: across * 100, codedHeight: down * 100, sampleAspect: 1, orientation: Orientation(degrees: 0),
            request: SurfaceRequest(generation: 1, width: UInt32(width), height: UInt32(height), fit: .auto))
        #expect(((fit.width, fit.height) == (width, height)) == fills)
        #expect((fit.cropX + fit.cropY > 0) == fills || across * height == down * width)
        #expect(fit.width == width || fit.height == height)
    }

    @Test(arguments: [
        (1_280, 720, true), (1_277, 720, true), (720, 1_280, true), (1_280, 599, false), (599, 1_280, false),
        (176, 144, false),
    ])
    func surfaceShrinksPicturesOfThreeTimesItsSize(width: Int, height: Int, shrinks: Bool) {
        for (across, down) in [(200, 120), (120, 200)] as [(UInt32, UInt32)] {
            let request = SurfaceRequest(generation: 1, width: across, height: down, fit: .auto)
            #expect(request.shrinks(width, height) == shrinks)
        }
        #expect(!SurfaceRequest(generation: 1, width: 0, height: 120, fit: .auto).shrinks(width, height))
    }

    @Test func autoFitUsesTheVisibleShape() {
        // Turned by 90°, 16:9 is upright and would lose two thirds on a page of 5:3.
        let request = SurfaceRequest(generation: 1, width: 200, height: 120, fit: .auto)
        let turned = PictureGeometry(
            codedWidth: 1_600, codedHeight: 900, sampleAspect: 1, orientation: Orientation(degrees: 90),
            request: request)
        #expect((turned.width, turned.height) == (68, 120))
        // Pixels twice as wide as high on the surface make the page square.
        let wide = SurfaceRequest(
            generation: 1, width: 60, height: 120, aspectNumerator: 2, aspectDenominator: 1, fit: .auto)
        let square = PictureGeometry(
            codedWidth: 900, codedHeight: 900, sampleAspect: 1, orientation: Orientation(degrees: 0), request: wide)
        #expect((square.width, square.height) == (60, 120))
    }
}
