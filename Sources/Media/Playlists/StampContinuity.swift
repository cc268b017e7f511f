import Wire

/// Corrects stamps that jump back within a run although the playlist marks no discontinuity: what comes then follows what was before. Pure.
struct StampContinuity {
    /// Packets come in the order they are decoded in: a stream goes back no farther than careless authors make it.
    private static let farthestBack: Microseconds = 1_000_000

    private struct Line {
        var correction: Microseconds = 0
        /// Where the packet before ends, corrected.
        var end: Microseconds?
    }

    private var video = Line()
    private var audio = Line()

    /// What is added to the stamps of the next packet of a stream. `decoded` is when it is decoded, if that is known.
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
            // The stream beside may have jumped before it, at the same place: they stay together.
            line.correction = abs(decoded + other - end) <= farthestBack ? other : end - decoded
        }
        line.end = decoded + line.correction + max(0, duration)
        return line.correction
    }
}
