import Wire

/// How far a playlist is read ahead while its clip is in view. Pure: the caller tells what the decoders took.
///
/// Who leaves after three seconds wants few seconds of what follows, so the time grows with what was played since the
/// clip came into view. A pause adds nothing, a seek and a loop take nothing away. Where the link is slow or unknown,
/// all of it holds from the beginning: a stall is worse than bytes.
struct ReadAheadGrowth {
    static let least: Microseconds = 4_000_000
    static let most: Microseconds = 20_000_000
    /// A link that carries the clip so many times over soon makes up for what was not read ahead.
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

    /// How far to read ahead. `link` is the network's speed and `bits` what the clip needs, both in bits a second; 0 if
    /// unknown.
    func time(link: Int64, bits: Int64) -> Microseconds {
        guard bits > 0, link / bits >= ReadAheadGrowth.ample else { return ReadAheadGrowth.most }
        return min(ReadAheadGrowth.least + played, ReadAheadGrowth.most)
    }
}

/// How many bits a second have been read of a clip lately. Pure.
struct ReadRate {
    private var bytes = 0
    private var time: Microseconds = 0
    /// Less than this tells nothing, and what is longer ago counts less.
    private static let shortest: Microseconds = 1_000_000
    private static let longest: Microseconds = 20_000_000

    /// A packet of so many bytes was read, and the place in the clip moved on by `time`, if it did not jump.
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
