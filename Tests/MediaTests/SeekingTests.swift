import Testing
import Wire

@Suite struct SeekingTests {
    /// The number of a picture of `Clips.counted()`.
    static func number(_ pixels: [UInt32]) -> Int {
        let middle = pixels[pixels.count / 2 + 32]
        let grey = Double(middle >> 8 & 0xFF)
        return Int((grey * 219 / 255 / 2).rounded())
    }

    func seek(_ time: Int64, _ mode: SeekMode) throws -> DecoderHarness {
        let harness = try DecoderHarness.open(try Clips.counted())
        try harness.run { $0.pictures.count > 3 }
        harness.pictures = []
        harness.sounds = []
        try harness.channel.send(.seek(serial: 7, time: time, mode: mode))
        try harness.run {
            $0.pictures.contains { $0.header.serial == 7 } && $0.sounds.contains { $0.serial == 7 }
                || $0.ended.contains(7)
        }
        harness.pictures.removeAll { $0.header.serial != 7 }
        harness.sounds.removeAll { $0.serial != 7 }
        return harness
    }

    @Test(arguments: [0, 1, 5, 11, 12, 13, 30, 47, 48, 73])
    func exactSeekShowsThePictureOfTheTime(index: Int) throws {
        for offset in [Int64(0), 17_003, 39_999] {
            let harness = try seek(Int64(index) * 40_000 + offset, .exact)
            let picture = try #require(harness.pictures.first)
            #expect(picture.header.mediaTime == Int64(index) * 40_000)
            #expect(Self.number(picture.pixels) == index)
            #expect(harness.sounds.first?.pts == Int64(index) * 40_000 + offset)
        }
    }

    @Test(arguments: ["h264", "hevc"], [SeekMode.exact, .key])
    func rawStreamsSeekByCounting(kind: String, mode: SeekMode) throws {
        let codec = kind == "h264" ? ["libx264"] : ["libx265", "-x265-params", "log-level=none"]
        let path = try Clips.make(
            "bare.\(kind)",
            list: ["-i", try Clips.counted(), "-an", "-pix_fmt", "yuv420p", "-g", "12", "-qp", "4", "-c:v"] + codec)
        let harness = try DecoderHarness.open(path)
        try harness.run { $0.pictures.count > 3 }
        for (serial, time, number) in [(UInt32(1), Int64(2_000_000), 50), (2, 400_000, 10), (3, 9_000_000, 74)] {
            try harness.channel.send(.seek(serial: serial, time: time, mode: mode))
            try harness.run { $0.pictures.contains { $0.header.serial == serial } || $0.ended.contains(serial) }
            let picture = try #require(harness.pictures.first { $0.header.serial == serial })
            #expect(Self.number(picture.pixels) == number)
            #expect(picture.header.mediaTime == Int64(number) * 40_000)
        }
        #expect(harness.failure == nil)
    }

    @Test func picturesOfBeforeASeekAreNotMadeAgainForAnotherSurface() throws {
        let harness = try DecoderHarness.open(try Clips.counted())
        harness.releases = false
        try harness.run { $0.pictures.count == 4 }
        harness.releases = true
        try harness.channel.send(.seek(serial: 7, time: 2_000_000, mode: .exact))
        try harness.run { $0.pictures.contains { $0.header.serial == 7 } }
        try harness.channel.send(.surface(SurfaceRequest(generation: 2, width: 20, height: 20, fit: .fit)))
        try harness.run { $0.pictures.count { $0.header.generation == 2 } >= 3 }
        let again = harness.pictures.filter { $0.header.generation == 2 }.map(\.header.mediaTime)
        #expect(again.allSatisfy { $0 >= 2_000_000 }, "\(again)")
    }

    /// Where in the clip the first picture is, if the sound begins `early` milliseconds before it.
    @Test(arguments: [(0, 0), (60, 0), (200, 200)])
    func slightlyEarlySoundDoesNotMoveTheBeginning(early: Int, first: Int64) throws {
        let counted = try Clips.counted()
        let path = try Clips.make(
            "early-sound-\(early).mp4", "-i", counted, "-itsoffset", "\(Double(early) / 1_000)", "-i", counted,
            "-map", "0:a", "-map", "1:v", "-c", "copy")
        let harness = try DecoderHarness.open(path)
        try harness.run { $0.pictures.count > 2 }
        #expect(abs(try harness.picture(0).header.mediaTime - first * 1_000) < 5_000)
    }

    @Test func seekBeyondTheEndShowsTheLastPicture() throws {
        let harness = try seek(60_000_000, .exact)
        let last = try #require(harness.pictures.first)
        #expect(last.header.mediaTime == 2_960_000)
        try harness.run { $0.ended.contains(7) }
    }

    /// Also in files that do not say how long they are, or in which only times can be found.
    @Test(arguments: ["mp4", "ts", "mpg", "flv", "mkv"])
    func openingFarBeyondTheEndShowsTheLastPicture(ending: String) throws {
        let path = try Clips.make(
            "beyond.\(ending)", "-f", "lavfi", "-i", "color=black:s=128x96:r=25:d=3,geq=lum='16+2*N':cb=128:cr=128",
            "-pix_fmt",
            "yuv420p", "-bf", "0")
        let harness = try DecoderHarness.open(path, start: 100_000_000)
        try harness.run { !$0.pictures.isEmpty }
        #expect(harness.failure == nil)
        #expect(try Self.number(harness.picture(0).pixels) >= 73)
    }

    @Test(arguments: [5, 12, 13, 24, 36, 50])
    func stepsShowTheNeighbours(index: Int) throws {
        let before = try seek(Int64(index) * 40_000, .before)
        #expect(before.pictures.first?.header.mediaTime == Int64(index - 1) * 40_000)
        #expect(try Self.number(before.picture(0).pixels) == index - 1)
        let after = try seek(Int64(index) * 40_000, .after)
        #expect(after.pictures.first?.header.mediaTime == Int64(index + 1) * 40_000)
        #expect(after.sounds.first?.pts == Int64(index + 1) * 40_000)
    }

    @Test func keySeekShowsAKeyPictureAndSoundFromThere() throws {
        let harness = try seek(41 * 40_000, .key)
        let first = try #require(harness.pictures.first)
        #expect(first.header.isKey && first.header.mediaTime <= 41 * 40_000)
        #expect(harness.sounds.first?.pts == first.header.mediaTime)
    }

    @Test func lastOfSeveralSeeksWins() throws {
        let harness = try DecoderHarness.open(try Clips.counted())
        for serial in UInt32(1)...20 {
            try harness.channel.send(.seek(serial: serial, time: Int64(serial) * 100_000, mode: .exact))
        }
        try harness.run { $0.ended.contains(20) }
        let last = try #require(harness.pictures.first { $0.header.serial == 20 })
        #expect(last.header.mediaTime == 2_000_000)
    }

    @Test func aSeekInterruptsAnUnansweredRead() throws {
        let path = try Clips.make(
            "large.mp4", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=20", "-pix_fmt", "yuv420p", "-c:v", "libx264",
            "-g", "25", "-qp", "10", "-movflags", "+faststart")
        let harness = try DecoderHarness.open(path)
        try harness.run { $0.pictures.count > 2 }
        harness.delaysReads = true
        try harness.run { !$0.delayedReads.isEmpty }
        let stuck = try #require(harness.delayedReads.first)
        harness.delaysReads = false
        try harness.channel.send(.seek(serial: 3, time: 500_000, mode: .exact))
        try harness.run { $0.pictures.contains { $0.header.serial == 3 } }
        // The late answer is harmless.
        try harness.answer(stuck.id, stuck.offset, stuck.count)
        try harness.run { $0.ended.contains(3) }
        #expect(harness.pictures.filter { $0.header.serial == 3 }.count == 500 - 12)
    }

    @Test func closingEndsAWaitingSession() throws {
        let harness = try DecoderHarness()
        harness.delaysReads = true
        try harness.channel.send(.open(url: "file://\(try Clips.counted())", start: 0, loop: false, sound: true))
        try harness.run { !$0.delayedReads.isEmpty }
        #expect(harness.close())
    }
}
