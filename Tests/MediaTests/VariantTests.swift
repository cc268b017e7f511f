import Testing
import Wire

@testable import Media

/// Which variant is read, and how one follows another.
@Suite struct VariantTests {
    private func choice(_ forms: [(Int64, UInt32, UInt32)], width: UInt32 = 0, height: UInt32 = 0) -> VariantChoice {
        var choice = VariantChoice(
            forms.map { MediaInfo.Variant(bandwidth: $0.0, width: $0.1, height: $0.2) },
            usable: forms.map { _ in true })
        if width > 0 {
            choice.surface = SurfaceRequest(generation: 1, width: width, height: height, fit: .fit)
        }
        return choice
    }

    private let ladder: [(Int64, UInt32, UInt32)] = [
        (2_500_000, 1_280, 720), (400_000, 320, 180), (5_000_000, 1_920, 1_080), (700_000, 640, 360),
    ]

    @Test func aColdStartIsCapped() {
        var large = choice(ladder, width: 1_600, height: 900)
        #expect(large.start(isCold: true).index == 3)
        #expect(large.start(isCold: false).index == 2)
        var upright = choice([(600_000, 1_080, 1_920), (500_000, 720, 1_280)], width: 900, height: 1_600)
        #expect(upright.start(isCold: true).index == 1)
        // Where there are larger ones only, it is the smallest of them.
        var onlyLarge = choice([(5_000_000, 1_920, 1_080), (2_500_000, 1_280, 720)], width: 1_600, height: 900)
        #expect(onlyLarge.start(isCold: true).index == 1)
    }

    @Test func theLinkBoundsTheStart() {
        var choice = choice(ladder, width: 500, height: 300)
        choice.link = 600_000
        #expect(choice.start(isCold: true) == .init(index: 1, why: "bandwidth 600 kbit/s"))
        choice.link = 900_000
        #expect(choice.start(isCold: true) == .init(index: 3, why: "the smallest covering 500x300"))
    }

    @Test func soundWithoutPicturesIsChosenOnlyIfThereIsNothingElse() {
        let sound = MediaInfo.Variant(bandwidth: 64_000, codecs: "mp4a.40.2")
        let film = MediaInfo.Variant(bandwidth: 900_000, width: 640, height: 360, codecs: "avc1.4d401f,mp4a.40.2")
        var both = VariantChoice([sound, film], usable: [true, true])
        #expect(both.start(isCold: true).index == 1)
        var alone = VariantChoice([sound], usable: [true])
        #expect(alone.start(isCold: true).index == 0)
    }

    @Test func variantStepsDownAtOnceAndUpAfterAPause() {
        var choice = choice(ladder, width: 1_200, height: 700)
        choice.link = 4_000_000
        #expect(choice.start(isCold: false).index == 0)
        #expect(choice.next(buffered: 20_000_000, isWatched: true, now: 0) == nil)
        choice.link = 1_000_000
        #expect(
            choice.next(buffered: 20_000_000, isWatched: true, now: 1)
                == .init(index: 3, why: "bandwidth 1000 kbit/s"))
        choice.link = 9_000_000
        #expect(choice.next(buffered: 20_000_000, isWatched: true, now: 9_000_000) == nil)
        #expect(choice.next(buffered: 9_000_000, isWatched: true, now: 11_000_000) == nil)
        #expect(choice.next(buffered: 10_000_000, isWatched: true, now: 11_000_000)?.index == 0)
        // Never more than the surface needs.
        #expect(choice.next(buffered: 20_000_000, isWatched: true, now: 90_000_000) == nil)
    }

    /// A variant of smaller pictures may need more bits, for better sound.
    @Test func aStepUpNeverLeadsToSmallerPictures() {
        var choice = choice(
            [(800_000, 1_280, 720), (1_000_000, 640, 360), (2_000_000, 1_920, 1_080)], width: 1_600, height: 900)
        choice.link = 1_000_000
        #expect(choice.start(isCold: false).index == 0)
        choice.link = 9_000_000
        #expect(choice.next(buffered: 20_000_000, isWatched: true, now: 90_000_000)?.index == 2)
    }

    /// Seven tenths of the link for a step up, eight at the start, all of it to stay.
    @Test(
        arguments: [(1.06, false), (1.3, false), (1.42, false), (1.44, true)] as [(Double, Bool)])
    func aStepUpTakesNoMoreThanSevenTenthsOfTheLink(linkByBits: Double, goesUp: Bool) {
        var choice = choice(ladder, width: 1_200, height: 700)
        choice.link = 800_000
        #expect(choice.start(isCold: false).index == 1)
        choice.link = Int64(700_000 * linkByBits)
        #expect((choice.next(buffered: 20_000_000, isWatched: true, now: 90_000_000)?.index == 3) == goesUp)
    }

    @Test func startUses80PercentOfTheLinkAndStayingAllOfIt() {
        var choice = choice(ladder, width: 1_200, height: 700)
        choice.link = 3_120_000
        #expect(choice.start(isCold: false).index == 3)
        choice.link = 3_130_000
        #expect(choice.start(isCold: false).index == 0)
        choice.link = 2_500_000
        #expect(choice.next(buffered: 5_000_000, isWatched: true, now: 0) == nil)
        choice.link = 2_490_000
        #expect(choice.next(buffered: 5_000_000, isWatched: true, now: 1)?.index == 3)
    }

    @Test func theLimitOfTheStartCanBeAnother() {
        for (bits, index) in [(300_000, 1), (750_000, 3), (9_000_000, 0)] as [(Int64, Int)] {
            var choice = choice(ladder, width: 1_200, height: 700)
            choice.maxBits = bits
            #expect(choice.start(isCold: true).index == index, "\(bits)")
        }
    }

    @Test func bufferCountsByItsShareOfTheLimit() {
        var choice = choice(ladder, width: 1_200, height: 700)
        choice.link = 9_000_000
        choice.maxBits = 700_000
        #expect(choice.start(isCold: true).index == 3)
        // Half of the limit, and ten seconds including what was played.
        #expect(choice.next(buffered: 6_000_000, of: 6_000_000, played: 2_000_000, isWatched: true, now: 0) == nil)
        #expect(choice.next(buffered: 7_000_000, of: 15_000_000, played: 11_000_000, isWatched: true, now: 0) == nil)
        #expect(choice.next(buffered: 7_000_000, of: 7_000_000, played: 3_000_000, isWatched: true, now: 0)?.index == 0)
        // As little as there is under a low limit is not too little.
        #expect(choice.next(buffered: 3_000_000, of: 4_000_000, isWatched: true, now: 1) == nil)
        #expect(choice.next(buffered: 2_500_000, of: 4_000_000, isWatched: true, now: 2) == nil)
        #expect(choice.next(buffered: 1_500_000, of: 4_000_000, isWatched: true, now: 3)?.index == 3)
    }

    @Test func variantStepsDownWhenTheBufferRunsOut() {
        var choice = choice(ladder, width: 1_200, height: 700)
        _ = choice.start(isCold: false)
        #expect(choice.next(buffered: 1_000_000, isWatched: false, now: 0) == nil)
        #expect(choice.next(buffered: 3_000_000, isWatched: true, now: 1) == nil)
        #expect(choice.next(buffered: 3_500_000, isWatched: true, now: 2) == nil)
        #expect(choice.next(buffered: 2_000_000, isWatched: true, now: 3)?.index == 3)
    }

    /// The link may look fast enough: it did before, too.
    @Test func doesNotStepUpForTenSecondsAfterTheBufferRanLow() {
        var choice = choice(ladder, width: 1_200, height: 700)
        choice.link = 9_000_000
        #expect(choice.start(isCold: false).index == 0)
        #expect(choice.next(buffered: 3_000_000, isWatched: true, now: 0) == nil)
        #expect(choice.next(buffered: 2_000_000, isWatched: true, now: 1)?.index == 3)
        #expect(choice.next(buffered: 20_000_000, isWatched: true, now: 10_000_000) == nil)
        #expect(choice.next(buffered: 20_000_000, isWatched: true, now: 10_000_001)?.index == 0)
    }

    @Test func aSmallerSurfaceNeedsLess() {
        var choice = choice(ladder, width: 1_200, height: 700)
        _ = choice.start(isCold: false)
        choice.surface = SurfaceRequest(generation: 2, width: 100, height: 60, fit: .fit)
        let decision = choice.next(buffered: 1_000_000, isWatched: true, now: 1)
        #expect(decision == .init(index: 1, why: "the smallest covering 100x60"))
    }

    // MARK: Wanted by the user

    @Test func variantChosenByHandIsReadWhateverFits() {
        var choice = choice(ladder, width: 500, height: 300)
        choice.link = 600_000
        choice.wish = .index(2)
        #expect(choice.start(isCold: true) == .init(index: 2, why: "chosen by hand"))
        #expect(choice.next(buffered: 3_000_000, isWatched: true, now: 0) == nil)
        #expect(choice.next(buffered: 1_000_000, isWatched: true, now: 1) == nil)
        choice.wish = .index(0)
        #expect(choice.next(buffered: 0, isWatched: true, now: 2) == .init(index: 0, why: "chosen by hand"))
        choice.wish = .automatic
        #expect(choice.next(buffered: 0, isWatched: true, now: 3)?.index == 1)
        choice.wish = .index(99)
        #expect(choice.next(buffered: 0, isWatched: true, now: 4) == nil)
    }

    @Test func unreadableVariantIsReplacedAlthoughItWasChosen() {
        var choice = choice(ladder, width: 500, height: 300)
        choice.wish = .index(2)
        _ = choice.start(isCold: true)
        let other = choice.replaceCurrent(now: 0)
        #expect(other?.index == 3)
        #expect(choice.next(buffered: 0, isWatched: true, now: 1) == nil)
        // It is tried again after a minute.
        #expect(choice.next(buffered: 0, isWatched: true, now: 60_000_001)?.index == 2)
    }

    /// Half of what the surface can show will do, and 240 lines for any surface.
    @Test(arguments: [(80, 46, 1), (500, 300, 1), (700, 400, 3), (1_600, 900, 3)] as [(UInt32, UInt32, Int)])
    func dataSaverReadsTheSmallestThatCanBeWatched(width: UInt32, height: UInt32, index: Int) {
        var choice = choice(ladder, width: width, height: height)
        choice.wish = .smallest
        choice.link = 90_000_000
        #expect(choice.start(isCold: false) == .init(index: index, why: "data saver"))
        #expect(choice.next(buffered: 20_000_000, isWatched: true, now: 90_000_000) == nil)
    }

    @Test func dataSaverReadsLessOnASlowLink() {
        var choice = choice(ladder, width: 1_600, height: 900)
        choice.wish = .smallest
        choice.link = 600_000
        #expect(choice.start(isCold: true) == .init(index: 1, why: "bandwidth 600 kbit/s"))
        choice.link = 1_100_000
        #expect(choice.next(buffered: 0, isWatched: true, now: 0)?.index == 3)
        choice.link = 720_000
        #expect(choice.next(buffered: 0, isWatched: true, now: 1) == nil)
    }

    @Test func playlistSaysWhichVariantsCanBePlayed() {
        let sound = MediaInfo.Variant(bandwidth: 64_000, codecs: "mp4a.40.2")
        let film = MediaInfo.Variant(bandwidth: 900_000, width: 640, height: 360, codecs: "avc1.4d401f,mp4a.40.2")
        let choice = VariantChoice([sound, film, film], usable: [true, true, false])
        #expect((0...2).map(choice.canPlay) == [false, true, false])
    }

    // MARK: Played

    /// The same ladder as a DASH manifest.
    private static func dash() throws -> String {
        try Clips.make(
            "ladder-dash.mpd",
            list: [
                "-f", "lavfi", "-i", "color=black:s=128x96:r=25:d=24,geq=lum='16+2*mod(N,100)':cb=128:cr=128",
                "-f", "lavfi", "-i", "sine=440:r=48000:d=24", "-map", "0:v", "-map", "0:v", "-map", "1:a",
                "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "50", "-qp", "4", "-preset", "veryfast", "-bf", "2",
                "-s:v:1", "64x48", "-c:a", "aac", "-seg_duration", "2", "-init_seg_name",
                "ladder-dash-init-$RepresentationID$.m4s", "-media_seg_name",
                "ladder-dash-$RepresentationID$-$Number%05d$.m4s", "-adaptation_sets", "id=0,streams=v id=1,streams=a",
                "-f", "dash",
            ])
    }

    /// At the place where the clip is: no picture is lost, none comes twice, and the sound goes with them.
    @Test(arguments: ["mpegts", "fmp4", "dash"]) func variantChosenByHandFollowsASeek(kind: String) throws {
        let harness = try DecoderHarness()
        (harness.releasesUntil, harness.grants) = (5_000_000, false)
        try harness.start(kind == "dash" ? try Self.dash() : try Self.master(kind), width: 128, height: 96)
        try harness.run { $0.pictures.last.map { $0.header.mediaTime >= 5_000_000 } == true }
        let info = try #require(harness.info)
        #expect(info.variants.map(\.width) == [128, 64] && info.variants.allSatisfy(\.isPlayable))
        #expect(harness.variants.map(\.index) == [0])
        try harness.channel.send(.variant(.index(1)))
        try harness.channel.send(.seek(serial: 1, time: 5_000_000, mode: .exact))
        try harness.playOn()
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.variants.map(\.index) == [0, 1] && harness.variants.last?.why == "chosen by hand")
        let after = harness.pictures.filter { $0.header.serial == 1 }
        #expect(after.map { SeekingTests.number($0.pixels) } == (125..<600).map { $0 % 100 })
    }

    /// Without a seek it follows what has been read; and so does the automatic choice.
    @Test func variantChosenByHandFollowsWhatWasRead() throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.variant(.index(1)))
        (harness.releasesUntil, harness.grants) = (1_000_000, false)
        try harness.start(try Self.master("mpegts"), width: 128, height: 96)
        try harness.run { $0.pictures.last.map { $0.header.mediaTime >= 1_000_000 } == true }
        try harness.channel.send(.variant(.index(0)))
        try harness.playOn()
        try harness.runToEnd()
        #expect(harness.failure == nil && harness.variants.map(\.index) == [1, 0])
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == (0..<600).map { $0 % 100 })
    }

    /// A counted film of 24 s in two sizes, in segments of two seconds, as a master playlist.
    static func master(_ kind: String) throws -> String {
        var text = "#EXTM3U\n"
        for (width, height) in [(128, 96), (64, 48)] {
            let name = "ladder-\(kind)-\(width)"
            _ = try Clips.make(
                "\(name).m3u8",
                list: [
                    "-f", "lavfi", "-i",
                    "color=black:s=\(width)x\(height):r=25:d=24,geq=lum='16+2*mod(N,100)':cb=128:cr=128",
                    "-f", "lavfi", "-i", "sine=440:r=48000:d=24", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "50",
                    "-qp", "4", "-preset", "veryfast", "-bf", "2", "-c:a", "aac", "-hls_time", "2",
                    "-hls_playlist_type", "vod", "-hls_segment_type", kind, "-hls_fmp4_init_filename",
                    "\(name)-init.mp4",
                ])
            text += "#EXT-X-STREAM-INF:BANDWIDTH=\(width * 5_000),RESOLUTION=\(width)x\(height)\n\(name).m3u8\n"
        }
        return try Clips.write("ladder-\(kind).m3u8", Array(text.utf8))
    }

    @Test(arguments: ["mpegts", "fmp4"]) func variantSwitchNeitherDropsNorRepeatsPictures(kind: String) throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.link(bitsPerSecond: 2_000_000))
        // Held where it is until the link is slow, as its buffer would run low on a busy machine.
        (harness.releasesUntil, harness.grants) = (1_000_000, false)
        try harness.start(try VariantTests.master(kind), width: 128, height: 96)
        try harness.run { $0.pictures.last.map { $0.header.mediaTime >= 1_000_000 } == true }
        try harness.channel.send(.link(bitsPerSecond: 400_000))
        try harness.playOn()
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.variants.map(\.index) == [0, 1])
        #expect(harness.variants.last?.why == "bandwidth 400 kbit/s")
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == (0..<600).map { $0 % 100 })
        #expect(harness.pictures.map { ($0.header.mediaTime + 1_000) / 40_000 } == (0..<600).map { Int64($0) })
        var frames: Int64 = 0
        for sound in harness.sounds {
            #expect(abs(sound.pts - frames * 1_000_000 / 48_000) <= 1)
            frames += Int64(sound.samples.count / 2)
        }
        #expect(abs(frames - 24 * 48_000) < 6_000)
    }

    @Test func aLinkSpeedReportedWhileTheClipOpensCounts() throws {
        let harness = try DecoderHarness()
        try harness.start(try VariantTests.master("fmp4"), width: 128, height: 96)
        // The variant is chosen, and its playlist is about to be read.
        try harness.run { $0.wants.count == 2 }
        #expect(harness.info == nil)
        try harness.channel.send(.link(bitsPerSecond: 400_000))
        try harness.run { $0.variants.count == 2 || !$0.ended.isEmpty }
        #expect(harness.failure == nil && harness.variants.map(\.index) == [0, 1])
        #expect(harness.variants.last?.why == "bandwidth 400 kbit/s")
    }

    @Test func fasterLinkSelectsABetterVariant() throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.link(bitsPerSecond: 400_000))
        harness.grants = false
        try harness.start(try VariantTests.master("fmp4"), width: 128, height: 96)
        // Unwatched until the link improves: little is read ahead, and segments remain to be chosen.
        harness.releasesUntil = 0
        try harness.run { !$0.pictures.isEmpty }
        try harness.channel.send(.link(bitsPerSecond: 2_000_000))
        // Played as fast as it can be to its end, nothing would ever be buffered. After 10 s, more than four seconds
        // are read ahead, so a segment ends in their later half. After 8 s, none did if the slots had filled before
        // the viewer came: the pictures in them do not count as played.
        try harness.playOn(until: 10_000_000)
        try harness.run { $0.variants.count == 2 }
        try harness.playOn()
        try harness.runToEnd()
        // Played as fast as it can be, it may have to step down again.
        #expect(harness.variants.map(\.index).prefix(2) == [1, 0])
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == (0..<600).map { $0 % 100 })
    }

    @Test func unwatchedClipReadsLittleAhead() throws {
        let harness = try DecoderHarness()
        harness.releases = false
        harness.grants = false
        try harness.start(try VariantTests.master("mpegts"), width: 128, height: 96)
        try harness.run { $0.pictures.count >= 10 }
        // What has been said to be opened soon, or opened, begins within two seconds of what has been read.
        #expect(harness.wants.filter { $0.role == .segment }.count <= 3)
        #expect(harness.bufferedUntil <= 4_500_000)
        // A viewer watches up to 8 s: however busy the machine is, no more than the slots hold is decoded after that.
        try harness.playOn(until: 8_000_000)
        try harness.run { $0.bufferedUntil > 12_000_000 }
        #expect(harness.pictures.last.map { $0.header.mediaTime < 12_000_000 } == true)
        #expect(harness.expected.contains { $0.role == .segment && $0.from >= 4_000_000 })
    }

    @Test func aSoundPlaylistThatFailsIsNotRetriedAtEachSegment() throws {
        _ = try VariantTests.master("fmp4")
        let path = try Clips.write(
            "ladder-missing-sound.m3u8",
            Array(
                """
                #EXTM3U
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="ladder-fmp4-128.m3u8"
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="b",URI="missing.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=640000,RESOLUTION=128x96,AUDIO="a"
                ladder-fmp4-128.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=320000,RESOLUTION=64x48,AUDIO="b"
                ladder-fmp4-64.m3u8

                """.utf8))
        let harness = try DecoderHarness()
        let begun = MonotonicTime.now()
        // Held where it is until the link is slow: a decoder faster than this test would have read all segments.
        (harness.releasesUntil, harness.grants) = (1_000_000, false)
        try harness.start(path, width: 128, height: 96)
        try harness.run { $0.pictures.last.map { $0.header.mediaTime >= 1_000_000 } == true }
        try harness.channel.send(.link(bitsPerSecond: 400_000))
        try harness.playOn()
        try harness.runToEnd()
        // On a slow machine the decoder needs longer than the time to the next attempt.
        let attempts = 1 + Int((MonotonicTime.now() - begun) / DecoderSession.retryInterval)
        #expect(harness.failure == nil && harness.variants.map(\.index) == [0, 1])
        #expect((1...attempts).contains(harness.opened.count { $0.hasSuffix("missing.m3u8") }))
        // The sound it had continues.
        #expect(harness.sounds.reduce(0) { $0 + $1.samples.count / 2 } > 23 * 48_000)
    }

    @Test func failedVariantIsSkipped() throws {
        let path = try VariantTests.master("mpegts")
        let harness = try DecoderHarness()
        harness.serve = { $0.url.hasSuffix("mpegts-128.m3u8") ? .failure("gone") : nil }
        try harness.start(path, width: 128, height: 96)
        try harness.run { $0.pictures.count > 2 }
        #expect(harness.failure == nil && harness.variants.map(\.index) == [1])
    }
}
