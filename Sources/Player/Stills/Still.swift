import Model
import Wire

/// A picture shown for an item while it has no moving one. A value.
struct Still: Sendable, Equatable {
    /// Its source. The later ones are closer to what the item shows next, and replace the others.
    enum Kind: Int, Sendable, Comparable, CaseIterable {
        /// A few colours that the feed sends along in place of a picture.
        case blurHash
        /// The feed's own picture of the item.
        case thumbnail
        /// The clip's picture at `firstFrameTime`.
        case firstFrame
        /// The clip's last visible picture.
        case frozen

        static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
    }

    /// Where in a clip its first frame is taken: many clips begin with one black picture.
    static let firstFrameTime: Microseconds = 100_000

    var kind: Kind
    var picture: Picture
    /// Of the surface that it was made for.
    var generation: UInt32
    /// Its position in the clip; 0 if it does not come from the clip.
    var time: Microseconds

    var bytes: Int { picture.pixels.count * MemoryLayout<UInt32>.stride }
}

extension PictureView {
    /// Whether there is next to nothing to see: of 4×4 samples less than a quarter has any channel over 15. An empty
    /// picture is blank.
    public var isBlank: Bool {
        guard size.width > 0, size.height > 0 else { return true }
        var visible = 0
        for row in 0..<4 {
            for column in 0..<4 {
                let pixel = pixels[(2 * row + 1) * size.height / 8 * stride + (2 * column + 1) * size.width / 8]
                if [16, 8, 0].contains(where: { pixel >> $0 & 0xFF > 15 }) { visible += 1 }
            }
        }
        return visible * 4 < 16
    }
}
