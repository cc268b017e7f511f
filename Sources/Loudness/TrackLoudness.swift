import Model
import Platform

/// The estimate of the loudness of one sound track of a clip, from its tags and what was measured. Pure.
struct TrackLoudness {
    /// In LUFS. Quieter sound does not count until the whole clip has been measured: it may be the quiet beginning of a
    /// loud clip.
    private static let partialGate = -45.0
    /// A tag counts as much as this many seconds of measured sound.
    private static let tagSeconds = 10.0

    /// In LUFS; nil while there is no estimate. Stored, as it is read more often than it changes, and the whole
    /// histogram decides it.
    private(set) var value: Double?
    private let tag: Double?
    private var meter = LoudnessMeter()
    private(set) var isWhole = false
    /// All of the clip up to here was measured, from its beginning.
    private var isFromStart = true

    /// - Parameter tag: in LUFS; nil if the file has no such tag.
    init(tag: Double?) {
        self.tag = tag
        value = tag
    }

    /// Adds the sound that follows. Nothing changes once the whole clip has been measured.
    mutating func add(_ samples: [Float]) { if !isWhole, meter.add(samples) { value = estimate } }

    /// The next sound does not follow the last.
    mutating func jump(toStart: Bool) { isFromStart = toStart }

    /// The sound ends here. Nothing changes unless it is very short.
    mutating func endSound() {
        guard !isWhole else { return }
        meter.end()
        value = estimate
    }

    /// The clip's end was reached, and its beginning follows.
    mutating func end() {
        isWhole = isWhole || isFromStart
        isFromStart = true
        value = estimate
    }

    private var estimate: Double? {
        if isWhole { return meter.loudness() }
        guard let tag else { return meter.loudness(gate: Self.partialGate) }
        // Gated together with the tag of a loud clip, a quiet beginning does not count.
        return meter.loudness(gate: Self.partialGate, after: tag, lasting: Self.tagSeconds) ?? tag
    }

    var origin: LoudnessOrigin { isWhole ? .whole : tag == nil ? .partial : .tag }
}

/// Reads the loudness from a file's tags. Pure.
public enum LoudnessTag {
    /// The loudness of the whole file in LUFS, -70 to 0; nil if no tag has a credible one.
    ///
    /// - Parameter tag: returns the text of the tag with this name.
    public static func loudness(_ tag: (String) -> String?) -> Double? {
        [r128(tag("R128_TRACK_GAIN")), replayGain(tag("REPLAYGAIN_TRACK_GAIN")), iTunes(tag("iTunNORM"))]
            .lazy.compactMap { $0 }.first(where: (-70.0...0).contains)
    }

    /// Opus (RFC 7845, 5.2.1): 256ths of a dB to reach -23 LUFS.
    private static func r128(_ text: String?) -> Double? {
        text.flatMap { Int16($0) }.map { -23 - Double($0) / 256 }
    }

    /// ReplayGain 2.0: "-7.89 dB" to reach -18 LUFS.
    private static func replayGain(_ text: String?) -> Double? {
        text?.split(separator: " ").first.flatMap { Double($0) }.map { -18 - $0 }
    }

    /// Sound Check: hexadecimal numbers, of which the first two are the power of left and right, in thousandths of the
    /// reference. The reference is that of ReplayGain.
    private static func iTunes(_ text: String?) -> Double? {
        guard let numbers = text?.split(separator: " ").prefix(2).map({ UInt32($0, radix: 16) }),
            let most = numbers.compactMap({ $0 }).max(), most > 0
        else { return nil }
        return -18 + 10 * log10(Double(most) / 1_000)
    }
}
