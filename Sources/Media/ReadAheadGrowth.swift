import Wire

/// How far a remote clip is read ahead while it is in view. Pure: the caller reports how much the decoders have taken.
///
/// Most pages are left within seconds, and the longer a viewer has watched, the longer they will
/// probably stay. So the time is short for the first seconds, and then grows with the square of what
/// was played since. A pause adds nothing; a seek and a loop take nothing away. Where the link is
/// slow or unknown, the full time applies from the beginning: a stall is worse than wasted bytes.
struct ReadAheadGrowth {
    /// Whatever the link: it may falter for a moment. Decoded pictures come on top.
    static let least: Microseconds = 400_000
    /// While the clip's bit rate is unknown; reading this much reveals it.
    static let unknown: Microseconds = 2_000_000
    static let most: Microseconds = 20_000_000
    /// Until this much is played, the time does not grow.
    static let trial: Microseconds = 3_000_000
    /// When this much was played after that, as much is read ahead.
    private static let equal: Microseconds = 11_000_000
    /// A segment is requested while the time left is this many times its expected download time.
    private static let caution = 2.0
    /// A link with this many times the clip's bit rate soon makes up for what was not read ahead.
    private static let ample: Int64 = 2

    /// How much was played since the clip came into view.
    private(set) var played: Microseconds = 0
    /// What the decoders had taken when it was last out of view.
    private var takenBefore: Microseconds = 0

    /// The clip is in view, or out of it, and its decoders have taken packets of `taken` altogether.
    mutating func note(isWatched: Bool, taken: Microseconds) {
        if !isWatched { takenBefore = taken }
        played = taken - takenBefore
    }

    /// How far to read ahead.
    ///
    /// - Parameters:
    ///   - link: the network's speed in bits a second; 0 if unknown.
    ///   - bits: what the clip needs, in bits a second; 0 if unknown.
    ///   - segment: how much of the clip comes at once.
    func time(link: Int64, bits: Int64, segment: Microseconds = 0) -> Microseconds {
        guard link > 0 else { return ReadAheadGrowth.most }
        guard bits > 0 else { return ReadAheadGrowth.unknown }
        guard link / bits >= ReadAheadGrowth.ample else { return ReadAheadGrowth.most }
        let arrival = Microseconds(Double(segment) * ReadAheadGrowth.caution * Double(bits) / Double(link))
        let since = min(max(played - ReadAheadGrowth.trial, 0), ReadAheadGrowth.most)
        let earned = since * since / ReadAheadGrowth.equal
        return min(max(ReadAheadGrowth.least, arrival) + earned, ReadAheadGrowth.most)
    }
}

/// How many bits a second have been read of a clip lately. Pure.
struct ReadRate {
    private var bytes = 0
    private var time: Microseconds = 0
    /// A shorter time gives no usable rate; above the longest, older data counts less.
    private static let shortest: Microseconds = 1_000_000
    private static let longest: Microseconds = 20_000_000

    /// A packet of `bytes` bytes was read, and the place in the clip moved on by `time`, unless it jumped.
    mutating func read(bytes: Int, time: Microseconds) {
        self.bytes += bytes
        if time > 0, time < 10_000_000 { self.time += time }
        guard self.time > ReadRate.longest else { return }
        self.bytes /= 2
        self.time /= 2
    }

    /// 0 while unknown.
    var bits: Int64 { time < ReadRate.shortest ? 0 : Int64(Double(bytes) * 8_000_000 / Double(time)) }
}
