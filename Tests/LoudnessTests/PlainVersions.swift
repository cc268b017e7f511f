import Foundation

@testable import Loudness

/// The K-weighting of BS.1770-5 as it is written there: one side, one sample after the other.
struct PlainWeighting {
    private var shelf = PlainBiquad(
        b: (1.535_124_859_586_97, -2.691_696_189_406_38, 1.198_392_810_852_85),
        a: (-1.690_659_293_182_41, 0.732_480_774_215_85))
    private var highPass = PlainBiquad(b: (1, -2, 1), a: (-1.990_047_454_833_98, 0.990_072_250_366_21))

    mutating func filter(_ sample: Double) -> Double { highPass.filter(shelf.filter(sample)) }
}

private struct PlainBiquad {
    private let b: (Double, Double, Double)
    private let a: (Double, Double)
    private var inputs = (0.0, 0.0)
    private var outputs = (0.0, 0.0)

    init(b: (Double, Double, Double), a: (Double, Double)) { (self.b, self.a) = (b, a) }

    mutating func filter(_ input: Double) -> Double {
        let output = b.0 * input + b.1 * inputs.0 + b.2 * inputs.1 - a.0 * outputs.0 - a.1 * outputs.1
        (inputs, outputs) = ((input, inputs.0), (output, outputs.0))
        return output
    }
}

/// Four times oversampling as BS.1770-5 (annex 2) has it: the sum of twelve weighted samples for each value.
enum PlainTruePeak {
    private static let phases: [[Float]] = {
        let first: [Float] = [
            0.001_708_984_375, 0.010_986_328_125, -0.019_653_320_312_5, 0.033_203_125, -0.059_448_242_187_5,
            0.137_329_101_562_5, 0.972_167_968_75, -0.102_294_921_875, 0.047_607_421_875, -0.026_611_328_125,
            0.014_892_578_125, -0.008_300_781_25,
        ]
        let second: [Float] = [
            -0.029_174_804_687_5, 0.029_296_875, -0.051_757_812_5, 0.089_111_328_125, -0.166_503_906_25,
            0.465_087_890_625, 0.779_785_156_25, -0.200_317_382_812_5, 0.101_562_5, -0.058_227_539_062_5,
            0.033_081_054_687_5, -0.018_920_898_437_5,
        ]
        return [first, second, second.reversed(), first.reversed()]
    }()

    /// The peak of the frames in `range` of `samples`, between them and up to their neighbours. Silence surrounds them.
    ///
    /// - Parameter samples: left and right interleaved.
    static func peak(_ samples: [Float], _ range: Range<Int>) -> Float {
        func sample(_ frame: Int, _ side: Int) -> Float {
            samples.indices.contains(frame * 2 + side) ? samples[frame * 2 + side] : 0
        }
        var highest: Float = 0
        for side in 0..<2 {
            for frame in range.lowerBound...range.upperBound { highest = max(highest, abs(sample(frame, side))) }
            for frame in (range.lowerBound - 1)..<range.upperBound {
                for phase in phases {
                    let value = phase.indices.reduce(Float(0)) { $0 + phase[$1] * sample(frame - 5 + $1, side) }
                    highest = max(highest, abs(value))
                }
            }
        }
        return highest
    }
}

/// The limiter without anything that makes it quick: it oversamples all of a whole sound, whose gain is the same
/// throughout, in blocks as long as those of `PeakLimiter`.
enum PlainLimiter {
    static func limit(_ samples: [Float], gain: Float) -> [Int16] {
        let (length, ahead, ceiling, release) = (64, 4, Float(0.79), Float(0.990_8))
        let samples = samples.map { $0 * gain }
        let frames = samples.count / 2
        let limits = stride(from: 0, to: frames, by: length).map { start in
            min(1, ceiling / PlainTruePeak.peak(samples, start..<min(start + length, frames)))
        }
        func limit(before block: Int) -> Float {
            (0..<ahead).filter { block + $0 < limits.count }.map { distance in
                let limit = limits[block + distance]
                return limit + (1 - limit) * Float(distance) / Float(ahead)
            }.min() ?? 1
        }
        var factor = limit(before: 0)
        return limits.indices.flatMap { block in
            let reduction = (1 - factor) * release
            let next = min(reduction < 1e-4 ? 1 : 1 - reduction, limits[block], limit(before: block + 1))
            defer { factor = next }
            let (start, end) = (block * length, min((block + 1) * length, frames))
            return (start * 2..<end * 2).map { index in
                quantize(samples[index] * (factor + (next - factor) * Float(index / 2 - start) / Float(end - start)))
            }
        }
    }

    static func quantize(_ sample: Float) -> Int16 {
        Int16(min(max((sample * 32_768).rounded(.toNearestOrEven), -32_768), 32_767))
    }
}
