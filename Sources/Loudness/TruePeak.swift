/// The true peak of ITU-R BS.1770-5 (annex 2): the highest value at or between samples, four times oversampled. Pure.
enum TruePeak {
    /// How many frames before and after those that are examined are read.
    static let margin = 12
    /// A true peak is at most this many times the highest sample: the largest sum of magnitudes of one phase.
    static let maxOvershoot: Float = 2.03

    /// For each of twelve samples its weight in the four values between the sixth and the seventh.
    private static let weights: [SIMD4<Float>] = [
        SIMD4(0.001_708_984_375, -0.029_174_804_687_5, -0.018_920_898_437_5, -0.008_300_781_25),
        SIMD4(0.010_986_328_125, 0.029_296_875, 0.033_081_054_687_5, 0.014_892_578_125),
        SIMD4(-0.019_653_320_312_5, -0.051_757_812_5, -0.058_227_539_062_5, -0.026_611_328_125),
        SIMD4(0.033_203_125, 0.089_111_328_125, 0.101_562_5, 0.047_607_421_875),
        SIMD4(-0.059_448_242_187_5, -0.166_503_906_25, -0.200_317_382_812_5, -0.102_294_921_875),
        SIMD4(0.137_329_101_562_5, 0.465_087_890_625, 0.779_785_156_25, 0.972_167_968_75),
        SIMD4(0.972_167_968_75, 0.779_785_156_25, 0.465_087_890_625, 0.137_329_101_562_5),
        SIMD4(-0.102_294_921_875, -0.200_317_382_812_5, -0.166_503_906_25, -0.059_448_242_187_5),
        SIMD4(0.047_607_421_875, 0.101_562_5, 0.089_111_328_125, 0.033_203_125),
        SIMD4(-0.026_611_328_125, -0.058_227_539_062_5, -0.051_757_812_5, -0.019_653_320_312_5),
        SIMD4(0.014_892_578_125, 0.033_081_054_687_5, 0.029_296_875, 0.010_986_328_125),
        SIMD4(-0.008_300_781_25, -0.018_920_898_437_5, -0.029_174_804_687_5, 0.001_708_984_375),
    ]

    /// The peak of `count` frames, of both sides, between them and up to their neighbours. `margin` frames can be read
    /// before and after them.
    ///
    /// - Parameter floor: lower peaks do not matter. Frames that cannot reach it are not oversampled.
    static func peak(_ frames: UnsafePointer<SIMD2<Float>>, count: Int, floor: Float) -> Float {
        let sample = samplePeak(frames - margin, count: count + 2 * margin)
        guard sample * maxOvershoot >= floor else { return sample }
        var highest = SIMD8<Float>(repeating: samplePeak(frames, count: count))
        weights.withUnsafeBufferPointer { weights in
            // Four frames at a time; the first value lies before the first frame.
            for frame in stride(from: -1, to: count, by: 4) {
                let bytes = UnsafeRawPointer(frames + (frame - 5))
                var (one, two, three, four) = (
                    SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero
                )
                for tap in 0..<weights.count {
                    let part = bytes.loadUnaligned(
                        fromByteOffset: tap * MemoryLayout<SIMD2<Float>>.stride, as: SIMD8<Float>.self)
                    let weight = weights[tap]
                    one += part * weight.x
                    two += part * weight.y
                    three += part * weight.z
                    four += part * weight.w
                }
                highest = larger(
                    highest, larger(larger(magnitude(one), magnitude(two)), larger(magnitude(three), magnitude(four))))
            }
        }
        return highest.max()
    }

    private static func samplePeak(_ frames: UnsafePointer<SIMD2<Float>>, count: Int) -> Float {
        var highest = SIMD2<Float>.zero
        for index in 0..<count { highest = larger(highest, magnitude(frames[index])) }
        return highest.max()
    }

    // `pointwiseMax` goes through the lanes one by one.
    @inline(__always)
    private static func larger<Values: SIMD>(_ one: Values, _ other: Values) -> Values where Values.Scalar == Float {
        one.replacing(with: other, where: other .> one)
    }

    @inline(__always)
    private static func magnitude<Values: SIMD>(_ values: Values) -> Values where Values.Scalar == Float {
        larger(values, -values)
    }
}
