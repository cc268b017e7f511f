import Foundation
import Testing

@testable import Loudness

@Suite struct LoudnessMeterTests {
    /// The test signals 1 to 5 of EBU Tech 3341: sines of 1 kHz on both sides, in dBFS and seconds.
    static let signals: [(loudness: Double, parts: [(level: Double, seconds: Double)])] = [
        (-23, [(-23, 20)]), (-33, [(-33, 20)]), (-23, [(-36, 10), (-23, 60), (-36, 10)]),
        (-23, [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)]), (-23, [(-26, 20), (-20, 20.1), (-26, 20)]),
    ]

    @Test(arguments: signals.indices)
    func measuresTheSignalsOfTech3341(number: Int) throws {
        let signal = Self.signals[number]
        var meter = LoudnessMeter()
        for part in signal.parts { meter.add(Sound.sine(1_000, level: part.level, seconds: part.seconds)) }
        let loudness = try #require(meter.loudness())
        #expect(abs(loudness - signal.loudness) <= 0.1)
    }

    /// BS.1770-5: a sine of 997 Hz at 0 dBFS on one side measures -3.01 LUFS.
    @Test func measuresOneSide() throws {
        let sine = Sound.sine(997, level: 0, seconds: 5)
        var meter = LoudnessMeter()
        meter.add(sine.enumerated().map { $0.offset.isMultiple(of: 2) ? $0.element : 0 })
        #expect(abs(try #require(meter.loudness()) + 3.01) < 0.01)
    }

    @Test func silenceHasNoLoudness() {
        var meter = LoudnessMeter()
        meter.add(Array(repeating: 0, count: 96_000 * 3))
        #expect(meter.loudness() == nil)
    }

    @Test(arguments: [Float.infinity, -.infinity, .nan, .greatestFiniteMagnitude])
    func hostileSamplesDoNotStopTheMeasurement(sample: Float) throws {
        for place in [0, 4_799 * 2, 24_000 * 2] {
            var meter = LoudnessMeter()
            var begin = Sound.silence(seconds: 1)
            begin[place] = sample
            meter.add(begin)
            let first = meter.loudness()
            #expect(first?.isFinite != false)
            meter.add(Sound.sine(1_000, level: -20, seconds: 60))
            if sample.isNaN || sample.isInfinite { #expect(abs(try #require(meter.loudness()) + 20) < 0.1) }
        }
    }

    @Test func blocksOfAnySizeMeasureTheSame() {
        let noise = Sound.noise(level: -20, seconds: 3)
        var (whole, parts) = (LoudnessMeter(), LoudnessMeter())
        whole.add(noise)
        var start = 0
        for size in sequence(first: 2, next: { $0 * 3 / 2 / 2 * 2 + 2 }) where start < noise.count {
            parts.add(Array(noise[start..<min(start + size, noise.count)]))
            start += size
            if start >= noise.count { break }
        }
        #expect(abs((whole.loudness() ?? 0) - (parts.loudness() ?? 1)) < 1e-6)
    }

    @Test(arguments: [0.05, 0.2, 0.39])
    func shortSoundIsABlock(seconds: Double) throws {
        var meter = LoudnessMeter()
        meter.add(Sound.sine(1_000, level: -20, seconds: seconds))
        #expect(meter.loudness() == nil)
        meter.end()
        #expect(abs(try #require(meter.loudness()) + 20) < 0.3)
    }

    @Test func endOfLongSoundChangesNothing() throws {
        var meter = LoudnessMeter()
        meter.add(Sound.sine(1_000, level: -20, seconds: 1) + Sound.sine(1_000, level: 0, seconds: 0.05))
        let loudness = try #require(meter.loudness())
        meter.end()
        #expect(meter.loudness() == loudness)
    }
}
