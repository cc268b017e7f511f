/// Measures the gated loudness of ITU-R BS.1770-5 (EBU R128) of 48 kHz stereo sound. Pure.
public struct LoudnessMeter {
    public static let sampleRate = 48_000
    /// A block is 400 ms long, and begins 100 ms after the one before.
    private static let stepFrames = 4_800
    private static let stepsInBlock = 4

    private var weighting = KWeighting()
    private var histogram = LoudnessHistogram()
    /// Of the step that is being filled.
    private var (filled, energy) = (0, 0.0)
    /// The mean squares of the last steps, in a ring, and how many have been measured.
    private var steps = SIMD4<Double>.zero
    private var stepCount = 0

    public init() {}

    /// Adds samples, left and right interleaved; full scale is 1. Steps with infinities and NaN do not count.
    ///
    /// - Returns: whether a block has ended, so that the loudness may have changed.
    @discardableResult
    public mutating func add(_ samples: [Float]) -> Bool {
        var hasEnded = false
        samples.withUnsafeBytes { bytes in
            // Pairs of floats have the layout of two floats; half a frame at the end is ignored.
            var frames = UnsafeBufferPointer(
                start: bytes.baseAddress?.assumingMemoryBound(to: SIMD2<Float>.self), count: samples.count / 2)
            while !frames.isEmpty {
                let count = min(Self.stepFrames - filled, frames.count)
                energy += weighting.energy(of: UnsafeBufferPointer(rebasing: frames[..<count]))
                filled += count
                if filled == Self.stepFrames { hasEnded = endStep() || hasEnded }
                frames = UnsafeBufferPointer(rebasing: frames[count...])
            }
        }
        return hasEnded
    }

    private mutating func endStep() -> Bool {
        defer { (filled, energy) = (0, 0) }
        guard energy.isFinite else {
            weighting.restart()
            (steps, stepCount) = (.zero, 0)
            return false
        }
        steps[stepCount % Self.stepsInBlock] = energy / Double(Self.stepFrames)
        stepCount += 1
        guard stepCount >= Self.stepsInBlock else { return false }
        histogram.add(power: steps.sum() / Double(Self.stepsInBlock))
        return true
    }

    /// The sound ends here. If it is shorter than a block, it counts as one.
    mutating func end() {
        let count = stepCount * Self.stepFrames + filled
        guard stepCount < Self.stepsInBlock, count > 0, energy.isFinite else { return }
        histogram.add(power: (steps.sum() * Double(Self.stepFrames) + energy) / Double(count))
        (filled, energy, steps, stepCount) = (0, 0, .zero, 0)
    }

    /// In LUFS; nil if everything so far is quieter than `gate`.
    public func loudness(gate: Double = -70) -> Double? { histogram.mean(gate: gate) }

    /// The same with `seconds` more of sound that is as loud as `known`, in LUFS.
    func loudness(gate: Double, after known: Double, lasting seconds: Double) -> Double? {
        var all = histogram
        all.add(power: LoudnessHistogram.power(loudness: known), count: seconds * 10)
        return all.mean(gate: gate)
    }
}
