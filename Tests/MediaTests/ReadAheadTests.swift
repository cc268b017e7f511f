import Foundation
import Testing
import Wire

@testable import Media

/// How far a clip from a network is read ahead while it is in view.
@Suite struct ReadAheadTests {
    private static let second: Microseconds = 1_000_000

    // MARK: The rule

    /// The read-ahead earned by `played` seconds, in seconds.
    private static func earned(_ played: Double) -> Double {
        let since = max(0, played - 3)
        return since * since / 11
    }

    @Test func readAheadGrowsWithTheSquareOfPlayedTimeAfterThreeSeconds() {
        var growth = ReadAheadGrowth()
        // Twenty pictures were decoded before the clip came into view.
        growth.note(isWatched: false, taken: 800_000)
        let times = [0, 0, 3, 5.75, 8.5, 14, 18, 1e9].map { played in
            growth.note(isWatched: true, taken: 800_000 + Microseconds(played * 1_000_000))
            return growth.time(link: 8_000_000, bits: 700_000)
        }
        let expected: [Microseconds] = [
            400_000, 400_000, 400_000, 1_087_500, 3_150_000, 11_400_000, 20_000_000, 20_000_000,
        ]
        #expect(times == expected)
    }

    @Test func slowSegmentsAreRequestedEarlier() {
        let times = [(8_000_000, 2), (2_000_000, 2), (2_000_000, 6), (2_000_000, 60)].map { link, segment in
            ReadAheadGrowth().time(link: Int64(link), bits: 1_000_000, segment: Microseconds(segment) * Self.second)
        }
        let expected: [Microseconds] = [500_000, 2_000_000, 6_000_000, 20_000_000]
        #expect(times == expected)
    }

    @Test func clipBackInViewRestartsItsReadAhead() {
        var growth = ReadAheadGrowth()
        growth.note(isWatched: true, taken: 9_000_000)
        #expect(growth.played == 9_000_000)
        growth.note(isWatched: false, taken: 9_100_000)
        growth.note(isWatched: true, taken: 9_100_000)
        #expect(growth.time(link: 8_000_000, bits: 700_000) == ReadAheadGrowth.least)
    }

    @Test(
        arguments: [
            (1_399_999, 700_000, ReadAheadGrowth.most), (1_400_000, 700_000, ReadAheadGrowth.least),
            (0, 700_000, ReadAheadGrowth.most), (0, 0, ReadAheadGrowth.most), (9_000_000, 0, ReadAheadGrowth.unknown),
            (.max, 1, ReadAheadGrowth.least), (1, .max, ReadAheadGrowth.most),
        ] as [(Int64, Int64, Microseconds)])
    func allOfItHoldsFromTheBeginningWhereTheLinkIsSlowOrUnknown(link: Int64, bits: Int64, time: Microseconds) {
        #expect(ReadAheadGrowth().time(link: link, bits: bits) == time)
    }

    @Test func rateCoversRecentReads() {
        var rate = ReadRate()
        for _ in 0..<24 { rate.read(bytes: 4_000, time: 40_000) }
        #expect(rate.bits == 0)
        rate.read(bytes: 4_000, time: 40_000)
        #expect(rate.bits == 800_000)
        // A jump is not read through, nor one back.
        rate.read(bytes: 0, time: 60_000_000)
        rate.read(bytes: 0, time: -3_000_000)
        #expect(rate.bits == 800_000)
        // A minute of twice the rate.
        for _ in 0..<1_500 { rate.read(bytes: 8_000, time: 40_000) }
        #expect((1_500_000...1_600_000).contains(rate.bits))
    }

    /// Where in the clip it steps up, if segments last `segment` and the link is
    /// `speed` times as fast as the first variant. Reads and plays in steps of 10 ms.
    private func stepUp(segment: Microseconds, speed: Double, grows: Bool) -> Microseconds? {
        let bits: Int64 = 700_000
        let link = Int64(Double(bits) * speed)
        var choice = VariantChoice(
            [bits, Int64(Double(link) * 0.69)].map { MediaInfo.Variant(bandwidth: $0) }, usable: [true, true])
        choice.link = link
        choice.maxBits = bits
        _ = choice.start(isCold: true)
        var growth = ReadAheadGrowth()
        // Out of view it was read two seconds ahead.
        var (read, played): (Microseconds, Microseconds) = (2_000_000, 0)
        while played < 60_000_000 {
            growth.note(isWatched: true, taken: played)
            let limit = grows ? growth.time(link: link, bits: bits, segment: segment) : ReadAheadGrowth.most
            var budget = Microseconds(10_000 * speed)
            while budget > 0, read - played < limit {
                let part = min(budget, segment - read % segment)
                read += part
                budget -= part
                guard read % segment == 0 else { continue }
                let next = choice.next(
                    buffered: read - played, of: limit, played: played, isWatched: true, now: played)
                if next != nil { return read }
            }
            played += 10_000
        }
        return nil
    }

    @Test func theStepUpComesNoLaterThanIfAllOfItHeldFromTheBeginning() throws {
        for segment in 1...10 {
            for speed in [1.9, 2, 2.5, 4, 8, 40] {
                let length = Microseconds(segment) * ReadAheadTests.second
                let before = try #require(stepUp(segment: length, speed: speed, grows: false))
                let now = try #require(stepUp(segment: length, speed: speed, grows: true))
                #expect(now <= before, "segments of \(segment) s, link \(speed) times as fast")
                // Nor so early that who leaves soon has it fetched.
                #expect(now >= 10_000_000, "segments of \(segment) s, link \(speed) times as fast")
            }
        }
    }

    // MARK: Played

    /// A clip of 24 s in segments of two seconds that was opened ahead, and is turned to. It plays up to `until`.
    private func turned(to path: String, link: Int64, until: Microseconds) throws -> DecoderHarness {
        let harness = try DecoderHarness()
        // Played as fast as it can be, the sound would be read on for.
        harness.grants = false
        harness.releasesUntil = 0
        harness.releasesOneByOne = true
        try harness.channel.send(.link(bitsPerSecond: link))
        try harness.channel.send(.warm(time: 2_000_000, bitsPerSecond: 750_000))
        try harness.start(path, width: 128, height: 96)
        try harness.run { $0.pictures.count == 3 && $0.bufferedUntil > 1_900_000 }
        harness.releasesUntil = until
        try harness.channel.send(.watched)
        try harness.channel.send(.release(slots: harness.pictures.map(\.header.slot)))
        return harness
    }

    private static func list() throws -> String {
        _ = try VariantTests.master("mpegts")
        return "\(Clips.folder)/ladder-mpegts-128.m3u8"
    }

    /// Where the last segment begins that was opened, or announced.
    private func reach(_ harness: DecoderHarness) -> Microseconds {
        (harness.wants + harness.expected).filter { $0.role == .segment || $0.role == .liveSegment }.map(\.from).max()
            ?? 0
    }

    @Test(arguments: [true, false]) func segmentReadAheadFollowsPlayedTime(isMaster: Bool) throws {
        let path = try isMaster ? VariantTests.master("mpegts") : ReadAheadTests.list()
        let harness = try turned(to: path, link: 8_000_000, until: 8_000_000)
        // Less than half a second after what was decoded, and what was earned.
        var furthest = -Double.infinity
        try harness.run {
            let decoded = Double($0.pictures.last?.header.mediaTime ?? 0) / 1_000_000
            furthest = max(furthest, Double(reach($0)) / 1_000_000 - decoded - Self.earned(decoded))
            return $0.bufferedUntil > 11_000_000
        }
        #expect(furthest < 1)
        // It is played up to 8 s and what the slots hold.
        #expect(harness.pictures.last.map { $0.header.mediaTime < 8_600_000 } == true)
    }

    /// Of 16 s.
    private static func file() throws -> String {
        try Clips.make(
            "read-ahead.mp4",
            list: [
                "-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=16", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g",
                "50", "-preset", "veryfast", "-bf", "0", "-movflags", "+faststart",
            ])
    }

    /// Of a local file (no link) 200 packets are read ahead, which are up to eight seconds here.
    @Test(arguments: [(8_000_000, 0...2), (0, 4...9)] as [(Int64, ClosedRange<Double>)])
    func fileReadAheadFollowsPlayedTime(link: Int64, ahead: ClosedRange<Double>) throws {
        let harness = try turned(to: try ReadAheadTests.file(), link: link, until: 8_000_000)
        var furthest = -Double.infinity
        try harness.run {
            let decoded = Double($0.pictures.last?.header.mediaTime ?? 0) / 1_000_000
            furthest = max(furthest, Double($0.bufferedUntil) / 1_000_000 - decoded - Self.earned(decoded))
            return $0.bufferedUntil > 10_000_000
        }
        #expect(ahead.contains(furthest))
    }

    @Test func seekKeepsTheEarnedReadAhead() throws {
        let harness = try turned(to: try ReadAheadTests.list(), link: 8_000_000, until: 8_000_000)
        try harness.run { $0.bufferedUntil > 11_000_000 }
        (harness.wants, harness.expected) = ([], [])
        harness.delaysReads = true
        try harness.channel.send(.seek(serial: 1, time: 16_000_000, mode: .exact))
        // Almost three seconds from there.
        try harness.run { reach($0) >= 17_900_000 }
    }

    /// Seeks after `turned`, until the picture is there. No slot is left to pictures from before.
    private func seek(_ harness: DecoderHarness, to place: Microseconds, serial: UInt32) throws {
        harness.sought = serial
        try harness.channel.send(.seek(serial: serial, time: place, mode: .exact))
        // The first three were released by `turned`.
        let held = harness.pictures.filter { $0.header.serial == serial - 1 }.dropFirst(serial == 1 ? 3 : 0)
        try harness.channel.send(.release(slots: held.map(\.header.slot)))
        harness.pictures = []
        try harness.run { $0.pictures.last?.header.serial == serial }
    }

    @Test func skippedTimeDoesNotCountAsPlayed() throws {
        let harness = try turned(to: try ReadAheadTests.list(), link: 8_000_000, until: 0)
        try harness.run { $0.pictures.count > 3 }
        // Each but the last skips 1.4 s, to a picture that is far from its key picture.
        let places: [Microseconds] = [3_900_000, 5_900_000, 3_900_000, 5_900_000, 3_900_000, 2_000_000]
        for (index, place) in places.enumerated() {
            if place == places.last { (harness.wants, harness.expected) = ([], []) }
            try seek(harness, to: place, serial: UInt32(index) + 1)
        }
        // Each seek has played half a second before its picture, and as much as
        // the slots hold: too little to earn anything.
        #expect(reach(harness) < 5_900_000)
    }

    /// Else the clip seems to need less than it does, and the link to have plenty of room.
    @Test func bytesSkippedBySeekDoNotAffectTheRate() throws {
        let path = try ReadAheadTests.file()
        let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 ?? 0
        let harness = try turned(to: path, link: bytes * 8 / 16 * 3 / 2, until: 0)
        for (index, place) in [4_000_000, 8_000_000, 12_000_000].enumerated() {
            try seek(harness, to: Microseconds(place), serial: UInt32(index) + 1)
        }
        try harness.run { $0.bufferedUntil > 15_000_000 }
    }

    @Test func aSlowLinkIsReadAheadInFullFromTheBeginning() throws {
        let harness = try turned(to: try VariantTests.master("mpegts"), link: 1_000_000, until: 200_000)
        try harness.run { $0.bufferedUntil > 12_000_000 }
        #expect(harness.variants.map(\.index) == [0])
    }

    @Test func seekDoesNotLowerTheVariant() throws {
        let harness = try turned(to: try VariantTests.master("mpegts"), link: 8_000_000, until: 8_000_000)
        try harness.run { $0.bufferedUntil > 11_000_000 }
        try harness.channel.send(.seek(serial: 1, time: 18_000_000, mode: .exact))
        try harness.channel.send(.release(slots: harness.pictures.map(\.header.slot).suffix(1)))
        try harness.run { $0.pictures.last?.header.serial == 1 }
        #expect(harness.variants.map(\.index) == [0])
    }

    @Test func liveStreamIsReadToTheEndOfItsPlaylist() throws {
        let live = LiveFilm(try ServedFilms.film(at: try ReadAheadTests.list()), window: 0..<12)
        live.target = 3
        let harness = try DecoderHarness()
        harness.serve = live.serve
        harness.grants = false
        harness.releasesUntil = 200_000
        try harness.channel.send(.link(bitsPerSecond: 8_000_000))
        try harness.start("http://live/list")
        try harness.run { $0.bufferedUntil > 7_000_000 }
        #expect(harness.pictures.last.map { $0.header.mediaTime < 1_000_000 } == true)
    }
}
