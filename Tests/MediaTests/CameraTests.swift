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

    @Test func unsupportedFormatIsReportedInPlainWords() throws {
        // libav has a demuxer for it, which flick does not let it use.
        let path = try Clips.write("list.ffconcat", Array("ffconcat version 1.0\nfile a.mp4\n".utf8))
        let harness = try DecoderHarness.open(path)
        try harness.run { _ in false }
        #expect(harness.failure?.code == .notMedia)
        #expect(!harness.failureDetail.contains("libav") && !harness.failureDetail.contains("-22"))
    }
}
