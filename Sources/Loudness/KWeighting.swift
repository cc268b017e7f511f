/// The K-weighting of ITU-R BS.1770-5 (annex 1) for 48 kHz stereo: a shelf for the head, then a high pass. Pure.
struct KWeighting {
    private var shelf = Biquad(
        b: (1.535_124_859_586_97, -2.691_696_189_406_38, 1.198_392_810_852_85),
        a: (-1.690_659_293_182_41, 0.732_480_774_215_85))
    private var highPass = Biquad(b: (1, -2, 1), a: (-1.990_047_454_833_98, 0.990_072_250_366_21))

    /// The sum of the squares of all weighted samples; a frame is left and right. Not finite if a sample is not, which
    /// files of floats can have.
    mutating func energy(of frames: UnsafeBufferPointer<SIMD2<Float>>) -> Double {
        var (shelf, highPass) = (shelf, highPass)
        var sum = SIMD2<Double>.zero
        for frame in frames {
            let weighted = highPass.filter(shelf.filter(SIMD2<Double>(frame)))
            sum += weighted * weighted
        }
        shelf.flush()
        highPass.flush()
        (self.shelf, self.highPass) = (shelf, highPass)
        return sum.x + sum.y
    }

    /// Forgets the samples so far.
    mutating func restart() {
        shelf.restart()
        highPass.restart()
    }
}

/// A filter of second order for both sides at once: the transposed direct form II, in which the state follows from the
/// state before and the input, not from the output. A frame waits for the one before half as long.
private struct Biquad {
    private let direct: Double
    /// The share of the input in the state.
    private let input: (Double, Double)
    private let a: (Double, Double)
    private var first = SIMD2<Double>.zero
    private var second = SIMD2<Double>.zero

    init(b: (Double, Double, Double), a: (Double, Double)) {
        direct = b.0
        input = (b.1 - a.0 * b.0, b.2 - a.1 * b.0)
        self.a = a
    }

    @inline(__always)
    mutating func filter(_ frame: SIMD2<Double>) -> SIMD2<Double> {
        let output = frame * direct + first
        let next = (frame * input.0 + second) - first * a.0
        second = frame * input.1 - first * a.1
        first = next
        return output
    }

    mutating func restart() { (first, second) = (.zero, .zero) }

    /// Replaces state below -400 dB by zero. In silence it decays to denormal numbers, with which arithmetic is slow.
    mutating func flush() {
        let least = 1e-20
        first.replace(with: 0, where: first .< least .& first .> -least)
        second.replace(with: 0, where: second .< least .& second .> -least)
    }
}
