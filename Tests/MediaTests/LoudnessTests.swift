import Foundation
import TestSupport
import Testing
import Wire

@testable import Media

/// Clips play equally loud: through a whole decoder, measured with FFmpeg.
@Suite struct LoudnessTests {
    private func trials(isWarm: Bool) throws -> [(clip: LevelClip, trial: LevelTrial)] {
        // The benchmark has more levels.
        try LevelClip.all(in: "\(Clips.folder)/levels", levels: [-35, -19, -8]).map { clip in
            let harness = try DecoderHarness()
            defer { _ = harness.close() }
            return (clip, try LevelTrial(clip, harness.channel, isWarm: isWarm))
        }
    }

    @Test(arguments: [false, true])
    func clipsPlayEquallyLoud(isWarm: Bool) throws {
        let trials = try trials(isWarm: isWarm)
        #expect(trials.count == 15)
        for (clip, trial) in trials {
            let name = (clip.path as NSString).lastPathComponent
            #expect(abs(trial.error) <= 1.5, "\(name)")
            #expect(trial.peak <= -1, "\(name)")
            if isWarm { #expect(abs(trial.firstError) <= 4, "\(name)") }
        }
    }

    /// FFmpeg's source of a sine on both sides, which is as loud in LUFS as its peaks in dBFS.
    private func tone(level: Int, seconds: Int) -> String {
        let side = "pow(10,\(level)/20)*sin(2*PI*1000*t)"
        return "aevalsrc='\(side)|\(side)':s=48000:d=\(seconds)"
    }

    private func tone(_ name: String, level: Int, seconds: Int, _ more: [String] = []) throws -> String {
        try Clips.make(
            name,
            list: [
                "-f", "lavfi", "-i", tone(level: level, seconds: seconds),
            ] + more)
    }

    private func played(_ clip: String, level: Double?, frames: Int, loops: Bool = false) throws -> LevelRig {
        let harness = try DecoderHarness()
        defer { _ = harness.close() }
        let rig = try LevelRig(harness.channel, clip: clip, level: level, isWarm: false, loops: loops)
        try rig.play(frames: frames)
        return rig
    }

    @Test func withoutALevelSoundStaysAsItIs() throws {
        let rig = try played(try tone("tone-30.wav", level: -30, seconds: 2), level: nil, frames: 96_000)
        #expect(rig.loudness == nil)
        #expect(abs(try MeasuredSound(samples: rig.samples[...]).loudness + 30) < 0.1)
    }

    @Test(arguments: [
        ("tagged.flac", ["-metadata", "REPLAYGAIN_TRACK_GAIN=-8.00 dB"]),
        ("tagged.mp3", ["-metadata", "REPLAYGAIN_TRACK_GAIN=-8.00 dB"]),
        ("tagged.opus", ["-metadata", "R128_TRACK_GAIN=-3328"]),
        ("tagged.m4a", ["-metadata", "iTunNORM= 000018A6 000018A6", "-movflags", "use_metadata_tags"]),
    ])
    func tagDecidesWhileLittleIsMeasured(name: String, more: [String]) throws {
        let rig = try played(try tone(name, level: -30, seconds: 3, more), level: -16, frames: 4_800)
        let loudness = try #require(rig.loudness)
        #expect(loudness.origin == .tag)
        #expect(abs(loudness.loudness + 1_000) <= 20 && abs(loudness.gain + 600) <= 20)
    }

    @Test func estimateIsKeptOverLoopsAndSeeks() throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.loudness(target: -1_600))
        try harness.start(try tone("tone-26.wav", level: -26, seconds: 2), loop: true)
        try harness.run { $0.loudnesses.last?.origin == .whole }
        #expect(harness.loudnesses.last == SoundLoudness(loudness: -2_600, gain: 1_000, origin: .whole))
        harness.sounds = []
        try harness.channel.send(.seek(serial: 1, time: 1_000_000, mode: .exact))
        try harness.run { $0.sounds.filter { $0.serial == 1 }.count > 4 }
        let samples = harness.sounds.filter { $0.serial == 1 }.flatMap(\.samples)
        let peak = samples.prefix(2_000).map { abs(Int($0)) }.max() ?? 0
        #expect(abs(Double(peak) / 32_768 - pow(10, -16 / 20.0)) < 0.005, "the first sound after a seek has its gain")
        #expect(harness.close())
    }

    @Test func soundThatWasOffIsMeasuredOnceItIsOn() throws {
        let clip = try Clips.make(
            "mute-26.mkv",
            list: [
                "-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=1", "-f", "lavfi", "-i",
                tone(level: -26, seconds: 1), "-c:a", "pcm_s16le",
            ])
        let harness = try DecoderHarness()
        try harness.channel.send(.loudness(target: -1_600))
        try harness.start(clip, loop: true, sound: false)
        try harness.run { ($0.pictures.last?.header.pts ?? 0) > 2_500_000 }
        #expect(harness.loudnesses.isEmpty)
        try harness.channel.send(.sound(true))
        try harness.run { $0.loudnesses.last?.origin == .whole }
        #expect(harness.loudnesses.last == SoundLoudness(loudness: -2_600, gain: 1_000, origin: .whole))
        #expect(harness.close())
    }

    /// Sources of FFmpeg: few samples a second, one side, six sides, and samples that are no numbers.
    @Test(arguments: [
        ("mono-8k", "aevalsrc='0.03*sin(2*PI*500*t)':s=8000:d=4"),
        ("surround", "aevalsrc='0.1*sin(2*PI*300*t)|0|0.2*sin(2*PI*700*t)|0|0|0':s=44100:c=5.1:d=4"),
        ("no-number", "aevalsrc='if(eq(mod(n,30000),100),0/0,if(eq(mod(n,30000),200),1/0,0.03*sin(2*PI*700*t)))':d=4"),
    ])
    func soundOfAnyFormPlaysAtTheTarget(name: String, source: String) throws {
        let clip = try Clips.make(
            "\(name).wav", list: ["-f", "lavfi", "-i", source, "-c:a", "pcm_f32le"])
        let rig = try played(clip, level: -16, frames: .max / 4)
        #expect(rig.samples.count / 2 > 190_000)
        #expect(abs(try MeasuredSound(samples: rig.samples.dropFirst(96_000)).loudness + 16) < 1.5)
    }

    @Test func silenceStaysSilent() throws {
        let clip = try Clips.make("silence.wav", list: ["-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo", "-t", "2"])
        let rig = try played(clip, level: -16, frames: .max / 4)
        #expect(rig.samples.count == 192_000 && rig.samples.allSatisfy { $0 == 0 } && rig.loudness == nil)
    }

    @Test func clipShorterThanABlockPlaysAtTheTarget() throws {
        let clip = try Clips.make(
            "short.wav",
            list: ["-f", "lavfi", "-i", "aevalsrc='0.03*sin(2*PI*1000*t)|0.03*sin(2*PI*1000*t)':s=48000:d=0.3"])
        // Its loudness is known once its end has been decoded, and the gain follows within a second.
        let rig = try played(clip, level: -16, frames: 96_000, loops: true)
        let peak = rig.samples.suffix(28_800).map { abs(Int($0)) }.max() ?? 0
        #expect(abs(Double(peak) / 32_768 - pow(10, -16 / 20.0)) < 0.01)
    }

    /// The first sound waits for no bytes, after the start and after a seek.
    @Test func firstSoundNeedsNoMoreBytesThanWithoutALevel() throws {
        let clip = try Clips.make(
            "large.mkv",
            list: [
                "-f", "lavfi", "-i", "testsrc2=s=640x360:r=30:d=8,noise=alls=60:allf=t", "-f", "lavfi", "-i",
                tone(level: -26, seconds: 8), "-c:v", "mpeg4", "-b:v", "8M", "-c:a", "aac",
            ])
        func served(level: Int32?) throws -> (first: Int, sought: Int) {
            let harness = try DecoderHarness()
            if let level { try harness.channel.send(.loudness(target: level)) }
            try harness.start(clip)
            try harness.run { !$0.sounds.isEmpty }
            let first = harness.served
            try harness.channel.send(.seek(serial: 1, time: 5_000_000, mode: .exact))
            harness.served = 0
            try harness.run { $0.sounds.contains { $0.serial == 1 } }
            let sought = harness.served
            #expect(harness.close())
            return (first, sought)
        }
        let (off, on) = (try served(level: nil), try served(level: -1_600))
        #expect(on.first <= off.first)
        // What was requested before the seek may arrive after it.
        #expect(on.sought <= off.sought + WireLimit.read)
    }
}
