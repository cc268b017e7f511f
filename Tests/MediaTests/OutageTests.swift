import Testing
import Wire

/// Missing bytes while buffered media is left to play.
@Suite struct OutageTests {
    private func film() throws -> String {
        try Clips.make(
            "outage.mp4", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=20", "-f", "lavfi", "-i",
            "sine=440:r=48000:d=20",
            "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "25", "-qp", "10", "-c:a", "aac", "-movflags", "+faststart")
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
