import Model
import Wire

/// Which pictures a correct decoder can send: none larger than ever requested, and none for a
/// surface that it has not received yet. Headers that are invalid for any request, such as a
/// slot that does not exist, are rejected when messages are decoded. One for each decoder. Pure.
struct PictureLimit {
    private var largest = PixelSize(width: 0, height: 0)
    private var generation: UInt32 = 0

    /// Notes a request for pictures of this surface. Generations only grow.
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
