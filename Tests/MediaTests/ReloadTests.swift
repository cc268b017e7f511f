import Foundation
import Testing
import Wire

@testable import Media

/// How often a playlist is asked for, how long it is waited for, and when it is said to be empty.
@Suite struct ReloadTests {
    @Test func reloadsAfterATargetDurationOrHalfOfOneIfUnchanged() {
        var schedule = ReloadSchedule(now: 5_000_000)
        #expect(schedule.nextTime(target: 6_000_000) == 11_000_000)
        schedule.begin(now: 11_000_000)
        schedule.end(isChanged: false)
        #expect(schedule.nextTime(target: 6_000_000) == 14_000_000)
        // However short its segments are.
        #expect(schedule.nextTime(target: 500_000) == 12_000_000)
    }

    @Test func playlistUnchangedForThreeTargetDurationsHasStopped() {
        var schedule = ReloadSchedule(now: 0)
        schedule.begin(now: 40_000_000)
        schedule.end(isChanged: true)
        #expect(!schedule.hasStopped(target: 2_000_000))
        schedule.begin(now: 69_000_000)
        schedule.end(isChanged: false)
        #expect(!schedule.hasStopped(target: 2_000_000))
        schedule.begin(now: 70_000_000)
        #expect(schedule.hasStopped(target: 2_000_000))
        #expect(!schedule.hasStopped(target: 11_000_000))
        schedule.end(isChanged: true)
        #expect(!schedule.hasStopped(target: 2_000_000))
    }

    @Test func reloadStopsAfterFailingForTenSecondsOrThreeTargetDurations() {
        func failures(at times: [Int64], target: Int64, loadedAt: Int64 = -1) -> [Bool] {
            var schedule = ReloadSchedule(now: 0)
            return times.map { time in
                schedule.begin(now: time * 1_000_000)
                if time == loadedAt {
                    schedule.end(isChanged: false)
                    return false
                }
                return schedule.fail(target: target * 1_000_000)
            }
        }
        #expect(failures(at: [20, 25, 30, 31], target: 1) == [false, false, false, true])
        #expect(failures(at: [20, 31, 38, 39], target: 6) == [false, false, false, true])
        // A successful load resets the count.
        #expect(failures(at: [20, 25, 30, 31, 40, 41], target: 1, loadedAt: 25).suffix(3) == [false, false, true])
    }

    @Test func eachFailureDoublesThePauseAfterTheFirst() {
        var schedule = ReloadSchedule(now: 0)
        var time = schedule.nextTime(target: 2_000_000)
        var times: [Int64] = []
        for _ in 0..<4 {
            times.append(time)
            schedule.begin(now: time)
            _ = schedule.fail(target: 2_000_000)
            time = schedule.nextTime(target: 2_000_000)
        }
        #expect(times == [2_000_000, 3_000_000, 5_000_000, 9_000_000])
        schedule.begin(now: time)
        schedule.end(isChanged: true)
        #expect(schedule.nextTime(target: 2_000_000) == time + 2_000_000)
        for _ in 0..<1_000 { _ = schedule.fail(target: 2_000_000) }
        #expect(schedule.nextTime(target: 2_000_000) == time + 16_000_000)
    }

    @Test func interruptedReloadDoesNotCountAsFailed() {
        var schedule = ReloadSchedule(now: 0)
        for time: Int64 in 1...60 {
            schedule.begin(now: time * 1_000_000)
            schedule.interrupt()
        }
        schedule.begin(now: 61_000_000)
        let hasStopped = schedule.fail(target: 1_000_000)
        #expect(!hasStopped)
    }

    @Test func interruptedReloadIsRetriedAfterHalfATargetDuration() {
        var schedule = ReloadSchedule(now: 0)
        schedule.begin(now: 10_000_000)
        schedule.end(isChanged: true)
        schedule.begin(now: 16_000_000)
        schedule.interrupt()
        #expect(schedule.nextTime(target: 6_000_000) == 19_000_000)
    }

    @Test func theFirstSegmentIsWaitedForWithinBounds() {
        #expect(ReloadSchedule.longestWait(target: 500_000) == 15_000_000)
        #expect(ReloadSchedule.longestWait(target: 8_000_000) == 24_000_000)
        #expect(ReloadSchedule.longestWait(target: MediaPlaylist.longestTarget) == 60_000_000)
    }

    @Test(arguments: [
        "#EXTM3U\n", "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"x\",URI=\"v\"\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-ENDLIST\n",
    ])
    func aFinishedPlaylistWithoutSegmentsFailsAtOnce(text: String) throws {
        let harness = try DecoderHarness()
        harness.serve = { _ in .bytes(Array(text.utf8)) }
        try harness.start("http://live/list")
        try harness.runToEnd()
        #expect(harness.failure?.why == "its playlist has no segments")
        #expect(harness.opened.count == 1)
        #expect(harness.close())
    }

    /// Writers start a live playlist with a segment: this is the beginning of one that was cut off.
    @Test func aPlaylistFileWithoutSegmentsFailsAtOnce() throws {
        let harness = try DecoderHarness()
        harness.serve = { _ in .bytes(Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:0\n#EX".utf8)) }
        try harness.start("file:///list.m3u8")
        try harness.runToEnd()
        #expect(harness.failure?.why == "its playlist has no segments")
        #expect(harness.opened.count == 1)
        #expect(harness.close())
    }

    @Test func aPlaylistFileWithoutItsSegmentsFailsAtOnce() throws {
        let film = try ServedFilms.film(of: "fmp4")
        let harness = try DecoderHarness()
        harness.serve = { want in
            if want.url.hasSuffix("init") { return .bytes(film.header) }
            guard want.url.hasSuffix("list.m3u8") else { return .failure("no such file") }
            return .bytes(Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MAP:URI=\"init\"\n#EXTINF:1,\nnone\n".utf8))
        }
        try harness.start("file:///list.m3u8")
        try harness.runToEnd()
        #expect(harness.failure?.why.contains("no such file") == true)
        #expect(harness.close())
    }

    @Test func unstartedStreamIsAwaitedWithProgressReports() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<0)
        live.advance = {
            guard $0.loads.count > 2 else { return }
            $0.window = 0..<7
            $0.isOver = true
        }
        let harness = try DecoderHarness()
        harness.serve = live.serve
        try harness.start("http://live/list")
        try harness.run { $0.info != nil }
        #expect(harness.failure == nil && live.loads.count == 3)
        #expect(harness.bufferedCount >= 2)
        try harness.runToEnd()
        #expect(harness.pictures.count == 75)
    }

    @Test(arguments: [1, 2, 7]) func unreadableKeyIsReported(count: Int) throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<count)
        live.isOver = true
        live.tags = "#EXT-X-KEY:METHOD=AES-128,URI=\"http://keys/one\""
        let harness = try DecoderHarness()
        harness.serve = { $0.role == .key ? .failure("the server has no such file") : live.serve($0) }
        try harness.start("http://live/list")
        try harness.runToEnd()
        #expect(harness.failure?.code == .unreadable)
        #expect(harness.failure?.why == "cannot read the key of its segments: the server has no such file")
        #expect(harness.close())
    }
}

/// Playlists whose segments have discontinuous stamps.
@Suite struct RepeatedStampTests {
    @Test func streamsThatJumpAtTheSamePlaceStayTogether() {
        var stamps = StampContinuity()
        // The picture lasts 19 ms longer than the sound beside it.
        let before = [true, false].map {
            stamps.correction(of: $0, decoded: 10_000_000, duration: $0 ? 40_000 : 21_000)
        }
        let after = [true, false].map { stamps.correction(of: $0, decoded: 500_000, duration: $0 ? 40_000 : 21_000) }
        #expect(before == [0, 0] && after == [9_540_000, 9_540_000])
        // One that jumps alone follows what it had before.
        let alone = stamps.correction(of: false, decoded: -30_000_000, duration: 21_000)
        #expect(alone == 500_000 + 9_540_000 + 21_000 + 30_000_000)
    }

    @Test func repeatedSegmentsArePlayedEachTime() throws {
        var film = try ServedFilms.film(of: "ts")
        film.segments = (0..<14).map { film.segments[$0 % 7] }
        let live = LiveFilm(film, window: 0..<14)
        live.isOver = true
        let harness = try DecoderHarness()
        harness.serve = live.serve
        try harness.start("http://live/list")
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == Array(0..<75) + Array(0..<75))
        let times = harness.pictures.map(\.header.mediaTime)
        #expect(zip(times, times.dropFirst()).allSatisfy { (20_000...140_000).contains($1 - $0) })
    }

    @Test func aFileAppendedToASegmentIsReadOnlyToALimit() throws {
        let bytes = try #require(
            FileManager.default.contents(
                atPath: try Clips.make("front.mp4", "-i", try Clips.counted(), "-c", "copy", "-movflags", "+faststart"))
        )
        let harness = try DecoderHarness()
        harness.serve = { want in
            guard want.role == .media else { return .bytes(Array(bytes)) }
            let lines = (0..<200).map { "#EXTINF:2,\ns\($0)\n" }.joined()
            return .bytes(Array("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(lines)#EXT-X-ENDLIST\n".utf8))
        }
        harness.releasesUntil = 3_500_000
        try harness.start("http://live/list")
        // The second file that is shown is the one that is on after 20 s, not the last.
        try harness.run { $0.pictures.contains { $0.header.mediaTime > 3_500_000 } }
        #expect(harness.failure == nil)
        let next = try #require(harness.pictures.map(\.header.mediaTime).first { $0 > 3_500_000 })
        #expect((20_000_000...26_000_000).contains(next))
        // Ten for each of the files that are played, which fill 20 s of reading ahead; not all 200.
        #expect(harness.opened.count < 100)
        #expect(harness.close())
    }
}
