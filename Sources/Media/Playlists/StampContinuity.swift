import Wire

/// Corrects stamps that jump back within a run although the playlist marks no discontinuity: the new stamps continue
/// the old ones. Pure.
struct StampContinuity {
    /// Packets come in decoding order. Only careless authors let a stream go back a little.
    private static let farthestBack: Microseconds = 1_000_000

    private struct Line {
        var correction: Microseconds = 0
        /// The corrected end of the previous packet.
        var end: Microseconds?
    }

    private var video = Line()
    private var audio = Line()

    /// What is added to the stamps of a stream's next packet. `decoded` is its DTS, if known.
    mutating func correction(of isVideo: Bool, decoded: Microseconds?, duration: Microseconds) -> Microseconds {
        let other = isVideo ? audio.correction : video.correction
        return isVideo
            ? StampContinuity.follow(&video, other, decoded, duration)
            : StampContinuity.follow(&audio, other, decoded, duration)
    }

    private static func follow(
        _ line: inout Line, _ other: Microseconds, _ decoded: Microseconds?, _ duration: Microseconds
    ) -> Microseconds {
        guard let decoded else { return line.correction }
        if let end = line.end, decoded + line.correction < end - farthestBack {
            // If the other stream has jumped at the same place, both get the
            // same correction, so that they stay in sync.
            line.correction = abs(decoded + other - end) <= farthestBack ? other : end - decoded
        }
        line.end = decoded + line.correction + max(0, duration)
        return line.correction
    }
}
