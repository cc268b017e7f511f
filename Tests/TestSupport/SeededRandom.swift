/// Random numbers that are the same for the same seed on every system: SplitMix64 (Steele, Lea, Flood 2014).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// - Parameter state: the seed.
    public init(state: UInt64) { self.state = state }

    static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    public mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.mix(state)
    }

    static func mix(_ state: UInt64) -> UInt64 {
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
