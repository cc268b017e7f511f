import Testing
import Wire

@testable import Media

/// Missing bytes while buffered media is left to play.
@Suite struct OutageTests {
    private func film() throws -> String {
        try Clips.make(
            "outage.mp4", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=20", "-f", "lavfi", "-i",
            "sine=440:r=48000:d=20",
            "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "25", "-qp", "10", "-c:a", "aac", "-movflags", "+faststart")
    }

    /// In milliseconds.
    private func pauses(of outage: inout Outage, _ count: Int, ahead: Microseconds = 60_000_000) -> [Int64] {
        (0..<count).map { _ in
            outage.begin(MediaError(.unreadable, "gone"), last: (1_000, 2_000), ahead: ahead) / 1_000
        }
    }

    @Test func pausesGrowUntilReadingGoesThrough() {
        var outage = Outage()
        #expect(pauses(of: &outage, 7) == [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
        // Little is left to play.
        #expect(pauses(of: &outage, 1, ahead: 4_000_000) == [2_000])
        outage.retry(isLast: true)
        let old = outage.has(1_000, isVideo: true)
        #expect(old && outage.isLast)
        let new = outage.has(1_001, isVideo: true)
        #expect(!new && !outage.isLast)
        #expect(pauses(of: &outage, 2) == [1_000, 2_000])
    }

    @Test func packetsThatWereReadAreDropped() {
        var outage = Outage()
        func drops(_ time: Microseconds?, isVideo: Bool) -> Bool { outage.has(time, isVideo: isVideo) }
        #expect(!drops(0, isVideo: true) && !drops(nil, isVideo: false))
        _ = pauses(of: &outage, 1)
        #expect(drops(999, isVideo: true) && drops(nil, isVideo: true) && drops(2_000, isVideo: false))
        #expect(!drops(1_001, isVideo: true))
        // That stream is past the outage; the other is not.
        #expect(!drops(999, isVideo: true) && drops(2_000, isVideo: false))
    }

    @Test func bufferedMediaPlaysBeforeTheFailure() throws {
        let harness = try DecoderHarness()
        harness.failsReadsFrom = 1_000_000
        try harness.start(film())
        try harness.run { _ in false }
        #expect(harness.failure?.code == .unreadable && harness.failure?.why == "the disk is gone")
        let end = try #require(harness.pictures.last).header.mediaTime
        #expect(harness.bufferedUntil - end < 100_000, "\(end) of \(harness.bufferedUntil)")
        let sound = try #require(harness.sounds.last)
        #expect(abs(sound.pts - end) < 150_000)
        #expect(harness.through == [0])
    }

    @Test func readingContinuesAfterAnOutage() throws {
        let harness = try DecoderHarness()
        harness.failsReadsFrom = 1_000_000
        // So that something is left to play from.
        harness.releasesUntil = 1_000_000
        try harness.start(film())
        try harness.run { $0.failedReads >= 2 }
        #expect(harness.failure == nil)
        harness.failsReadsFrom = .max
        try harness.playOn()
        try harness.runToEnd()
        let stamps = harness.pictures.map(\.header.mediaTime)
        #expect(stamps == (0..<500).map { Int64($0) * 40_000 })
    }
}
