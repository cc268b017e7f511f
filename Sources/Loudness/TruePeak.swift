/// The true peak of ITU-R BS.1770-5 (annex 2): the highest value at or between samples, four times oversampled. Pure.
///
/// Frames are left and right interleaved, and the peak is the higher one of both sides.
enum TruePeak {
    /// How many frames before and after those that are examined are read.
    static let margin = 12

    /// A value between two samples is the sum of twelve weighted samples: a line between the two, whose weights add up
    /// to `line`, and a rest that weights second differences, with `curvature` as the sum of the magnitudes of its
    /// weights. For the values near a sample, and for those near the middle.
    private static let near: (line: Float, curvature: Float) = (1.001_587, 0.164_185)
    private static let middle: (line: Float, curvature: Float) = (0.973_023, 0.569_703)
    /// A true peak is at most this many times the highest sample: the largest sum of the magnitudes of all weights.
    private static let maxOvershoot: Float = 2.03

    /// The weights of twelve samples, in pairs at equal distance from the middle, the farthest first: those of their
    /// sum and of their difference, for the values near a sample and for those near the middle. The two values near a
    /// sample differ only in the sign of the differences, and so do the other two.
    private static let weights: [SIMD4<Float>] = [
        weights(near: (0.001_708_984_375, -0.008_300_781_25), middle: (-0.029_174_804_687_5, -0.018_920_898_437_5)),
        weights(near: (0.010_986_328_125, 0.014_892_578_125), middle: (0.029_296_875, 0.033_081_054_687_5)),
        weights(near: (-0.019_653_320_312_5, -0.026_611_328_125), middle: (-0.051_757_812_5, -0.058_227_539_062_5)),
        weights(near: (0.033_203_125, 0.047_607_421_875), middle: (0.089_111_328_125, 0.101_562_5)),
        weights(near: (-0.059_448_242_187_5, -0.102_294_921_875), middle: (-0.166_503_906_25, -0.200_317_382_812_5)),
        weights(near: (0.137_329_101_562_5, 0.972_167_968_75), middle: (0.465_087_890_625, 0.779_785_156_25)),
    ]

    private static func weights(near: (Float, Float), middle: (Float, Float)) -> SIMD4<Float> {
        SIMD4(near.0 + near.1, near.0 - near.1, middle.0 + middle.1, middle.0 - middle.1) / 2
    }

    /// At least the peak of `count` frames, between them and up to their neighbours, without oversampling. `margin`
    /// frames can be read before and after them.
    ///
    /// - Parameter floor: lower peaks do not matter.
    static func bound(_ frames: UnsafePointer<Float>, count: Int, floor: Float) -> Float {
        // The weights reach six frames beyond.
        let (start, count) = (frames - 12, count + 12)
        let sample = samplePeak(start, count: count)
        let most = sample * maxOvershoot
        guard most >= floor else { return most }
        let curvature = curvature(start, count: count)
        return min(
            most,
            max(sample * near.line + curvature * near.curvature, sample * middle.line + curvature * middle.curvature))
    }

    /// The peak of `count` frames, between them and up to their neighbours. `margin` frames can be read before and
    /// after them.
    ///
    /// - Parameter floor: lower peaks do not matter. Frames that cannot reach it are not oversampled.
    static func peak(_ frames: UnsafePointer<Float>, count: Int, floor: Float) -> Float {
        let bound = bound(frames, count: count, floor: floor)
        guard bound >= floor else { return bound }
        var highest = SIMD4<Float>.zero
        weights.withUnsafeBufferPointer { weights in
            // Two frames at a time, the last of them twice if need be; the first value lies before the first frame.
            for index in stride(from: -1, to: count, by: 2) {
                let frame = min(index, count - 2)
                let (before, after) = (frames + frame * 2, frames + (frame + 1) * 2)
                highest = larger(magnitude(two(after)), highest)
                var (near, middle) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
                var (nearDifference, middleDifference) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
                for pair in 0..<weights.count {
                    let distance = (weights.count - 1 - pair) * 2
                    let (early, late) = (two(before - distance), two(after + distance))
                    let (sum, difference) = (early + late, early - late)
                    let weight = weights[pair]
                    near += sum * weight.x
                    nearDifference += difference * weight.y
                    middle += sum * weight.z
                    middleDifference += difference * weight.w
                }
                // The larger of the magnitudes of a + b and a - b is the sum of those of a and b.
                highest = larger(magnitude(near) + magnitude(nearDifference), highest)
                highest = larger(magnitude(middle) + magnitude(middleDifference), highest)
            }
        }
        return max(max(highest.x, highest.y), max(highest.z, highest.w))
    }

    /// The highest sample; up to three more frames are examined.
    private static func samplePeak(_ frames: UnsafePointer<Float>, count: Int) -> Float {
        var (one, other) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
        for frame in stride(from: 0, to: count, by: 4) {
            one = larger(magnitude(two(frames + frame * 2)), one)
            other = larger(magnitude(two(frames + (frame * 2 + 4))), other)
        }
        one = larger(one, other)
        return max(max(one.x, one.y), max(one.z, one.w))
    }

    /// The largest second difference; up to three more frames are examined.
    private static func curvature(_ frames: UnsafePointer<Float>, count: Int) -> Float {
        var (one, other) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
        for frame in stride(from: 0, to: count, by: 4) {
            let start = frames + frame * 2
            let here = (two(start), two(start + 4))
            let between = two(start + 2)
            one = larger(magnitude((two(start - 2) + between) - (here.0 + here.0)), one)
            other = larger(magnitude((between + two(start + 6)) - (here.1 + here.1)), other)
        }
        one = larger(one, other)
        return max(max(one.x, one.y), max(one.z, one.w))
    }

    @inline(__always)
    private static func two(_ frames: UnsafePointer<Float>) -> SIMD4<Float> {
        UnsafeRawPointer(frames).loadUnaligned(as: SIMD4<Float>.self)
    }

    /// NaN in `values` is ignored. (`pointwiseMax` and comparisons of vectors go through the lanes one by one.)
    @inline(__always)
    private static func larger(_ values: SIMD4<Float>, _ than: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(
            values.x > than.x ? values.x : than.x, values.y > than.y ? values.y : than.y,
            values.z > than.z ? values.z : than.z, values.w > than.w ? values.w : than.w)
    }

    @inline(__always)
    private static func magnitude(_ values: SIMD4<Float>) -> SIMD4<Float> {
        unsafeBitCast(unsafeBitCast(values, to: SIMD4<UInt32>.self) & 0x7fff_ffff, to: SIMD4<Float>.self)
    }
}
