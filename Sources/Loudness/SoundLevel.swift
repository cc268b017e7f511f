import Model
import Platform

/// Brings the sounds of a clip to one loudness: measures what was decoded, and changes the gain of what is sent next.
/// 48 kHz stereo, left and right interleaved. Pure.
public struct SoundLevel {
    /// How loud the sound is, and how its gain is changed.
    public struct Report: Equatable, Sendable {
        /// In LUFS.
        public var loudness: Double
        /// In dB.
        public var gain: Double
        public var origin: LoudnessOrigin
    }

    /// How many frames after those that are sent are examined.
    public static let lookahead = PeakLimiter.lookahead

    private struct Track {
        var loudness: TrackLoudness
        var curve = GainCurve()
    }

    private let target: Double
    /// The sound track that is played, and its number.
    private var track: Track
    private var number: Int
    /// The tracks that were played before, by number. They may be chosen again.
    private var others: [Int: Track] = [:]
    private var limiter = PeakLimiter()

    /// - Parameters:
    ///   - target: the wanted loudness in LUFS.
    ///   - number: which of the clip's sound tracks is played.
    ///   - tag: its loudness according to the file's tags, in LUFS; nil without a tag.
    public init(target: Double, number: Int, tag: Double?) {
        self.target = target
        self.number = number
        track = Track(loudness: TrackLoudness(tag: tag))
    }

    /// Another sound track of the clip is played from now on.
    public mutating func choose(_ number: Int, tag: Double?) {
        others[self.number] = track
        track = others[number] ?? Track(loudness: TrackLoudness(tag: tag))
        self.number = number
    }

    /// The next sound comes from another place in the clip.
    public mutating func jump(toStart: Bool) {
        track.loudness.jump(toStart: toStart)
        limiter.restart()
    }

    /// The sound has been measured up to its end. The pictures may last longer.
    public mutating func endSound() { track.loudness.endSound() }

    /// The clip is over. Its beginning may follow.
    public mutating func end() { track.loudness.end() }

    public mutating func measure(_ samples: [Float]) { track.loudness.add(samples) }

    /// How many frames should be measured before the next are sent, if they can be decoded without reading: half a
    /// second before the first sound of a track, as its gain begins with the estimate. Later gains follow slowly.
    public var framesBeforeNext: Int { track.curve.hasPlayed ? 0 : LoudnessMeter.sampleRate / 2 }

    /// The first `count` frames of `window` at the target loudness, as 16-bit samples. The frames after them are only
    /// examined: `lookahead` frames, or fewer where the sound ends.
    public mutating func level(_ window: UnsafeBufferPointer<Float>, count: Int) -> [Int16] {
        let seconds = Double(count) / Double(LoudnessMeter.sampleRate)
        let gain = track.curve.advance(toward: track.loudness.value.map { target - $0 }, over: seconds)
        return limiter.limit(window, count: count, gain: (Self.factor(gain.from), Self.factor(gain.to)))
    }

    /// The first `count` frames of `window` as they are, as 16-bit samples.
    public static func unchanged(_ window: UnsafeBufferPointer<Float>, count: Int) -> [Int16] {
        [Int16](unsafeUninitializedCapacity: count * 2) { output, filled in
            guard let samples = window.baseAddress, let output = output.baseAddress else { return }
            Quantizer.quantize(samples, count: count * 2, to: output)
            filled = count * 2
        }
    }

    /// nil while there is no estimate.
    public var report: Report? {
        track.loudness.value.map {
            Report(loudness: $0, gain: track.curve.gain, origin: track.loudness.origin)
        }
    }

    private static func factor(_ decibels: Double) -> Float { Float(pow(10, decibels / 20)) }
}

/// How the gain of a sound follows the estimate of its loudness: at once before anything was heard, quickly while it
/// begins, and then too slowly to be heard. Pure.
struct GainCurve {
    /// In dB. More would make noise audible.
    private static let maxBoost = 20.0
    private static let maxCut = 30.0
    /// How long it changes quickly once there is an estimate, in seconds.
    private static let opening = 1.0
    /// In dB a second.
    private static let openingRate = 24.0
    private static let rate = 1.0
    /// In dB a second, while the sound is too loud by more than `farTooLoud`, as after a quiet beginning.
    private static let fallRate = 4.0
    /// In dB.
    private static let farTooLoud = 6.0

    /// In dB.
    private(set) var gain = 0.0
    private(set) var hasPlayed = false
    private var openingLeft = Self.opening

    /// The gains at the beginning and the end of the next `seconds` of sound.
    ///
    /// - Parameter wanted: the gain in dB that the estimate calls for; nil while there is no estimate.
    mutating func advance(toward wanted: Double?, over seconds: Double) -> (from: Double, to: Double) {
        defer { hasPlayed = true }
        guard let wanted = wanted.map({ min(max($0, -Self.maxCut), Self.maxBoost) }) else { return (gain, gain) }
        if !hasPlayed { gain = wanted }
        let from = gain
        let most = seconds * rate(toward: wanted)
        gain += min(max(wanted - gain, -most), most)
        openingLeft -= seconds
        return (from, gain)
    }

    private func rate(toward wanted: Double) -> Double {
        if openingLeft > 0 { return Self.openingRate }
        return gain - wanted > Self.farTooLoud ? Self.fallRate : Self.rate
    }
}
