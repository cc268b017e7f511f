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
    public mutating func add(_ samples: [Float]) {
        samples.withUnsafeBytes { bytes in
            // Pairs of floats have the layout of two floats; half a frame at the end is ignored.
            var frames = UnsafeBufferPointer(
                start: bytes.baseAddress?.assumingMemoryBound(to: SIMD2<Float>.self), count: samples.count / 2)
            while !frames.isEmpty {
                let count = min(Self.stepFrames - filled, frames.count)
                energy += weighting.energy(of: UnsafeBufferPointer(rebasing: frames[..<count]))
                filled += count
                if filled == Self.stepFrames { endStep() }
                frames = UnsafeBufferPointer(rebasing: frames[count...])
            }
        }
    }

    private mutating func endStep() {
        defer { (filled, energy) = (0, 0) }
        guard energy.isFinite else {
            weighting.restart()
            stepCount = 0
            return
        }
        steps[stepCount % Self.stepsInBlock] = energy / Double(Self.stepFrames)
        stepCount += 1
        if stepCount >= Self.stepsInBlock { histogram.add(power: steps.sum() / Double(Self.stepsInBlock)) }
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
