import Foundation
import Testing
import Wire

@testable import Media

/// Playlists of which some variants or renditions cannot be read.
@Suite struct BrokenVariantTests {
    /// What a broken server sends in place of a segment.
    enum Answer: CaseIterable {
        case refusal, words, nothingKnown

        var served: DecoderHarness.Served {
            switch self {
            case .refusal: .failure("the server says 404: not found")
            case .words: .bytes(Array("{\"error\": \"this is no segment\"}".utf8))
            case .nothingKnown: .bytes((0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7 | 0x80) })
            }
        }
    }

    private static func isSegment(_ want: ByteWant, of name: String, from time: Int64 = 0) -> Bool {
        want.role == .segment && want.to > want.from && want.from >= time && want.url.contains(name)
    }

    /// All pictures of the 24 s clip arrived, each once.
    private func expectWholeFilm(_ harness: DecoderHarness) {
        #expect(harness.failure == nil)
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == (0..<600).map { $0 % 100 })
    }

    @Test(arguments: ["mpegts", "fmp4"], Answer.allCases)
    func brokenVariantIsReplacedMidway(kind: String, answer: Answer) throws {
        let path = try VariantTests.master(kind)
        let harness = try DecoderHarness()
        harness.serve = {
            Self.isSegment($0, of: "ladder-\(kind)-128", from: 7_900_000) ? answer.served : nil
        }
        // What is buffered never shrinks, which would also lead to another variant.
        harness.releasesUntil = 200_000
        try harness.start(path, width: 128, height: 96)
        try harness.run { $0.variants.count > 1 }
        try harness.playOn()
        try harness.runToEnd()
        expectWholeFilm(harness)
        #expect(harness.variants.map(\.index) == [0, 1])
        #expect(harness.variants.last?.why == "the previous variant cannot be read")
        #expect(harness.wants.count { Self.isSegment($0, of: "ladder-\(kind)-128", from: 7_900_000) } == 1)
    }

    /// Another variant would keep its place for a minute.
    @Test func variantIsKeptIfItsSegmentReturnsSoon() throws {
        let path = try VariantTests.master("mpegts")
        let folder = URL(filePath: path).deletingLastPathComponent()
        let harness = try DecoderHarness()
        var refused = ""
        harness.serve = { want in
            if refused.isEmpty, Self.isSegment(want, of: "ladder-mpegts-128", from: 7_900_000) {
                refused = want.url
                return Answer.refusal.served
            }
            let file = folder.appending(path: want.url.dropFirst("http://films/".count)).path
            return FileManager.default.contents(atPath: file).map { .bytes(Array($0)) }
        }
        // So that something is left to play from until the segment returns.
        harness.releasesUntil = 200_000
        try harness.start("http://films/" + URL(filePath: path).lastPathComponent, width: 128, height: 96)
        try harness.run { $0.variants.count > 1 || $0.patience(of: refused).count == 2 }
        try harness.playOn()
        try harness.runToEnd()
        expectWholeFilm(harness)
        #expect(harness.variants.map(\.index) == [0])
    }

    @Test(arguments: ["mpegts", "fmp4"], Answer.allCases)
    func brokenFirstVariantIsReplaced(kind: String, answer: Answer) throws {
        let path = try VariantTests.master(kind)
        let harness = try DecoderHarness()
        harness.serve = { Self.isSegment($0, of: "ladder-\(kind)-128") ? answer.served : nil }
        try harness.start(path, width: 128, height: 96)
        try harness.runToEnd()
        expectWholeFilm(harness)
        #expect(harness.variants.map(\.index) == [0, 1])
        // The header of an fMP4 is enough to open it.
        #expect(harness.info?.variants.map(\.isChosen) == [kind == "fmp4", kind != "fmp4"])
    }

    @Test func segmentMissingFromAllVariantsIsSkipped() throws {
        let path = try VariantTests.master("mpegts")
        let harness = try DecoderHarness()
        harness.serve = {
            Self.isSegment($0, of: "ladder", from: 7_900_000) && $0.from < 9_000_000 ? Answer.refusal.served : nil
        }
        try harness.start(path, width: 128, height: 96)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.pictures.count == 550)
    }

    @Test func clipWithoutReadableVariantsFails() throws {
        let path = try VariantTests.master("mpegts")
        let harness = try DecoderHarness()
        harness.serve = { Self.isSegment($0, of: "ladder") ? Answer.refusal.served : nil }
        try harness.start(path, width: 128, height: 96)
        try harness.runToEnd()
        #expect(harness.failure?.code == .unreadable)
        #expect(harness.wants.count { Self.isSegment($0, of: "ladder") } <= 12)
    }

    @Test func excludedVariantsComeBack() {
        let sizes: [(Int64, UInt32, UInt32)] = [(400_000, 320, 180), (700_000, 640, 360), (900_000, 640, 360)]
        var choice = VariantChoice(
            sizes.map { MediaInfo.Variant(bandwidth: $0.0, width: $0.1, height: $0.2) }, usable: [true, true, true])
        choice.surface = SurfaceRequest(generation: 1, width: 640, height: 360, fit: .fit)
        #expect(choice.start(isCold: false).index == 2)
        #expect(choice.replaceCurrent(now: 0)?.index == 1)
        #expect(choice.replaceCurrent(now: 10_000_000)?.index == 0)
        func next(_ now: Int64) -> Int? {
            choice.next(buffered: 20_000_000, played: 0, isWatched: true, now: now)?.index
        }
        #expect(next(59_000_000) == nil)
        #expect(next(61_000_000) == 2)
        // If none can be read, all count again.
        #expect(choice.replaceCurrent(now: 62_000_000)?.index == 0)
        #expect(choice.replaceCurrent(now: 62_000_000) == nil)
        let hasOthers = choice.exclude(0, now: 63_000_000)
        #expect(hasOthers)
    }

    // MARK: Sound

    @Test(arguments: ["tracks-a0.m3u8", "tracks-a00"], [true, false])
    func missingSoundIsReplacedBySilence(missing: String, isWhole: Bool) throws {
        let path = try TrackClips.playlist()
        let harness = try DecoderHarness()
        // From the first on, or the playlist and those after the first.
        harness.serve = {
            guard $0.url.contains("tracks-a0"), !$0.url.hasSuffix(".m3u8") || missing.hasSuffix(".m3u8") else {
                return nil
            }
            return isWhole || $0.from > 0 ? Answer.refusal.served : nil
        }
        try harness.start(path, width: 128, height: 96)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.pictures.count == 150)
        let frames = harness.sounds.reduce(0) { $0 + $1.samples.count / 2 }
        // Silence follows what could be read.
        #expect(isWhole ? frames == 0 : frames > 5 * 48_000)
        #expect(harness.info?.hasAudio == !isWhole)
    }

    /// Twelve seconds in segments of one second, whose tone of 440 Hz is in a separate playlist.
    private func soundApart() throws -> String {
        let film = try Clips.make(
            "apart.mkv", "-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=12", "-f", "lavfi", "-i",
            "sine=440:r=48000:d=12", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "25", "-c:a", "aac")
        for (name, map) in [("apart-pictures", "0:v"), ("apart-tone", "0:a")] {
            _ = try Clips.make(
                "\(name).m3u8", "-i", film, "-map", map, "-c", "copy", "-hls_time", "1", "-hls_playlist_type", "vod")
        }
        return try Clips.write(
            "apart.m3u8",
            Array(
                """
                #EXTM3U
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",NAME="one",DEFAULT=YES,URI="apart-tone.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=90000,RESOLUTION=128x96,AUDIO="s"
                apart-pictures.m3u8

                """.utf8))
    }

    /// More segments are missing than are skipped one by one.
    @Test func soundThatReturnsIsPlayedAgain() throws {
        let harness = try DecoderHarness(retryInterval: 1_000)
        harness.serve = {
            let isMissing = $0.url.contains("apart-tone") && (1_500_000..<6_500_000).contains($0.from)
            return isMissing ? Answer.refusal.served : nil
        }
        // Two seconds are read ahead, so that pictures are still to be read when the sound is back.
        try harness.channel.send(.warm(time: 2_000_000, bitsPerSecond: 750_000))
        try harness.start(try soundApart(), width: 128, height: 96)
        try harness.runToEnd()
        #expect(harness.failure == nil && harness.pictures.count == 300)
        let samples = harness.sounds.flatMap(\.samples)
        func piece(at second: Int) -> [Int16] { Array(samples.dropFirst(second * 96_000).prefix(9_600)) }
        for second in [1, 8, 10] { #expect(abs(Tone.pitch(piece(at: second)) - 440) < 20, "second \(second)") }
        #expect(piece(at: 4).allSatisfy { $0 == 0 })
        #expect(abs(samples.count - 12 * 96_000) < 9_600)
    }

    @Test func missingSoundIsReadFromAnotherGroup() throws {
        _ = try TrackClips.playlist()
        let path = try Clips.write(
            "tracks-groups.m3u8",
            Array(
                """
                #EXTM3U
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="high",NAME="Ton",LANGUAGE="de",URI="tracks-a0.m3u8"
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="low",NAME="Ton",LANGUAGE="de",URI="tracks-a1.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=90000,RESOLUTION=128x96,AUDIO="high"
                tracks-v.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=80000,RESOLUTION=64x48,AUDIO="low"
                tracks-v.m3u8

                """.utf8))
        let harness = try DecoderHarness()
        harness.serve = { $0.url.contains("tracks-a0") && $0.from > 0 ? Answer.refusal.served : nil }
        try harness.start(path, width: 128, height: 96)
        try harness.runToEnd()
        #expect(harness.failure == nil && harness.pictures.count == 150)
        let samples = harness.sounds.flatMap(\.samples)
        #expect(abs(Tone.pitch(Array(samples[9_600..<19_200])) - 440) < 20)
        #expect(abs(Tone.pitch(Array(samples[(3 * 96_000)..<(3 * 96_000 + 9_600)])) - 880) < 20)
    }
}
