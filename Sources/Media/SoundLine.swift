import Wire

/// Sound without gaps: decoded sound placed end to end from a given time on. Pure.
///
/// Sound before the start is trimmed to the sample, gaps become silence, and overlaps are dropped. Stamps that are off
/// by less than `tolerance` are ignored (containers round to milliseconds), so that the sound has no interruptions.
struct SoundLine {
    static let tolerance: Microseconds = 30_000
    /// A longer gap counts as a wrong stamp.
    static let longestGap: Microseconds = 60_000_000

    /// Where the sound begins on the timeline; nil while unknown.
    private var start: Microseconds?
    /// Frames added since `start`, sent or not.
    private var laid: Int64 = 0
    /// Frames of output sent since `start`.
    private var sent: Int64 = 0
    private var pending: [Float] = []
    private var first = 0
    private var rounds: [Microseconds] = [0]
    private let rate: Int64
    /// How many frames wait until others follow them.
    private let held: Int
    private var stretch: TimeStretch
    private var isFinishing = false

    /// - Parameter held: how many frames are sent only once others follow them, or the sound ends.
    init(start: Microseconds?, rate: UInt32, held: Int = 0) {
        self.start = start
        self.rate = Int64(rate)
        self.held = held
        stretch = TimeStretch(thousandths: rate)
    }

    var isUnplaced: Bool { start == nil }
    mutating func place(at time: Microseconds) { start = time }

    /// It begins later than planned, at `time`. Only before anything was sent.
    mutating func skip(to time: Microseconds) {
        guard let start, sent == 0, time > start else { return }
        let skipped = SoundLine.frames(time - start)
        first += min(Int(skipped * 1_000 / rate), pendingFrames) * 2
        laid = max(0, laid - skipped)
        self.start = time
    }

    /// Frames that wait to be sent.
    var pendingFrames: Int { (pending.count - first) / 2 }
    private var sendableFrames: Int { max(0, pendingFrames - (isFinishing ? 0 : held)) }
    var isEmpty: Bool { sendableFrames == 0 }
    /// Where the last sample ends on the timeline.
    var end: Microseconds { (start ?? 0) + SoundLine.microseconds(laid) }

    private static func microseconds(_ frames: Int64) -> Microseconds { (frames * 1_000_000 + 24_000) / 48_000 }
    /// Limited, as differences of a hostile file's times, multiplied by the rate, overflow 64 bits.
    private static func frames(_ time: Microseconds) -> Int64 {
        (min(max(time, -longest), longest) * 48_000 + 500_000) / 1_000_000
    }
    private static let longest: Microseconds = 1 << 47

    /// Adds samples that begin at `time` (nil: directly after the last one), but none after `limit`.
    mutating func add(_ samples: [Float], at time: Microseconds?, until limit: Microseconds? = nil) {
        guard !samples.isEmpty, let start else { return }
        var skipped = 0
        if let time {
            let off = time - end
            if laid == 0, off < 0 {
                skipped = Int(min(SoundLine.frames(start - time), Int64(samples.count / 2)))
            } else if off > (laid == 0 ? 0 : SoundLine.tolerance), off < SoundLine.longestGap {
                fill(until: time)
            } else if off < -SoundLine.tolerance {
                skipped = Int(min(SoundLine.frames(-off), Int64(samples.count / 2)))
            }
        }
        guard skipped * 2 < samples.count else { return }
        var last = samples.count
        if let limit {
            let room = SoundLine.frames(limit - start) - laid
            last = min(last, skipped * 2 + Int(max(0, room)) * 2)
        }
        append(samples[(skipped * 2)..<last])
    }

    /// Adds silence up to `time`.
    mutating func fill(until time: Microseconds) {
        let missing = SoundLine.frames(time - (start ?? 0)) - laid
        guard start != nil, missing > 0, missing < 48_000 * 3_600 else { return }
        append(Array(repeating: 0, count: Int(missing) * 2)[...])
    }

    private mutating func append(_ samples: ArraySlice<Float>) {
        laid += Int64(samples.count / 2)
        pending.append(contentsOf: stretch.push(samples))
    }

    /// No more samples come: the rest is sent however short it is.
    mutating func finish() {
        guard !isFinishing else { return }
        isFinishing = true
        pending.append(contentsOf: stretch.finish())
    }

    /// The clip begins again at `time` of the timeline.
    mutating func beginRound(at time: Microseconds) {
        isFinishing = false
        rounds = rounds.suffix(3) + [time]
    }

    /// The next samples to send, at most `most` frames; nil if it is better to wait for more.
    ///
    /// - Parameter finish: makes 16-bit samples of the first frames, as many as its second argument. Its first argument
    ///   has the frames that follow as well, up to the last that is known.
    mutating func next(
        most: Int, _ finish: (UnsafeBufferPointer<Float>, Int) -> [Int16]
    ) -> (pts: Microseconds, mediaTime: Microseconds, samples: [Int16])? {
        guard let start else { return nil }
        let pts = start + SoundLine.microseconds(sent * rate / 1_000)
        var most = most
        // Samples that are sent together must belong to one round of the clip.
        if let round = rounds.first(where: { $0 > pts }) {
            most = min(most, max(1, Int(SoundLine.frames(round - pts) * 1_000 / rate)))
        }
        let count = min(most, sendableFrames)
        guard count > 0, count >= 1_024 || count == most || isFinishing else { return nil }
        let samples = pending.withUnsafeBufferPointer { pending in
            finish(UnsafeBufferPointer(rebasing: pending[first...]), count)
        }
        first += count * 2
        // Not each time: what stays is moved.
        if first > max(32_768, pending.count / 2) {
            pending.removeFirst(first)
            first = 0
        }
        sent += Int64(count)
        let round = rounds.last { $0 <= pts } ?? 0
        return (pts, pts - round, samples)
    }
}
