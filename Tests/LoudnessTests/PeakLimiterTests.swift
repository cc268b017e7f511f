import Foundation
import TestSupport
import Testing

@testable import Loudness

@Suite struct PeakLimiterTests {
    /// All of a sound in pieces of `size` frames, with the frames after each.
    private func limit(_ samples: [Float], gain: Float = 1, size: Int = 1_024) -> [Int16] {
        var limiter = PeakLimiter()
        return samples.withUnsafeBufferPointer { all in
            stride(from: 0, to: all.count, by: size * 2).flatMap { start in
                let count = min(size * 2, all.count - start)
                let end = min(start + count + PeakLimiter.lookahead * 2, all.count)
                return limiter.limit(
                    UnsafeBufferPointer(rebasing: all[start..<end]), count: count / 2, gain: (gain, gain))
            }
        }
    }

    private func peak(_ samples: [Int16]) throws -> Double { try MeasuredSound(samples: samples[...]).peak }

    @Test func soundBelowTheCeilingIsLeftAsItIs() {
        let noise = Sound.noise(level: -12, seconds: 1)
        #expect(limit(noise) == noise.map { Int16(($0 * 32_768).rounded(.toNearestOrEven)) })
    }

    /// A sine of a quarter of the rate, whose samples are all 3 dB below its peaks.
    @Test func peaksBetweenSamplesAreLimited() throws {
        let sine = Sound.sine(12_000, level: 2, seconds: 1, phase: .pi / 4)
        #expect((sine.max() ?? 2) < 0.9)
        let limited = try peak(limit(sine))
        #expect(limited <= -1 && limited > -2.5)
    }

    @Test(arguments: [1.0, 6, 18], [64, 100, 1_024, 4_096])
    func truePeakStaysBelowTheCeiling(decibels: Double, size: Int) throws {
        let gain = Float(pow(10, decibels / 20))
        let clicks = Sound.silence(seconds: 0.2) + Sound.noise(level: 0, seconds: 0.01)
        let sounds = [
            Sound.noise(level: 0, seconds: 1), Sound.sine(997, level: 0, seconds: 1), clicks + clicks + clicks,
        ]
        for sound in sounds { #expect(try peak(limit(sound, gain: gain, size: size)) <= -1) }
    }

    @Test func turnsDownBeforeAPeakAndRecovers() {
        let quiet = Sound.sine(1_000, level: -20, seconds: 0.5)
        let limited = limit(quiet + Sound.sine(1_000, level: 6, seconds: 0.05) + quiet + quiet)
        // Up to 10 ms before the peak nothing has changed.
        let before = 24_000 * 2 - 960
        #expect(limited.prefix(before) == limit(quiet).prefix(before))
        let tail = limited.suffix(4_800).map { abs(Int($0)) }.max() ?? 0
        #expect(abs(Double(tail) / 3_277 - 1) < 0.02)
    }

    @Test(arguments: [Float.infinity, .nan, .greatestFiniteMagnitude])
    func recoversFromHostileSamples(sample: Float) {
        let sine = Sound.sine(1_000, level: -20, seconds: 1)
        var hostile = sine
        hostile[4_800] = sample
        let tail = limit(sine + sine).suffix(4_800)
        let limited = limit(hostile + sine).suffix(4_800)
        #expect(zip(limited, tail).allSatisfy { abs(Int($0) - Int($1)) <= 33 })
    }

    @Test func sidesAreTurnedDownAlike() {
        let loud = Sound.sine(440, level: 9, seconds: 0.5)
        let oneSide = loud.enumerated().map { $0.offset.isMultiple(of: 2) ? $0.element : $0.element / 8 }
        let limited = limit(oneSide)
        for frame in stride(from: 0, to: limited.count, by: 2) {
            #expect(abs(Int(limited[frame]) - 8 * Int(limited[frame + 1])) <= 9)
        }
    }

    @Test func gainIsRamped() {
        var limiter = PeakLimiter()
        let steady = [Float](repeating: 0.1, count: 2_000)
        let samples = steady.withUnsafeBufferPointer { limiter.limit($0, count: 1_000, gain: (1, 2)) }
        #expect(abs(Int(samples[0]) - 3_277) < 2 && abs(Int(samples[1_000]) - 4_915) < 6)
        #expect(zip(samples, samples.dropFirst(2)).allSatisfy { $0 <= $1 })
    }
}
