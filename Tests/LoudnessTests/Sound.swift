import Foundation
import TestSupport

/// 48 kHz stereo sound that tests need, left and right alike and interleaved.
enum Sound {
    /// - Parameter level: of its peaks, in dBFS.
    static func sine(_ frequency: Double, level: Double, seconds: Double, phase: Double = 0) -> [Float] {
        let peak = pow(10, level / 20)
        return frames(seconds) { Float(peak * sin(2 * .pi * frequency * Double($0) / 48_000 + phase)) }
    }

    /// - Parameter level: of its peaks, in dBFS.
    static func noise(level: Double, seconds: Double) -> [Float] {
        var random = SeededRandom(state: 1)
        let peak = Float(pow(10, level / 20))
        return frames(seconds) { _ in .random(in: -peak...peak, using: &random) }
    }

    static func silence(seconds: Double) -> [Float] { frames(seconds) { _ in 0 } }

    private static func frames(_ seconds: Double, _ sample: (Int) -> Float) -> [Float] {
        (0..<Int((seconds * 48_000).rounded())).flatMap { index -> [Float] in
            let value = sample(index)
            return [value, value]
        }
    }
}
