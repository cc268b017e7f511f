import Model
import Wire

/// Which pictures an honest decoder can send: none that is larger than it was ever asked for, and none for a surface
/// that it has not heard of. What cannot be whatever was asked for, such as a slot that is not there, is refused where
/// messages are decoded. One for each decoder. Pure.
struct PictureLimit {
    private var largest = PixelSize(width: 0, height: 0)
    private var generation: UInt32 = 0

    /// The decoder is asked for pictures of this surface. Generations only grow.
    mutating func note(_ surface: SurfaceRequest) {
        largest = PixelSize(
            width: max(largest.width, Int(surface.width)), height: max(largest.height, Int(surface.height)))
        generation = surface.generation
    }

    func allows(_ header: PictureHeader) -> Bool {
        Int(header.width) <= largest.width && Int(header.height) <= largest.height && header.generation <= generation
            && header.mediaTime >= 0 && header.duration >= 0
    }
}
