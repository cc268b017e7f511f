import Testing
import Wire

/// Clips with infrequent pictures, or pictures that begin later than the sound.
@Suite struct SparsePictureTests {
    /// A minute of slides, ten seconds each, and a sine.
    private func slides() throws -> String {
        try Clips.make(
            "slides.mp4", "-f", "lavfi", "-i", "color=black:s=64x48:r=1/10:d=60,geq=lum='40+30*N':cb=128:cr=128",
            "-f", "lavfi", "-i", "sine=440:r=48000:d=60", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-c:a", "aac", "-t",
            "60")
    }

    /// One image under four minutes of sound.
    private func cover(_ ending: String = "mp4") throws -> String {
        try Clips.make(
            "cover.\(ending)", "-f", "lavfi", "-i", "color=red:s=64x48:r=1:d=1", "-f", "lavfi", "-i",
            "sine=440:r=48000:d=240", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-c:a", "aac", "-b:a", "32k")
    }

    /// What comes from a decoder after an exact seek.
    private func seek(_ path: String, _ time: Int64) throws -> DecoderHarness {
        let harness = try DecoderHarness.open(path)
        try harness.run { !$0.pictures.isEmpty }
        (harness.pictures, harness.sounds) = ([], [])
        try harness.channel.send(.seek(serial: 7, time: time, mode: .exact))
        try harness.run {
            // The clip may have ended before the seek came.
            $0.pictures.contains { $0.header.serial == 7 } && $0.sounds.contains { $0.serial == 7 }
                || $0.ended.contains(7)
        }
        harness.pictures.removeAll { $0.header.serial != 7 }
        harness.sounds.removeAll { $0.serial != 7 }
        return harness
    }

    @Test(arguments: [2, 13, 35, 59]) func seekShowsTheSlideAtTheTarget(second: Int64) throws {
        let harness = try seek(slides(), second * 1_000_000)
        #expect(harness.pictures.first?.header.mediaTime == second / 10 * 10_000_000)
        #expect(harness.begins.last?.serial == 7)
        #expect(harness.begins.last?.time == second * 1_000_000)
        #expect(harness.sounds.first?.pts == second * 1_000_000)
    }

    @Test(arguments: [7, 32, 51]) func openingShowsTheSlideAtTheStart(second: Int64) throws {
        let harness = try DecoderHarness.open(slides(), start: second * 1_000_000)
        try harness.run { !$0.pictures.isEmpty && !$0.sounds.isEmpty }
        #expect(try harness.picture(0).header.mediaTime == second / 10 * 10_000_000)
        #expect(harness.begins.map(\.time) == [second * 1_000_000])
        #expect(harness.sounds.first?.pts == second * 1_000_000)
    }

    @Test func chaptersOfSlidesBeginAtTheirTimes() throws {
        let parts = try Clips.write("slides.ffmeta", Array(TrackClips.chapters([0, 4_000, 13_000, 25_000]).utf8))
        let path = try Clips.make(
            "slides-parts.mp4", "-i", try slides(), "-i", parts, "-map_metadata", "1", "-c", "copy")
        let harness = try DecoderHarness.open(path)
        try harness.run { !$0.pictures.isEmpty }
        let starts = harness.info?.chapters.map(\.start) ?? []
        #expect(starts == [0, 4_000_000, 13_000_000, 25_000_000])
        for (index, start) in starts.enumerated() {
            let serial = UInt32(index + 1)
            try harness.channel.send(.seek(serial: serial, time: start, mode: .exact))
            try harness.run {
                $0.pictures.contains { $0.header.serial == serial } && $0.sounds.contains { $0.serial == serial }
                    || $0.ended.contains(serial)
            }
            let picture = harness.pictures.first { $0.header.serial == serial }
            #expect(picture?.header.mediaTime == start / 10_000_000 * 10_000_000)
            #expect(harness.begins.last { $0.serial == serial }?.time == start)
            #expect(harness.sounds.first { $0.serial == serial }?.pts == start)
        }
    }

    /// The timeline continues with the first slide where the sound of the round ends.
    @Test func slidesLoopTogetherWithTheirSound() throws {
        let harness = try DecoderHarness.open(slides(), loop: true)
        try harness.run { $0.sounds.last?.pts ?? 0 > 75_000_000 && $0.pictures.count > 7 }
        #expect(harness.failure == nil)
        for (index, picture) in harness.pictures.prefix(8).enumerated() {
            #expect(picture.header.mediaTime == Int64(index % 6) * 10_000_000)
            #expect(abs(picture.header.pts - Int64(index) * 10_000_000) < 30_000)
        }
        let second = try #require(harness.sounds.last { $0.mediaTime < 1_000 })
        #expect(abs(second.pts - 60_000_000) < 30_000)
        for time in stride(from: Int64(500_000), to: 75_000_000, by: 1_000_000) {
            #expect(isLoud(harness, at: time), "silent at \(time)")
        }
    }

    /// Whether the sound at a time of the timeline is a tone.
    private func isLoud(_ harness: DecoderHarness, at time: Int64) -> Bool {
        let piece = harness.sounds.last { $0.pts <= time }
        return piece?.samples.contains { $0 > 1_000 } ?? false
    }

    /// In Matroska the picture comes long after its sound, as the encoder holds it back.
    @Test(arguments: [("mp4", 0), ("mkv", 21_000)])
    func stillImageSeeksInLongSound(kind: String, first: Int64) throws {
        let harness = try seek(cover(kind), 100_000_000)
        #expect(harness.pictures.map(\.header.mediaTime) == [first])
        #expect(harness.begins.last?.time == 100_000_000)
        #expect(harness.sounds.first?.pts == 100_000_000)
        try harness.run { $0.ended.contains(7) }
        #expect(isWhole(harness, serial: 7, from: 100_000_000, until: 240_000_000))
        #expect(harness.pictures.count == 1)
    }

    /// Its key frames are not all that the decoder holds back then.
    @Test func soundFarAheadOfDensePicturesLosesNone() throws {
        _ = try VariantTests.master("fmp4")
        let harness = try DecoderHarness()
        harness.grants = false
        harness.releasesAtOnce = true
        try harness.start("\(Clips.folder)/ladder-fmp4-128.m3u8", width: 128, height: 96)
        try harness.run { $0.pictures.last?.header.mediaTime == 23_960_000 }
        #expect(harness.pictures.map(\.header.mediaTime) == (0..<600).map { Int64($0) * 40_000 })
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == (0..<600).map { $0 % 100 })
    }

    @Test func stillImageKeepsAllSound() throws {
        let harness = try DecoderHarness.open(cover())
        harness.grants = false
        try harness.run { !$0.pictures.isEmpty && !$0.through.isEmpty }
        // A report for every packet would be more messages than flick accepts.
        #expect(harness.bufferedCount < 100, "\(harness.bufferedCount)")
        harness.grants = true
        try harness.channel.send(.credit(frames: 48_000))
        try harness.runToEnd()
        #expect(isWhole(harness, serial: 0, from: 0, until: 240_000_000))
    }

    /// Whether sound came without a gap, and is a tone throughout.
    private func isWhole(_ harness: DecoderHarness, serial: UInt32, from start: Int64, until end: Int64) -> Bool {
        var next = start
        for sound in harness.sounds where sound.serial == serial {
            guard abs(sound.pts - next) < 1_000 else { return false }
            next = sound.pts + Int64(sound.samples.count / 2) * 1_000_000 / 48_000
            // The end of the last block may be silent.
            if next < end - 200_000, sound.samples.allSatisfy({ abs($0) < 1_000 }) { return false }
        }
        return abs(next - end) < 100_000
    }

    /// `early`: how long before the picture the sound begins.
    private func late(_ early: Int) throws -> String {
        let counted = try Clips.counted()
        return try Clips.make(
            "late-picture-\(early).mp4", "-i", counted, "-itsoffset", "\(early)", "-i", counted, "-map", "0:a", "-map",
            "1:v", "-c", "copy")
    }

    @Test func soundBeforeThePictureIsPlayed() throws {
        let harness = try DecoderHarness.open(late(2))
        try harness.run { !$0.pictures.isEmpty && !$0.sounds.isEmpty }
        #expect(harness.begins.map(\.time) == [0])
        #expect(harness.sounds.first?.pts == 0)
        #expect(abs(try harness.picture(0).header.mediaTime - 2_000_000) < 5_000)
        let again = try seek(late(2), 1_000_000)
        #expect(again.begins.last?.time == 1_000_000)
        #expect(again.sounds.first?.pts == 1_000_000)
    }

    @Test func openingBeforeTheFirstPictureStartsWithTheSound() throws {
        let harness = try DecoderHarness.open(late(2), start: 1_000_000)
        try harness.run { !$0.pictures.isEmpty && !$0.sounds.isEmpty }
        #expect(harness.begins.map(\.time) == [1_000_000])
        #expect(harness.sounds.first?.pts == 1_000_000)
        #expect(abs(try harness.picture(0).header.mediaTime - 2_000_000) < 5_000)
    }

    /// Three seconds of sound, and 75 pictures that begin two seconds later.
    @Test func everyRoundBeginsWithTheSoundBeforeThePicture() throws {
        let harness = try DecoderHarness.open(late(2), loop: true)
        try harness.run { $0.sounds.last?.pts ?? 0 > 8_500_000 && $0.pictures.count > 75 }
        #expect(harness.failure == nil)
        let again = try harness.picture(75).header
        #expect(abs(again.mediaTime - 2_000_000) < 5_000 && abs(again.pts - 7_000_000) < 30_000)
        let second = try #require(harness.sounds.last { $0.mediaTime < 1_000 })
        #expect(abs(second.pts - 5_000_000) < 30_000)
        for time in [500_000, 2_500_000, 5_500_000, 7_500_000] as [Int64] {
            #expect(isLoud(harness, at: time), "silent at \(time)")
        }
        #expect(!isLoud(harness, at: 4_500_000))
    }

    /// The times of chapters count from the first sound, as the clip begins with that.
    @Test(arguments: ["mp4", "mkv"], [true, false])
    func chaptersOfAClipWithALatePictureKeepTheirTimes(kind: String, isShown: Bool) throws {
        let counted = try Clips.counted()
        let parts = try Clips.write("late-parts.ffmeta", Array(TrackClips.chapters([0, 1_000, 4_000]).utf8))
        let path = try Clips.make(
            "late-parts.\(kind)", "-i", counted, "-itsoffset", "2", "-i", counted, "-i", parts, "-map", "0:a", "-map",
            "1:v", "-map_metadata", "2", "-c", "copy")
        let harness = try DecoderHarness()
        if isShown {
            try harness.start(path)
        } else {
            // As `probe` opens it.
            try harness.channel.send(.open(url: "file://\(path)", start: 0, loop: false, sound: false))
        }
        try harness.run { $0.info != nil }
        #expect(harness.info?.chapters.map(\.start) == [0, 1_000_000, 4_000_000])
    }

    @Test func silentClipLoopsAfterASeekBeyondItsEnd() throws {
        let path = try Clips.make(
            "silent.mkv", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=2", "-pix_fmt", "yuv420p", "-c:v", "libx264")
        let harness = try DecoderHarness.open(path, loop: true)
        try harness.run { !$0.pictures.isEmpty }
        try harness.channel.send(.seek(serial: 7, time: 9_000_000, mode: .exact))
        try harness.run { $0.pictures.count { $0.header.serial == 7 } > 3 }
        let stamps = harness.pictures.filter { $0.header.serial == 7 }.map(\.header.pts)
        #expect(harness.begins.last?.time == 9_000_000)
        #expect(stamps.dropFirst().allSatisfy { $0 >= 9_000_000 }, "\(stamps)")
    }
}
