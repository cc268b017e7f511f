import Platform

/// Counts blocks by their loudness, in steps of 0.1 LU: gated means of sound of any length, in fixed memory. Pure.
struct LoudnessHistogram {
    /// Blocks quieter than this never count (BS.1770-5, annex 1).
    static let absoluteGate = -70.0
    /// Blocks count that are quieter than the mean of all by at most this, in LU.
    private static let relativeGate = -10.0
    /// Steps in one LU.
    private static let perUnit = 10.0
    /// In LUFS. Louder blocks share the last step.
    private static let loudest = 10.0

    private var counts: [Double]
    /// The sum of the powers of each step, so that rounding to a step costs no precision.
    private var powers: [Double]

    init() {
        let count = Int((Self.loudest - Self.absoluteGate) * Self.perUnit)
        (counts, powers) = (Array(repeating: 0, count: count), Array(repeating: 0, count: count))
    }

    /// Adds `count` blocks whose weighted mean squares have the finite sum `power` over both sides.
    mutating func add(power: Double, count: Double = 1) {
        let loudness = Self.loudness(power: power)
        guard loudness >= Self.absoluteGate else { return }
        let step = self.step(loudness)
        counts[step] += count
        powers[step] += power * count
    }

    /// The gated loudness of the blocks from `gate` on, in LUFS; nil if all are quieter.
    func mean(gate: Double) -> Double? {
        guard let all = mean(from: step(gate)) else { return nil }
        return mean(from: step(max(gate, all + Self.relativeGate)))
    }

    private func mean(from step: Int) -> Double? {
        var (power, count) = (0.0, 0.0)
        for index in step..<counts.count {
            power += powers[index]
            count += counts[index]
        }
        return count > 0 ? Self.loudness(power: power / count) : nil
    }

    private func step(_ loudness: Double) -> Int {
        min(max(Int((loudness - Self.absoluteGate) * Self.perUnit), 0), counts.count - 1)
    }

    /// BS.1770-5: the constant makes a sine of 997 Hz at 0 dBFS on one side -3.01 LUFS.
    static func loudness(power: Double) -> Double { power > 0 ? -0.691 + 10 * log10(power) : -.infinity }
    static func power(loudness: Double) -> Double { pow(10, (loudness + 0.691) / 10) }
}
