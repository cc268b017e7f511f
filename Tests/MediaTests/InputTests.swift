import Foundation
import TestSupport
import Testing
import Wire

@Suite struct InputTests {
    private func colours(_ harness: DecoderHarness) throws -> [UInt32] {
        let picture = try #require(harness.pictures.first)
        let (width, height) = (Int(picture.header.width), Int(picture.header.height))
        return [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            // Compares the highest bit of each colour, because encoders are not exact.
            picture.pixels[height * y / 4 * width + width * x / 4] & 0x80_8080
        }
    }

    private let upright: [UInt32] = [0x80_0000, 0x00_8000, 0x00_0080, 0x80_8080]

    @Test(arguments: ["yuv420p", "yuv420p10le", "yuv444p"])
    func quadrantsHaveTheirColours(format: String) throws {
        let path = try Clips.quadrants("quad-\(format).mkv", ["-c:v", "ffv1", "-pix_fmt", format])
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        #expect(try colours(harness) == upright)
    }

    @Test func anIndexAtTheEndIsReadWithoutRanges() throws {
        let harness = try DecoderHarness()
        harness.isSeekable = false
        try harness.start(try Clips.counted())
        try harness.runToEnd()
        #expect(harness.pictures.count == 75 && harness.failure == nil)
    }

    /// As from a server that sends chunks, or parts of `bytes 0-99/*`.
    @Test(arguments: [true, false]) func readsIndexAtAnUnknownEnd(isSeekable: Bool) throws {
        let harness = try DecoderHarness()
        (harness.isSeekable, harness.hidesLength) = (isSeekable, true)
        try harness.start(try Clips.counted())
        try harness.runToEnd()
        #expect(harness.pictures.count == 75 && harness.failure == nil)
        #expect(harness.info?.isSeekable == true)
    }

    @Test func completeFileLoopsAndSeeks() throws {
        let front = try Clips.make(
            "front-counted.mp4",
            list: ["-i", try Clips.counted(), "-c", "copy", "-movflags", "+faststart"])
        let other = try Clips.make(
            "front-counted.mkv", list: ["-i", try Clips.counted(), "-c:v", "ffv1", "-c:a", "copy"])
        for path in [front, other] {
            let harness = try DecoderHarness()
            (harness.isSeekable, harness.hidesLength, harness.reportsLengthAtEnd) = (false, true, true)
            try harness.start(path, loop: true)
            try harness.run { $0.pictures.count > 160 }
            #expect(harness.failure == nil && harness.info?.isSeekable == false)
            #expect(harness.order.contains("seekable"))
            #expect(harness.pictures.prefix(150).map { SeekingTests.number($0.pixels) } == (0..<150).map { $0 % 75 })
            try harness.channel.send(.seek(serial: 3, time: 1_000_000, mode: .exact))
            try harness.run { $0.pictures.last?.header.serial == 3 }
            let first = harness.pictures.first { $0.header.serial == 3 }
            #expect(first.map { SeekingTests.number($0.pixels) } == 25)
            #expect(harness.close())
        }
    }

    @Test func rotationInMetadataIsApplied() throws {
        let flat = try Clips.quadrants("flat.mp4", ["-c:v", "libx264"])
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: flat)))
        // The matrix stands 44 bytes into the track's header (ISO 14496-12, 8.3.2): a quarter clockwise is 0 1 -1 0.
        let header = try #require(bytes.indices.dropLast(80).first { Array(bytes[$0..<$0 + 4]) == Array("tkhd".utf8) })
        let matrix: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0]
        bytes.replaceSubrange(header + 44..<header + 64, with: matrix)
        let path = try Clips.write("turned.mp4", bytes)
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        #expect(harness.info?.rotation == 90)
        #expect(harness.info?.displayWidth == 120 && harness.info?.displayHeight == 160)
        // Turned clockwise by a quarter: the bottom left is now at the top left.
        #expect(try colours(harness) == [upright[2], upright[0], upright[3], upright[1]])
    }

    /// A display matrix, how far it turns, and which quadrant of the coded picture comes where.
    struct Placing: Sendable {
        var matrix: [Int]
        var degrees: UInt32
        var order: [Int]

        /// Those that mirror, as front cameras do, and two that only turn.
        static let all = [
            Placing(matrix: [-1, 0, 0, 1], degrees: 0, order: [1, 0, 3, 2]),
            Placing(matrix: [1, 0, 0, -1], degrees: 180, order: [2, 3, 0, 1]),
            Placing(matrix: [0, -1, -1, 0], degrees: 90, order: [3, 1, 2, 0]),
            Placing(matrix: [0, 1, 1, 0], degrees: 270, order: [0, 2, 1, 3]),
            Placing(matrix: [-1, 0, 0, -1], degrees: 180, order: [3, 2, 1, 0]),
            Placing(matrix: [0, -1, 1, 0], degrees: 270, order: [1, 3, 0, 2]),
        ]
    }

    @Test(arguments: Placing.all) func mirroredPicturesAreMirrored(placing: Placing) throws {
        let (matrix, order) = (placing.matrix, placing.order)
        let flat = try Clips.quadrants("flat.mp4", ["-c:v", "libx264"])
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: flat)))
        let header = try #require(bytes.indices.dropLast(80).first { Array(bytes[$0..<$0 + 4]) == Array("tkhd".utf8) })
        func fixed(_ value: Int) -> [UInt8] { value < 0 ? [255, 255, 0, 0] : [0, UInt8(value), 0, 0] }
        let numbers = [matrix[0], matrix[1], 0, matrix[2], matrix[3]]
        bytes.replaceSubrange(header + 44..<header + 64, with: numbers.flatMap(fixed))
        let name = "mirrored" + matrix.map { "\($0)" }.joined(separator: "_") + ".mp4"
        let harness = try DecoderHarness.open(try Clips.write(name, bytes))
        try harness.runToEnd()
        #expect(harness.info?.rotation == placing.degrees)
        #expect(try colours(harness) == order.map { upright[$0] })
    }

    @Test func surfaceAspectNarrowsAndFillCovers() throws {
        let path = try Clips.quadrants("quad-odd.mkv", ["-c:v", "ffv1", "-s", "159x119"])
        let narrow = try DecoderHarness.open(path, width: 100, height: 100, aspect: (2, 1))
        try narrow.runToEnd()
        #expect(try narrow.picture(0).header.width == 67 && narrow.picture(0).header.height == 100)
        let full = try DecoderHarness.open(path, width: 31, height: 77, fit: .fill)
        try full.runToEnd()
        #expect(try full.picture(0).header.width == 31 && full.picture(0).header.height == 77)
        #expect(try full.picture(0).header.stride == 32)
        #expect(try colours(full) == upright)
    }

    @Test func aNewSurfaceGetsTheSamePicturesAgain() throws {
        let harness = try DecoderHarness.open(try Clips.counted())
        harness.releases = false
        try harness.run { $0.pictures.count == 12 }
        try harness.channel.send(.surface(SurfaceRequest(generation: 2, width: 20, height: 20, fit: .fit)))
        for picture in harness.pictures { try harness.channel.send(.release(slots: [picture.header.slot])) }
        try harness.run { $0.pictures.count == 24 }
        let again = harness.pictures.dropFirst(12).map(\.header)
        #expect(again.allSatisfy { $0.generation == 2 && $0.width == 20 })
        #expect(again.map(\.pts) == harness.pictures.prefix(12).map(\.header.pts))
    }

    @Test func aStillIsOnePictureAndTheEnd() throws {
        let path = try Clips.quadrants("still.png", ["-frames:v", "1", "-pix_fmt", "rgb24"])
        let harness = try DecoderHarness.open(path, loop: true)
        try harness.runToEnd()
        #expect(harness.info?.isStill == true)
        #expect(harness.pictures.count == 1)
        #expect(try colours(harness) == upright)
    }

    @Test func otherFilesFailInOneLine() throws {
        let path = try Clips.write("text.mp4", Array("this is no film, whatever its name says\n".utf8))
        let harness = try DecoderHarness.open(path)
        try harness.run { _ in false }
        #expect(harness.failure?.code == .notMedia)
        #expect(harness.failureDetail == "not a media file, or an unsupported format: invalid data")
        #expect(harness.close())
    }

    /// libav has demuxers that read whatever other files a text names.
    @Test(arguments: [
        "ffconcat version 1.0\nfile counted.mp4\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
        "# VobSub index file, v7\nsize: 720x480\nid: en, index: 0\ntimestamp: 00:00:01:000, filepos: 000000000\n",
        "<?xml version=\"1.0\"?><!DOCTYPE MPD><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" profiles=\"urn:mpeg:dash:profile:isoff-live:2011\"><Period/></MPD>",
        ";FFMETADATA1\ntitle=x\n", "\u{1B}[31mtext\u{1B}[0m\n",
    ])
    func libavOpensNoReferencedFiles(text: String) throws {
        _ = try Clips.counted()
        for name in ["list.mp4", "list.%d.jpg", "list.ffconcat", "list.mpd", "list.sdp", "list.idx", "list.txt"] {
            let harness = try DecoderHarness.open(try Clips.write(name, Array(text.utf8)))
            try harness.run { _ in false }
            #expect(harness.failure?.code == .notMedia, "\(name)")
            #expect(harness.opened.count == 1)
        }
    }

    /// libav has demuxers that take anything, by the ending of its name.
    @Test(arguments: ["g722", "gsm"]) func headerlessFormatsAreRejected(ending: String) throws {
        var random = SeededRandom(state: 5)
        let noise = (0..<65_536).map { _ in UInt8.random(in: 0...255, using: &random) }
        let harness = try DecoderHarness.open(try Clips.write("noise.\(ending)", noise))
        try harness.run { !$0.ended.isEmpty }
        #expect(harness.failure?.code == .notMedia)
    }

    @Test func namesOfManyFilesAreOneFile() throws {
        let harness = try DecoderHarness()
        let picture = try Array(Data(contentsOf: URL(fileURLWithPath: Clips.quadrants("one.jpg", ["-frames:v", "1"]))))
        harness.serve = { _ in .bytes(picture) }
        try harness.start("https://example.org/frame%03d.jpg")
        try harness.runToEnd()
        #expect(harness.failure == nil && harness.pictures.count == 1)
        #expect(harness.opened == ["https://example.org/frame%03d.jpg"])
    }

    @Test func unreadableFileFailsWithFlicksMessage() throws {
        let harness = try DecoderHarness.open("/nowhere/at/all.mp4")
        try harness.run { _ in false }
        #expect(harness.failure?.code == .unreadable)
        #expect(harness.failure?.why == "no such file")
    }

    /// libav only reports "Invalid data" if it could not read an index at the end.
    @Test(arguments: [Int64(0), 65_536])
    func readErrorWhileOpeningShowsFlicksMessage(place: Int64) throws {
        let path = try Clips.make("index-last.mp4", "-f", "lavfi", "-i", "testsrc2=s=640x360:d=2", "-c:v", "libx264")
        let harness = try DecoderHarness()
        harness.failsReadsFrom = place
        try harness.start(path)
        try harness.run { _ in false }
        #expect(harness.failure?.code == .unreadable)
        #expect(harness.failure?.why == "the disk is gone")
    }

    @Test(arguments: 0..<12)
    func damagedClipsEndOrFailButNeverCrash(seed: Int) throws {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: Clips.counted())))
        try #require(!bytes.isEmpty)
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<(seed * 20) {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            bytes[Int(state >> 33) % bytes.count] ^= 1 << UInt8(state >> 20 & 7)
        }
        if seed % 3 == 0 { bytes.removeLast(bytes.count / 3) }
        let harness = try DecoderHarness.open(try Clips.write("spoilt\(seed).mp4", bytes))
        try harness.run { !$0.ended.isEmpty }
        #expect(!harness.ended.isEmpty || harness.failure != nil)
        #expect(harness.close())
    }

    @Test(arguments: ["mpegts", "fmp4"])
    func playlistsOfSegmentsPlayWithReadsThroughFlickOnly(kind: String) throws {
        let path = try Clips.make(
            "list-\(kind).m3u8", "-i", try Clips.counted(), "-c", "copy", "-hls_time", "0.5", "-hls_playlist_type",
            "vod",
            "-hls_segment_type", kind, "-hls_fmp4_init_filename", "init-\(kind).mp4")
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.pictures.count == 75)
        #expect(harness.opened.count > 3)
    }

    @Test func aPlaylistOfTransportStreamsLoops() throws {
        let path = try Clips.make(
            "round.m3u8", "-i", try Clips.counted(), "-c", "copy", "-hls_time", "0.5", "-hls_playlist_type", "vod")
        let harness = try DecoderHarness.open(path, loop: true)
        try harness.run { $0.pictures.count > 160 || $0.failure != nil || !$0.ended.isEmpty }
        #expect(harness.failure == nil && harness.ended.isEmpty)
        #expect(harness.pictures.count > 160)
    }
}
