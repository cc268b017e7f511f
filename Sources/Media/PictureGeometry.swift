import Model
import Wire

/// How a coded picture fits a surface: which part of it is shown, and at what size. Pure.
struct PictureGeometry: Equatable {
    /// How much is cut off at each side, in pixels of the coded picture.
    var cropX = 0
    var cropY = 0
    /// The size before the picture is turned.
    var scaledWidth: Int
    var scaledHeight: Int
    /// The final size, after turning.
    var width: Int
    var height: Int
    /// Pixels from row to row: rows begin at multiples of 64 bytes.
    var stride: Int { (width + 15) & ~15 }

    /// `sampleAspect` is the ratio of width to height of a coded pixel.
    init(codedWidth: Int, codedHeight: Int, sampleAspect: Double, orientation: Orientation, request: SurfaceRequest) {
        let isTurned = orientation.isOnItsSide
        let uprightWidth = isTurned ? Double(codedHeight) : Double(codedWidth) * sampleAspect
        let uprightHeight = isTurned ? Double(codedWidth) * sampleAspect : Double(codedHeight)
        // The size of the picture, first in units of a surface pixel's height, then in surface pixels.
        let natural = (width: uprightWidth / request.pixelAspect, height: uprightHeight)
        var (limitX, limitY) = (Double(max(1, request.width)), Double(max(1, request.height)))
        // The size of a slot limits it.
        let most = Double(PictureRing.slotBytes / 4) * 0.95
        if limitX * limitY > most {
            let shrink = (most / (limitX * limitY)).squareRoot()
            (limitX, limitY) = (max(1, limitX * shrink).rounded(.down), max(1, limitY * shrink).rounded(.down))
        }
        limitX = min(limitX, 16_384)
        limitY = min(limitY, 16_384)

        if request.isFilled(across: natural.width, down: natural.height) {
            (width, height) = (Int(limitX), Int(limitY))
            let scale = max(limitX / natural.width, limitY / natural.height)
            let shownX = min(1, limitX / (natural.width * scale))
            let shownY = min(1, limitY / (natural.height * scale))
            let (codedX, codedY) = isTurned ? (shownY, shownX) : (shownX, shownY)
            // Even, so that it falls between chroma samples.
            cropX = min(Int(Double(codedWidth) * (1 - codedX) / 2), max(0, codedWidth - 1) / 2) & ~1
            cropY = min(Int(Double(codedHeight) * (1 - codedY) / 2), max(0, codedHeight - 1) / 2) & ~1
        } else {
            let scale = min(limitX / natural.width, limitY / natural.height)
            width = min(max(1, Int((natural.width * scale).rounded())), Int(limitX))
            height = min(max(1, Int((natural.height * scale).rounded())), Int(limitY))
        }
        (scaledWidth, scaledHeight) = isTurned ? (height, width) : (width, height)
    }
}

extension SurfaceRequest {
    /// Whether pictures of that coded size are shown at a third of it at most, whichever way up they are.
    func shrinks(_ codedWidth: Int, _ codedHeight: Int) -> Bool {
        width > 0 && height > 0 && min(codedWidth, codedHeight) >= 3 * Int(max(width, height))
    }

    /// With `auto`, a picture is shown whole if filling would show less than this share of it.
    private static let minInView = 0.7

    /// A surface pixel's width divided by its height; 1 if the request has no such fraction.
    var pixelAspect: Double {
        aspectNumerator > 0 && aspectDenominator > 0 ? Double(aspectNumerator) / Double(aspectDenominator) : 1
    }

    /// Whether a picture covers the surface and is cropped for it, rather than shown whole.
    ///
    /// - Parameters:
    ///   - across: the upright picture's width, in surface pixels of the same unit as `down`: its width /
    ///     `pixelAspect`.
    ///   - down: the upright picture's height.
    func isFilled(across: Double, down: Double) -> Bool {
        switch fit {
        case .fill: return true
        case .fit: return false
        case .auto:
            guard across > 0, down > 0, width > 0, height > 0 else { return true }
            let (wider, higher) = (Double(width) / across, Double(height) / down)
            // The part of a covering picture that is in view.
            return min(wider, higher) / max(wider, higher) >= Self.minInView
        }
    }
}
