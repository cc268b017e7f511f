import Testing
import Wire

@testable import Media

/// How a coded picture meets a surface.
@Suite struct PictureGeometryTests {
    private func size(
        _ width: Int, _ height: Int, aspect: Double, rotation: Int, fill: Bool = false
    ) -> PictureGeometry {
        PictureGeometry(
            codedWidth: width, codedHeight: height, sampleAspect: aspect, rotation: rotation,
            request: SurfaceRequest(generation: 1, width: 1_000, height: 1_000, fill: fill))
    }

    @Test(arguments: [0, 90, 180, 270]) func oblongPixelsAreStretchedWhicheverWayThePictureIsTurned(rotation: Int) {
        // 720 × 576 as 16:15 pixels are 768 × 576.
        let fit = size(720, 576, aspect: 16.0 / 15, rotation: rotation)
        let isTurned = rotation % 180 != 0
        #expect((fit.width, fit.height) == (isTurned ? (750, 1_000) : (1_000, 750)))
        #expect((fit.scaledWidth, fit.scaledHeight) == (1_000, 750))
    }

    @Test func whatFillsTheSurfaceIsCutOnBothSidesOfTheLongerWay() {
        let fit = size(720, 576, aspect: 16.0 / 15, rotation: 90, fill: true)
        #expect((fit.width, fit.height) == (1_000, 1_000))
        // Of 768 rows 576 are seen, upright: an eighth of the coded columns goes on either side.
        #expect((fit.cropX, fit.cropY) == (90, 0))
    }
}
