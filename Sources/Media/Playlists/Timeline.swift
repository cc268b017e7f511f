import Wire

/// Where the stamps of segments lie in the clip. Pure.
///
/// Stamps can begin anywhere. Those of one domain (the segments between two discontinuities) belong
/// together, in all renditions. The first picture of a domain sets where its stamps begin; this stays fixed.
struct Timeline {
    /// Stamps of a transport stream wrap around to 0 after this time: 33 bits at 90 kHz.
    private static let round: Microseconds = (1 << 33) * 100 / 9
    /// Stamps further than this from the playlist's time count as another
    /// domain, although the playlist marks no discontinuity.
    private static let farthest: Microseconds = 30_000_000

    private var origins: [Int64: Microseconds] = [:]

    func knows(_ domain: Int64) -> Bool { origins[domain] != nil }

    /// What is added to a stamp of text, which wraps around as those of transport
    /// streams do; nil while it is unknown where the stamps of its domain begin.
    func shift(ofText stamp: Microseconds, domain: Int64, expected: Microseconds) -> Microseconds? {
        guard let origin = origins[domain] else { return nil }
        let off = Double(expected - (stamp - origin)) / Double(Timeline.round)
        return Microseconds(off.rounded()) * Timeline.round - origin
    }

    /// What is added to a stamp to get its time in the clip. `expected` is the time by the playlist.
    ///
    /// - Parameter known: the stamp at the clip's beginning, if the
    ///   playlist states it. Used only if the stamp is close enough to it.
    mutating func shift(
        domain: Int64, stamp: Microseconds, expected: Microseconds, goesRound: Bool, known: Microseconds? = nil
    ) -> Microseconds {
        if let known, abs(stamp - known - expected) <= Timeline.farthest {
            origins[domain] = origins[domain] ?? known
            return -known
        }
        guard let origin = origins[domain] else {
            // A playlist can have as many domains as segments.
            if origins.count >= 10_000 { origins = [:] }
            origins[domain] = stamp - expected
            return expected - stamp
        }
        var shift = -origin
        if goesRound {
            let off = Double(expected - (stamp + shift)) / Double(Timeline.round)
            shift += Microseconds(off.rounded()) * Timeline.round
        }
        return abs(stamp + shift - expected) <= Timeline.farthest ? shift : expected - stamp
    }
}

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
