/// Makes 16-bit samples, rounded to the nearest; NaN becomes any value. Loops that compilers turn into vector
/// instructions: no overflow checks, no calls.
enum Quantizer {
    static func quantize(_ samples: UnsafePointer<Float>, count: Int, to output: UnsafeMutablePointer<Int16>) {
        for index in 0..<count { output[index] = rounded(samples[index]) }
    }

    /// Quantizes frames, left and right interleaved, that are multiplied by a factor which changes evenly.
    static func quantize(
        _ samples: UnsafePointer<Float>, frames: Int, by ramp: Ramp, to output: UnsafeMutablePointer<Int16>
    ) {
        for index in 0..<frames {
            let factor = ramp[index]
            output[index &* 2] = rounded(samples[index &* 2] * factor)
            output[index &* 2 &+ 1] = rounded(samples[index &* 2 &+ 1] * factor)
        }
    }

    /// Adding 1.5 · 2^23 moves the bits of the whole number to the end of a Float.
    @inline(__always)
    private static func rounded(_ sample: Float) -> Int16 {
        let scaled = sample * 32_768
        // `min` and `max` treat NaN specially, which takes a branch.
        let bounded = scaled > -32_768 ? scaled : -32_768
        return Int16(truncatingIfNeeded: ((bounded < 32_767 ? bounded : 32_767) + 12_582_912).bitPattern)
    }
}

/// A factor that changes evenly from frame to frame. Pure.
struct Ramp {
    private let from: Float
    private let step: Float

    /// - Parameter to: the factor of the frame after the last of `count`.
    init(from: Float, to: Float, count: Int) {
        self.from = from
        step = (to - from) / Float(max(count, 1))
    }

    @inline(__always)
    subscript(frame: Int) -> Float { from + step * Float(Int32(truncatingIfNeeded: frame)) }
}
