import Foundation
import Testing
import Wire

@testable import Media

@Suite struct SoundTests {
    private func sine(_ frequency: Double, seconds: Double) -> [Float] {
        (0..<Int(seconds * 48_000)).flatMap { index -> [Float] in
            let value = Float(0.3 * sin(2 * .pi * frequency * Double(index) / 48_000))
            return [value, value]
        }
    }

    private func frequency<Sample: Comparable & ExpressibleByIntegerLiteral>(_ samples: [Sample]) -> Double {
        let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        let rising = zip(left, left.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
        return Double(rising) * 48_000 / Double(left.count)
    }

    /// Whole numbers as they are.
    private func whole(_ samples: UnsafeBufferPointer<Float>, count: Int) -> [Int16] {
        samples.prefix(count * 2).map { Int16($0) }
    }

    @Test(arguments: [250, 500, 750, 1_000, 1_250, 1_500, 2_000, 3_000, 4_000] as [UInt32])
    func stretchedSoundIsAsLongAsAskedAndKeepsItsPitch(rate: UInt32) {
        for tone in [120.0, 440, 1_000] {
            var stretch = TimeStretch(thousandths: rate)
            let input = sine(tone, seconds: 2)
            var output: [Float] = []
            for start in stride(from: 0, to: input.count, by: 2_048) {
                output += stretch.push(input[start..<min(start + 2_048, input.count)])
            }
            output += stretch.finish()
            #expect(output.count / 2 == Int((96_000 * 1_000 / Double(rate)).rounded()))
            #expect(abs(frequency(output) - tone) < tone * 0.03 + 2)
        }
    }

    @Test func soundBeforeTheStartIsTrimmedToTheSample() {
        var line = SoundLine(start: 1_000_000, rate: 1_000)
        line.add(Array(repeating: 7, count: 4_096), at: 1_000_000 - 10_000)
        #expect(line.pendingFrames == 2_048 - 480)
        let (first, second) = (line.next(most: 100, whole), line.next(most: 100, whole))
        #expect(first?.pts == 1_000_000)
        #expect(second?.pts == 1_002_083)
    }

    @Test func soundBehindWhatIsSkippedKeepsItsPlace() {
        var line = SoundLine(start: 0, rate: 1_000)
        line.add(Array(repeating: 7, count: 96_000), at: 0)
        line.skip(to: 500_000)
        #expect(line.pendingFrames == 24_000 && line.end == 1_000_000)
        line.add(Array(repeating: 8, count: 960), at: 1_000_000)
        #expect(line.pendingFrames == 24_480)
        #expect(line.next(most: 24_000, whole)?.pts == 500_000)
        #expect(line.next(most: 480, whole)?.pts == 1_000_000)
    }

    @Test func lateSoundStartsWithSilence() {
        var line = SoundLine(start: 1_000_000, rate: 1_000)
        line.add(Array(repeating: 7, count: 960), at: 1_020_000)
        #expect(line.pendingFrames == 960 + 480)
        let first = line.next(most: 960, whole)
        #expect(first?.pts == 1_000_000 && first?.samples.allSatisfy { $0 == 0 } == true)
        let second = line.next(most: 480, whole)
        #expect(second?.pts == 1_020_000 && second?.samples.allSatisfy { $0 == 7 } == true)
    }

    @Test func gapsBecomeSilenceAndJitterDoesNot() {
        var line = SoundLine(start: 0, rate: 1_000)
        line.add(Array(repeating: 7, count: 960), at: 0)
        line.add(Array(repeating: 7, count: 960), at: 11_000)
        #expect(line.pendingFrames == 960)
        line.add(Array(repeating: 7, count: 960), at: 120_000)
        #expect(line.pendingFrames == 5_760 + 480)
    }

    @Test func loopsAdvanceTheTimelineAndSoundHasNoGap() throws {
        let harness = try DecoderHarness.open(try Clips.counted(), loop: true)
        try harness.run { $0.pictures.count >= 75 * 3 + 5 && $0.sounds.last?.pts ?? 0 > 9_100_000 }
        let stamps = harness.pictures.map(\.header.pts)
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $1 - $0 == 40_000 })
        #expect(try harness.picture(75).header.mediaTime == 0)
        #expect(try harness.picture(75).header.pts == 3_000_000)
        var frames: Int64 = 0
        for sound in harness.sounds {
            #expect(abs(sound.pts - frames * 1_000_000 / 48_000) <= 1)
            #expect(sound.mediaTime < 3_000_000)
            frames += Int64(sound.samples.count / 2)
        }
        try harness.channel.send(.loop(false))
        try harness.runToEnd()
        #expect(harness.close())
    }

    @Test func withoutCreditThereIsNoSoundButThereArePictures() throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.surface(SurfaceRequest(generation: 1, width: 32, height: 32, fit: .fit)))
        try harness.channel.send(.open(url: "file://\(try Clips.counted())", start: 0, loop: false, sound: true))
        try harness.run { $0.pictures.count == 75 }
        #expect(harness.sounds.isEmpty)
        #expect(harness.close())
    }

    @Test func atDoubleSpeedStampsAreInTheClipsTime() throws {
        let harness = try DecoderHarness.open(try Clips.counted())
        try harness.run { $0.pictures.count > 2 }
        harness.sounds = []
        try harness.channel.send(.rate(thousandths: 2_000))
        try harness.channel.send(.seek(serial: 1, time: 1_000_000, mode: .exact))
        try harness.run { $0.ended.contains(1) }
        let sounds = harness.sounds.filter { $0.serial == 1 }
        #expect(sounds.first?.pts == 1_000_000)
        #expect(sounds.reduce(0) { $0 + $1.samples.count / 2 } == 48_000)
        let last = try #require(sounds.last)
        #expect(abs(last.pts + Int64(last.samples.count) * 1_000_000 / 48_000 - 3_000_000) < 1_000)
        #expect(abs(frequency(sounds.flatMap(\.samples)) - 440) < 10)
    }

    @Test func soundAloneLoopsWithoutAGap() throws {
        let path = try Clips.make("tone.wav", "-f", "lavfi", "-i", "sine=440:r=44100:d=1", "-ac", "1")
        let harness = try DecoderHarness.open(path, loop: true)
        try harness.run { $0.sounds.last?.pts ?? 0 > 3_200_000 }
        #expect(harness.info?.hasVideo == false)
        #expect(harness.pictures.isEmpty)
        var frames: Int64 = 0
        for sound in harness.sounds {
            #expect(abs(sound.pts - frames * 1_000_000 / 48_000) <= 1)
            frames += Int64(sound.samples.count / 2)
        }
        let starts = harness.sounds.filter { $0.mediaTime < 1 && $0.pts > 0 }
        #expect(starts.count == 3)
    }
}
