import Foundation
import Testing
import Wire

@testable import Media

/// Live playlists. The film has seven segments of 12 pictures (the last of 3); target durations are of one second.
@Suite struct LiveTests {
    private func open(_ live: LiveFilm, loop: Bool = false) throws -> DecoderHarness {
        let harness = try DecoderHarness()
        harness.serve = live.serve
        try harness.start("http://live/list", loop: loop)
        return harness
    }

    /// Plays a film whose window moves at each load, to its end.
    private func play(
        _ kind: String, window: Range<Int>, advance: @escaping (LiveFilm) -> Void
    ) throws -> DecoderHarness {
        let live = LiveFilm(try ServedFilms.film(of: kind), window: window)
        live.advance = advance
        let harness = try open(live)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        return harness
    }

    private func numbers(_ harness: DecoderHarness) -> [Int] { harness.pictures.map { SeekingTests.number($0.pixels) } }

    @Test(arguments: ["ts", "fmp4"]) func addedSegmentsPlayUntilTheListEnds(kind: String) throws {
        let live = LiveFilm(try ServedFilms.film(of: kind), window: 0..<3)
        live.advance = {
            $0.window = $0.window.lowerBound..<min($0.window.upperBound + 2, 7)
            $0.isOver = $0.window.upperBound == 7
        }
        let harness = try open(live)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.info?.duration == -1 && harness.info?.isSeekable == false)
        #expect(numbers(harness) == Array(0..<75))
        #expect(harness.pictures.map { ($0.header.mediaTime + 1_000) / 40_000 } == (0..<75).map { Int64($0) })
        #expect(harness.wants.filter { $0.role == .liveSegment && $0.to > 0 }.count == 5)
        #expect(harness.wants.filter { $0.role == .segment && $0.to > 0 }.count == 2)
        #expect(zip(live.loads, live.loads.dropFirst()).allSatisfy { $1 - $0 > .milliseconds(490) })
    }

    @Test func liveStreamStartsThreeTargetDurationsFromTheEdge() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<7)
        let harness = try open(live)
        try harness.run { $0.pictures.count > 1 }
        // Three seconds: all there is.
        #expect(numbers(harness).first == 0)
        live.tags = "#EXT-X-START:TIME-OFFSET=-1.0"
        let late = try open(live)
        try late.run { $0.pictures.count > 1 }
        #expect(numbers(late).first == 48)
        #expect(late.pictures.first?.header.mediaTime == 0)
        #expect(harness.close() && late.close())
    }

    @Test(arguments: ["ts", "fmp4"]) func expiredSegmentsAreSkipped(kind: String) throws {
        let harness = try play(kind, window: 0..<2) {
            $0.window = 5..<7
            $0.isOver = true
        }
        #expect(numbers(harness) == Array(0..<24) + Array(60..<75))
    }

    @Test func unseenSegmentsCountATargetDurationEach() throws {
        let harness = try play("ts", window: 0..<2) {
            $0.window = 5..<7
            $0.isOver = true
        }
        let next = try #require(harness.wants.first { $0.url == "http://live/s5" })
        // Two of 480 ms, and three of a second.
        #expect(abs(next.from - 3_960_000) < 10_000 && abs(next.to - 4_440_000) < 10_000)
    }

    @Test(arguments: ["ts", "fmp4"]) func restartedStreamContinuesAtItsLiveEdge(kind: String) throws {
        let harness = try play(kind, window: 3..<7) {
            // Numbers and stamps are lower than what was read.
            $0.isOver = $0.window == 0..<2
            $0.window = $0.isOver ? 0..<3 : 0..<2
        }
        #expect(numbers(harness) == Array(36..<75) + Array(0..<36))
        #expect(harness.pictures.map { ($0.header.mediaTime + 2_000) / 40_000 } == (0..<75).map { Int64($0) })
    }

    @Test(arguments: ["ts", "fmp4"]) func aStalePlaylistDoesNotRestartTheStream(kind: String) throws {
        let harness = try play(kind, window: 2..<6) {
            $0.isOver = $0.window == 1..<5
            $0.window = $0.isOver ? 3..<7 : 1..<5
        }
        #expect(numbers(harness) == Array(24..<75))
        #expect(harness.pictures.map { ($0.header.mediaTime + 2_000) / 40_000 } == (0..<51).map { Int64($0) })
    }

    @Test func failedReloadIsRetried() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<2)
        live.advance = {
            $0.window = 0..<7
            $0.isOver = true
        }
        let harness = try open(live)
        try harness.run { $0.pictures.count > 1 }
        live.failsLoads = 2
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(numbers(harness) == Array(0..<75))
        #expect(zip(live.loads, live.loads.dropFirst()).allSatisfy { $1 - $0 > .milliseconds(490) })
    }

    @Test func messagesAreHandledWhileAReadWaits() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<1)
        live.target = 60
        let harness = try open(live)
        // A decoder keeps the last few back until it knows that none goes before them.
        try harness.run { $0.pictures.count >= 8 }
        let before = harness.pictures.count
        try harness.channel.send(.surface(SurfaceRequest(generation: 2, width: 20, height: 20, fit: .fit)))
        try harness.run { $0.pictures.last?.header.generation == 2 }
        #expect(harness.pictures.count > before)
        #expect(harness.close())
    }

    @Test func eventPlaylistIsSeekable() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<5)
        live.tags = "#EXT-X-PLAYLIST-TYPE:EVENT"
        live.advance = {
            $0.window = 0..<7
            $0.isOver = true
        }
        let harness = try open(live)
        try harness.run { $0.pictures.count > 3 }
        #expect(numbers(harness).first == 0 && harness.info?.isSeekable == true && harness.info?.duration == -1)
        try harness.channel.send(.seek(serial: 2, time: 800_000, mode: .exact))
        try harness.run { $0.ended.contains(2) }
        #expect(numbers(harness).suffix(55) == Array(20..<75)[...])
    }

    @Test(arguments: ["ts", "fmp4"]) func waitsForSegmentsNamedTooEarly(kind: String) throws {
        let live = LiveFilm(try ServedFilms.film(of: kind), window: 0..<3)
        live.target = 2
        live.late = [0: 1, 2: 2, 4: 1]
        live.advance = {
            $0.window = 0..<7
            $0.isOver = $0.loads.count > 2
        }
        let harness = try open(live)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(numbers(harness) == Array(0..<75))
    }

    @Test func liveStreamSkipsMissingSegments() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<1)
        live.missing = Set(1..<6)
        live.advance = {
            $0.window = $0.window.lowerBound..<min($0.window.upperBound + 1, 7)
            $0.isOver = $0.window.upperBound == 7
        }
        let harness = try open(live)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(numbers(harness) == Array(0..<12) + Array(72..<75))
        // A new segment is tried again within a second, its target duration.
        #expect(harness.wants.count { $0.url == "http://live/s3" } == 2)
    }

    @Test func newSegmentsAreRetriedWithinATargetDuration() {
        var retry = SegmentRetry()
        #expect(retry.fail(new: 7, target: 6_000_000, now: 100) == 500_100)
        #expect(retry.time(of: 7) == 500_100 && retry.time(of: 8) == nil)
        #expect(retry.fail(new: 7, target: 6_000_000, now: 600_000) == 1_600_000)
        #expect(retry.fail(new: 7, target: 6_000_000, now: 1_700_000) == 3_700_000)
        // The next pause would end too late.
        #expect(retry.fail(new: 7, target: 6_000_000, now: 3_700_000) == nil)
        #expect(retry.fail(new: 7, target: 6_000_000, now: 3_700_000) == nil)
        #expect(retry.fail(new: 8, target: 1_000_000, now: 4_000_000) == 4_500_000)
        #expect(retry.fail(new: 8, target: 1_000_000, now: 4_600_000) == nil)
    }

    @Test func otherSegmentsAreRetriedWhileThereIsSomethingToPlay() {
        var retry = SegmentRetry()
        #expect(retry.fail(7, stock: 1_700_000, now: 100) == nil)
        #expect(retry.fail(7, stock: 20_000_000, now: 100) == 1_000_100)
        #expect(retry.time(of: 7) == 1_000_100 && retry.time(of: 8) == nil)
        #expect(retry.hasRetried(7) && !retry.hasRetried(8))
        #expect(retry.fail(7, stock: 19_000_000, now: 1_100_000) == 3_100_000)
        // The last time is when only the reserve is left.
        #expect(retry.fail(7, stock: 5_000_000, now: 3_200_000) == 6_700_000)
        #expect(retry.fail(7, stock: 1_500_000, now: 6_700_000) == nil)
        #expect(retry.fail(8, stock: 6_000_000, now: 7_300_000) == 8_300_000)
        #expect(retry.fail(9, stock: 2_000_000, now: 9_000_000) == 9_500_000)
    }

    /// The decoder says so when it opens them: flick then repeats no request by itself.
    @Test func segmentsAreOpenedWithPatienceAsLongAsTheyAreRetried() {
        var retry = SegmentRetry()
        for stock in stride(from: Int64(0), to: 30_000_000, by: 10_000) {
            #expect(SegmentRetry.isPatient(stock: stock) == (retry.fail(stock, stock: stock, now: 0) != nil))
        }
    }

    @Test func aMissingSegmentIsSkipped() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<7)
        live.isOver = true
        live.missing = [2, 3]
        let harness = try open(live)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        // Nothing was left to play.
        #expect(harness.patience(of: "http://live/s2") == [false])
        #expect(numbers(harness) == Array(0..<24) + Array(48..<75))
        #expect(abs((harness.pictures.last?.header.mediaTime ?? 0) - 2_960_000) < 2_000)
    }

    @Test(arguments: ["mpegts", "fmp4"]) func segmentThatReturnsInTimeIsNotSkipped(kind: String) throws {
        let name = try VariantTests.master(kind).replacing("ladder-\(kind).m3u8", with: "ladder-\(kind)-128.m3u8")
        let live = LiveFilm(try ServedFilms.film(at: name), window: 0..<12)
        live.isOver = true
        live.late = [4: 1]
        let harness = try DecoderHarness()
        harness.serve = live.serve
        // So that something is left to play from until the segment returns.
        harness.releasesUntil = 200_000
        try harness.start("http://live/list", width: 128, height: 96)
        try harness.run { $0.wants.count { $0.url == "http://live/s4" } == 2 }
        try harness.playOn()
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == (0..<600).map { $0 % 100 })
        #expect(harness.patience(of: "http://live/s4") == [true, true])
    }

    @Test func returningSegmentsPlayOnce() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<7)
        live.isOver = true
        live.missing = Set(1..<7)
        let harness = try DecoderHarness()
        harness.serve = live.serve
        // So that something is left to play from until the segments return.
        harness.releasesUntil = 200_000
        try harness.start("http://live/list")
        try harness.run { $0.wants.contains { $0.url == "http://live/s4" } }
        live.missing = []
        try harness.run { $0.wants.count { $0.url == "http://live/s1" } == 2 }
        try harness.playOn()
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(numbers(harness) == Array(0..<75))
        // The sound of an AAC frame at most is lost or repeated.
        let samples = harness.sounds.reduce(0) { $0 + $1.samples.count / 2 }
        #expect(abs(samples - 3 * 48_000) < 2_048, "\(samples)")
    }

    @Test func withoutAReadableSegmentItFailsWithFlicksMessage() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<7)
        live.isOver = true
        live.missing = Set(1..<7)
        let harness = try open(live)
        try harness.runToEnd()
        #expect(harness.failure?.code == .unreadable)
        #expect(harness.failure?.why == "not found")
        #expect(numbers(harness).allSatisfy { $0 < 12 })
    }
}

/// Playlists whose segments are bare sound, and playlists that are found elsewhere than they were asked for.
@Suite struct ServedPlaylistTests {
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]

    /// A tag that holds `time`, in units of 1/90,000 s.
    private func tag(_ time: UInt64) -> [UInt8] {
        let stamp = (0..<8).map { UInt8(truncatingIfNeeded: time >> (8 * (7 - $0))) }
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(Self.owner.count + 8), 0, 0] + Self.owner + stamp
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }

    @Test(arguments: ["adts", "mp3"]) func bareSoundPlays(kind: String) throws {
        let coder = kind == "adts" ? ["-c:a", "aac"] : ["-c:a", "libmp3lame"]
        var parts: [[UInt8]] = []
        for part in 0..<3 {
            let path = try Clips.make(
                "bare\(part).\(kind == "adts" ? "aac" : "mp3")",
                list: ["-f", "lavfi", "-i", "sine=440:r=48000:d=1"] + coder
                    + ["-f", kind, "-write_xing", "0"].prefix(kind == "adts" ? 2 : 4))
            let bytes = try #require(FileManager.default.contents(atPath: path))
            // Two of the stamps lie before, the third behind the place where they begin again.
            parts.append(tag(((1 << 33) - 135_000 + UInt64(part) * 90_000) % (1 << 33)) + Array(bytes))
        }
        let harness = try DecoderHarness()
        harness.serve = { want in
            if want.url == "http://a/list" {
                let text =
                    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n0\n#EXTINF:1,\n1\n#EXTINF:1,\n2\n#EXT-X-ENDLIST\n"
                return .bytes(Array(text.utf8), at: "https://b/c/d?e")
            }
            // What a playlist names starts where that was found.
            guard want.url.hasPrefix("https://b/c/"), let part = Int(want.url.dropFirst(12)) else {
                return .failure("not found")
            }
            return parts.indices.contains(part) ? .bytes(parts[part]) : .failure("not found")
        }
        try harness.start("http://a/list")
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.info?.hasVideo == false && harness.info?.duration == 3_000_000)
        let frames = harness.sounds.reduce(0) { $0 + $1.samples.count / 2 }
        #expect(abs(frames - 144_000) < 12_000)
        harness.ended = []
        harness.sounds = []
        try harness.channel.send(.seek(serial: 2, time: 2_200_000, mode: .exact))
        try harness.run { $0.ended.contains(2) }
        #expect(harness.sounds.first { $0.serial == 2 }?.mediaTime == 2_200_000)
    }

    @Test(arguments: 0..<12) func spoiltFilmsEndOrFailButNeverCrashOrHang(seed: Int) throws {
        let live = LiveFilm(try ServedFilms.film(of: seed % 2 == 0 ? "ts" : "fmp4"), window: 0..<7)
        live.isOver = true
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        func random(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(1, below)
        }
        let harness = try DecoderHarness()
        harness.serve = { want in
            guard case .bytes(var bytes, _) = live.serve(want) else { return .failure("not found") }
            // Without its last line the playlist would be live, and be waited for.
            let isList = want.url.hasSuffix("list")
            for _ in 0..<(isList ? random(4) : random(200)) where bytes.count > 15 {
                bytes[random(bytes.count - (isList ? 15 : 0))] ^= UInt8(1 << random(8))
            }
            if !isList, random(4) == 0 { bytes.removeLast(random(bytes.count)) }
            return .bytes(bytes)
        }
        try harness.start("http://live/list")
        try harness.run { !$0.ended.isEmpty }
        #expect(!harness.ended.isEmpty || harness.failure != nil)
        #expect(harness.close())
    }
}
