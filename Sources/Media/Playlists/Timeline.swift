import Wire

/// Where the stamps of segments are in the clip. Pure.
///
/// Stamps begin anywhere. Those of one domain, which is what lies between two discontinuities, belong together, whichever rendition they are of:
/// what a domain's stamps begin with is learned when the first of its pictures is read, and stays so.
struct Timeline {
    /// After so long the stamps of a transport stream begin again at 0: 33 bits at 90 kHz.
    private static let round: Microseconds = (1 << 33) * 100 / 9
    /// Stamps that are farther than this from where the playlist has them belong to another domain, although the playlist marks no discontinuity.
    private static let farthest: Microseconds = 30_000_000

    private var origins: [Int64: Microseconds] = [:]

    func knows(_ domain: Int64) -> Bool { origins[domain] != nil }

    /// What is added to a stamp to get its time in the clip. `expected` is when the playlist has it.
    ///
    /// - Parameter known: the stamp that is the clip's beginning, if the playlist says so. It counts only if the stamp is near enough to it.
    mutating func shift(
        domain: Int64, stamp: Microseconds, expected: Microseconds, goesRound: Bool, known: Microseconds? = nil
    ) -> Microseconds {
        if let known, abs(stamp - known - expected) <= Timeline.farthest {
            origins[domain] = origins[domain] ?? known
            return -known
        }
        guard let origin = origins[domain] else {
            // A playlist may have as many domains as segments.
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
