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
}
