import Wire

extension SurfaceRequest {
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
