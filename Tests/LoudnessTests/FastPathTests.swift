import Foundation
import TestSupport
import Testing

@testable import Loudness

/// What was made quick gives the same results as the plain versions.
@Suite struct FastPathTests {
    static let sounds: [(name: String, samples: [Float])] = [
        ("noise", Sound.noise(level: 0, seconds: 0.04)), ("low", Sound.sine(60, level: 0, seconds: 0.04)),
        ("voice", Sound.sine(1_000, level: 0, seconds: 0.04)), ("high", Sound.sine(17_000, level: 0, seconds: 0.04)),
        ("quarter", Sound.sine(12_000, level: 0, seconds: 0.04, phase: .pi / 4)),
        ("alternating", (0..<3_840).map { $0 / 2 % 2 == 0 ? 1 : -1 }),
        ("square", (0..<3_840).map { $0 / 200 % 2 == 0 ? 1 : -1 }),
        ("click", (0..<3_840).map { $0 == 2_001 ? 1 : 0 }), ("silence", Sound.silence(seconds: 0.04)),
        ("mixed", zip(Sound.noise(level: -20, seconds: 0.04), Sound.sine(200, level: -1, seconds: 0.04)).map(+)),
        // Right differs from left.
        (
            "sides",
            Sound.noise(level: 0, seconds: 0.04).enumerated().map { $0.element * ($0.offset % 2 == 0 ? 0.1 : 1) }
        ),
    ]

    @Test(arguments: sounds.indices)
    func weightingIsThatOfTheStandard(sound: Int) {
        let samples = Self.sounds[sound].samples
        var (left, right) = (PlainWeighting(), PlainWeighting())
        var plain = 0.0
        for index in stride(from: 0, to: samples.count, by: 2) {
            plain += pow(left.filter(Double(samples[index])), 2) + pow(right.filter(Double(samples[index + 1])), 2)
        }
        var weighting = KWeighting()
        let frames = stride(from: 0, to: samples.count, by: 2).map { SIMD2(samples[$0], samples[$0 + 1]) }
        let energy = [frames[..<700], frames[700...]].reduce(0) { sum, part in
            sum + part.withUnsafeBufferPointer { weighting.energy(of: $0) }
        }
        #expect(abs(energy - plain) <= plain * 1e-9)
    }

    private func withMargins<Result>(_ samples: [Float], _ body: (UnsafePointer<Float>) -> Result) -> Result {
        let margin = Array(repeating: Float(0), count: TruePeak.margin * 2)
        return (margin + samples + margin).withUnsafeBufferPointer { body($0.baseAddress! + TruePeak.margin * 2) }
    }

    @Test(arguments: sounds.indices)
    func peakIsThatOfTheStandard(sound: Int) {
        let samples = Self.sounds[sound].samples
        withMargins(samples) { first in
            for (start, count) in [(0, 64), (64, 64), (990, 64), (100, 7), (1_000, 1), (1_860, 60)] {
                let plain = PlainTruePeak.peak(samples, start..<(start + count))
                let peak = TruePeak.peak(first + start * 2, count: count, floor: 0)
                #expect(abs(peak - plain) <= 1e-5, "\(Self.sounds[sound].name) from \(start)")
            }
        }
    }

    @Test(arguments: sounds.indices)
    func boundIsAtLeastThePeak(sound: Int) {
        let samples = Self.sounds[sound].samples
        withMargins(samples) { first in
            for start in stride(from: 0, to: 1_920 - 64, by: 61) {
                let plain = PlainTruePeak.peak(samples, start..<(start + 64))
                #expect(TruePeak.bound(first + start * 2, count: 64, floor: 0) >= plain - 1e-5)
            }
        }
    }

    /// Most sound is not oversampled.
    @Test func boundOfLowTonesIsCloseToTheirPeak() {
        let mixed = zip(Sound.sine(200, level: -4, seconds: 0.04), Sound.sine(2_000, level: -20, seconds: 0.04)).map(+)
        let peak = PlainTruePeak.peak(mixed, 0..<1_900)
        #expect(withMargins(mixed) { TruePeak.bound($0, count: 1_900, floor: 0) } < peak * 1.03)
    }

    @Test(arguments: sounds.indices, [0.5, 1, 3] as [Float])
    func limitedSoundIsThatOfThePlainLimiter(sound: Int, gain: Float) {
        let samples = Self.sounds[sound].samples
        var limiter = PeakLimiter()
        let limited = samples.withUnsafeBufferPointer { all in
            stride(from: 0, to: all.count, by: 1_024).flatMap { start in
                limiter.limit(
                    UnsafeBufferPointer(rebasing: all[start...]), count: min(512, (all.count - start) / 2),
                    gain: (gain, gain))
            }
        }
        let plain = PlainLimiter.limit(samples, gain: gain)
        #expect(limited.count == plain.count)
        let most = zip(limited, plain).map { abs(Int($0) - Int($1)) }.max()
        #expect(most ?? 0 <= 1, "\(Self.sounds[sound].name)")
    }

    @Test func samplesAreRoundedToTheNearest() {
        let samples: [Float] =
            stride(from: -40_000, through: 40_000, by: 13).map { (Float($0) * 1.000_3 + 0.5) / 32_768 }
            + [-1, 1, .infinity]
        let quantized = [Int16](unsafeUninitializedCapacity: samples.count) { output, filled in
            samples.withUnsafeBufferPointer {
                Quantizer.quantize($0.baseAddress!, count: samples.count, to: output.baseAddress!)
            }
            filled = samples.count
        }
        #expect(quantized == samples.map(PlainLimiter.quantize))
    }

    @Test(arguments: [nil, -20.0])
    func estimateIsUpToDate(tag: Double?) {
        var (track, meter) = (TrackLoudness(tag: tag), LoudnessMeter())
        let sound = Sound.noise(level: -6, seconds: 1) + Sound.sine(500, level: -30, seconds: 1)
        for start in stride(from: 0, to: sound.count, by: 2_000) {
            let piece = Array(sound[start..<min(start + 2_000, sound.count)])
            track.add(piece)
            meter.add(piece)
            let tagged = tag.map { meter.loudness(gate: -45, after: $0, lasting: 10) ?? $0 }
            #expect(track.value == tagged ?? meter.loudness(gate: -45))
        }
    }
}
