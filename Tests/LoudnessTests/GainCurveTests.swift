import Testing

@testable import Loudness

@Suite struct GainCurveTests {
    /// The gain after `seconds` in steps of 20 ms.
    private func play(_ curve: inout GainCurve, toward wanted: Double?, for seconds: Double) -> Double {
        for _ in 0..<Int((seconds * 50).rounded()) { _ = curve.advance(toward: wanted, over: 0.02) }
        return curve.gain
    }

    @Test func firstSoundHasItsWholeGain() {
        var curve = GainCurve()
        let first = curve.advance(toward: 12, over: 0.02)
        #expect(first == (12, 12))
    }

    @Test func unknownLoudnessChangesNothing() {
        var curve = GainCurve()
        #expect(play(&curve, toward: nil, for: 5) == 0)
    }

    @Test func firstSecondOfAKnownLoudnessIsFollowedQuickly() {
        var curve = GainCurve()
        _ = play(&curve, toward: nil, for: 2)
        #expect(abs(play(&curve, toward: 12, for: 0.5) - 12) < 1e-9)
    }

    @Test func laterChangesAreAtMostADecibelASecond() {
        var curve = GainCurve()
        _ = play(&curve, toward: 0, for: 2)
        #expect(abs(play(&curve, toward: 10, for: 3) - 3) < 1e-9)
        #expect(abs(play(&curve, toward: -2, for: 2) - 1) < 1e-9)
    }

    @Test func gainThatIsFarTooHighFallsFaster() {
        var curve = GainCurve()
        _ = play(&curve, toward: 16, for: 2)
        #expect(abs(play(&curve, toward: -2, for: 2) - 8) < 1e-9)
    }

    @Test func stepsAreContinuous() {
        var curve = GainCurve()
        var last = curve.advance(toward: 5, over: 0.1).to
        for wanted in [7.0, -3, 12, -40, 40] {
            let step = curve.advance(toward: wanted, over: 0.1)
            #expect(step.from == last)
            last = step.to
        }
    }

    @Test func boostAndCutAreBounded() {
        var (up, down) = (GainCurve(), GainCurve())
        #expect(up.advance(toward: 50, over: 0.1).from == 20)
        #expect(down.advance(toward: -50, over: 0.1).from == -30)
    }
}
