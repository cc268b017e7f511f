import Testing
import Wire

/// Cameras that send JPEGs one after the other (multipart/x-mixed-replace).
@Suite struct CameraTests {
    @Test func multipartOfJPEGsPlays() throws {
        let path = try Clips.make(
            "camera.mpjpeg", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=3", "-c:v", "mjpeg", "-f", "mpjpeg")
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        #expect(harness.failure == nil, "\(harness.failureDetail)")
        #expect(harness.pictures.count == 30)
    }

    @Test func picturesOfACameraAreShownWhenTheyCome() throws {
        let path = try Clips.make(
            "camera.mpjpeg", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=3", "-c:v", "mjpeg", "-f", "mpjpeg")
        let harness = try DecoderHarness()
        (harness.hidesLength, harness.isSeekable, harness.delaysReads) = (true, false, true)
        try harness.start(path)
        let began = ContinuousClock.now
        while harness.ended.isEmpty {
            try harness.run { !$0.delayedReads.isEmpty || !$0.ended.isEmpty }
            // Less than a picture at a time.
            while let read = harness.delayedReads.popLast() { try harness.answer(read.id, read.offset, 700) }
        }
        let took = (ContinuousClock.now - began) / .microseconds(1)
        let stamps = harness.pictures.map(\.header.pts)
        #expect(stamps.count > 20)
        #expect(stamps.first == 0 && zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 }, "\(stamps)")
        #expect(Double(stamps.last ?? 0) < took)
    }

    @Test func unsupportedFormatIsReportedInPlainWords() throws {
        // libav has a demuxer for it, which flick does not let it use.
        let path = try Clips.write("list.ffconcat", Array("ffconcat version 1.0\nfile a.mp4\n".utf8))
        let harness = try DecoderHarness.open(path)
        try harness.run { _ in false }
        #expect(harness.failure?.code == .notMedia)
        #expect(!harness.failureDetail.contains("libav") && !harness.failureDetail.contains("-22"))
    }
}
