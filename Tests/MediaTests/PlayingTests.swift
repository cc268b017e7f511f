import Testing
import Wire

@Suite struct PlayingTests {
    @Test func helloThenOpenedThenPicturesAndSoundToTheEnd() throws {
        let harness = try DecoderHarness.open(try Clips.counted())
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.order.prefix(2) == ["hello", "opened"])
        #expect(harness.pictures.count == 75)
        #expect(harness.pictures.map(\.header.pts) == (0..<75).map { $0 * 40_000 })
        #expect(harness.pictures.allSatisfy { $0.header.width == 64 && $0.header.height == 48 })
        let frames = harness.sounds.reduce(0) { $0 + $1.samples.count / 2 }
        #expect(frames == 144_000)
        #expect(harness.close())
    }

    /// Ten seconds of large pictures with sound.
    private func longClip() throws -> String {
        try Clips.make(
            "long.mp4", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=10", "-f", "lavfi", "-i",
            "sine=440:r=48000:d=10", "-pix_fmt", "yuv420p", "-g", "25", "-t", "10")
    }

    @Test func preloadedClipDecodesThreePicturesAndContinuesOnceWatched() throws {
        let harness = try DecoderHarness()
        harness.releases = false
        harness.grants = false
        try harness.channel.send(.warm(time: 1_500_000, bitsPerSecond: 750_000))
        try harness.start(try longClip())
        // A second of sound is what it may send: once it has come, no picture follows.
        try harness.run { $0.sounds.reduce(0) { $0 + $1.samples.count / 2 } == 48_000 && $0.bufferedUntil > 1_000_000 }
        #expect(harness.pictures.count == 3)
        #expect(harness.bufferedUntil < 2_000_000)
        // What is released out of view was not looked at.
        try harness.channel.send(.release(slots: [harness.pictures[0].header.slot]))
        try harness.run { $0.pictures.count == 4 }
        harness.releases = true
        try harness.channel.send(.watched)
        try harness.channel.send(.release(slots: [harness.pictures[1].header.slot]))
        try harness.run { $0.pictures.count >= 40 && $0.bufferedUntil > 2_000_000 }
        #expect(harness.failure == nil)
        #expect(harness.close())
    }

    @Test func withoutItsSoundItIsReadAheadNoFurther() throws {
        _ = try VariantTests.master("mpegts")
        let harness = try DecoderHarness()
        harness.releases = false
        try harness.channel.send(.warm(time: 2_000_000, bitsPerSecond: 750_000))
        try harness.start("\(Clips.folder)/ladder-mpegts-128.m3u8", width: 128, height: 96, sound: false)
        try harness.run { $0.pictures.count == 3 }
        var furthest: Int64 = 0
        // Between two pictures it has time to read.
        for round in 0..<100 {
            try harness.channel.send(.release(slots: [harness.picture(round).header.slot]))
            try harness.run { $0.pictures.count == round + 4 }
            let segments = (harness.wants + harness.expected).filter { $0.role == .segment }.map(\.from)
            furthest = max(furthest, try (segments.max() ?? 0) - harness.picture(round + 3).header.mediaTime)
        }
        #expect(furthest <= 2_500_000)
        #expect(harness.close())
    }

    @Test func endOfPicturesIsReportedBeforeEndOfSound() throws {
        let clip = try Clips.make(
            "long-sound.mp4", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-f", "lavfi", "-i",
            "sine=440:r=48000:d=3", "-pix_fmt", "yuv420p")
        for loops in [false, true] {
            let harness = try DecoderHarness.open(clip, loop: loops)
            try harness.run { loops ? $0.pictures.count > 60 : !$0.ended.isEmpty }
            let places = harness.order.indices.filter { harness.order[$0] == "through" }
            #expect(harness.through == Array(repeating: 0, count: loops ? 2 : 1))
            // After the 25 pictures of a round, before its last sound.
            let first = try #require(places.first)
            #expect(harness.order[..<first].count { $0 == "picture" } == 25)
            #expect(harness.order[first...].contains("sound"))
            #expect(harness.close())
        }
    }
}
