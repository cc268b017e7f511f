import Foundation
import Model
import Testing
import Wire

@testable import Media

@Suite struct PlaylistTests {
    private static let master = """
        #EXTM3U
        #EXT-X-VERSION:6
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="lo",NAME="a, b",DEFAULT=NO,AUTOSELECT=YES,URI="lo-en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="lo",NAME="c",DEFAULT=YES,URI="lo-de.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="hi",NAME="a",DEFAULT=YES,URI="hi.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=1280x720,CODECS="avc1.64001f,mp4a.40.2",AUDIO="hi"
        large.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=320x180,CODECS="avc1.64001f,mp4a.40.2",AUDIO="lo"
        middle.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=160x90,AUDIO="lo"
        small.m3u8
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9000,URI="keys.m3u8"

        """

    private func choice(_ master: String = master) throws -> VariantChoice {
        let playlist = try #require(MasterPlaylist(Array(master.utf8), base: "http://a/b/c.m3u8"))
        return VariantChoice(playlist.variants, usable: playlist.places.map { $0.url != nil })
    }

    private func chosen(
        _ width: UInt32, _ height: UInt32, fit: PictureFit = .fit, aspect: (UInt32, UInt32) = (1, 1)
    ) throws -> (width: UInt32, why: String) {
        var choice = try choice()
        choice.surface = SurfaceRequest(
            generation: 1, width: width, height: height, aspectNumerator: aspect.0, aspectDenominator: aspect.1,
            fit: fit)
        let decision = choice.start(isCold: false)
        return ([1_280, 320, 160][decision.index], decision.why)
    }

    @Test func theSmallestThatCoversIsChosen() throws {
        #expect(try chosen(160, 90).width == 160)
        #expect(try chosen(200, 120).width == 320)
        #expect(try chosen(160, 120).width == 160)
        #expect(try chosen(160, 120, fit: .fill).width == 320)
        // On a surface whose pixels are half as wide as high, a wider variant is needed.
        #expect(try chosen(320, 90, aspect: (1, 2)).width == 320)
        #expect(try chosen(400, 240).width == 1_280)
        #expect(try chosen(4_000, 2_000).width == 1_280)
        #expect(try chosen(200, 120).why == "the smallest covering 200x120")
        #expect(try chosen(4_000, 2_000).why == "the largest: none covers 4000x2000")
    }

    @Test func variantsAndTheirSoundHaveTheirPlaces() throws {
        let playlist = try #require(MasterPlaylist(Array(Self.master.utf8), base: "http://a/b/c.m3u8?q"))
        #expect(playlist.variants.map(\.bandwidth) == [900_000, 300_000, 100_000])
        #expect(playlist.places.map(\.url) == ["large", "middle", "small"].map { "http://a/b/\($0).m3u8" })
        #expect(playlist.places.map(\.soundURL) == ["hi", "lo-de", "lo-de"].map { "http://a/b/\($0).m3u8" })
    }

    @Test(arguments: [
        "", "#EXTM3U", "#EXTM3U\n#EXTINF:2,\na.ts\n", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n",
        "#EXTM3U\n#EXT-X-STREAM-INF:", "no playlist\n#EXT-X-STREAM-INF:BANDWIDTH=1\na\n",
    ])
    func playlistWithoutVariantsIsNotAMasterPlaylist(text: String) {
        #expect(MasterPlaylist(Array(text.utf8), base: "http://a/") == nil)
    }

    @Test(arguments: [
        "=,=,=\"", "BANDWIDTH=99999999999999999999,RESOLUTION=0x0", "RESOLUTION=1x2x3", "RESOLUTION=4294967297x1",
        "\",\"=\"=",
        "CODECS=\"", "RESOLUTION=65535x65535,BANDWIDTH=-5",
    ])
    func hostileAttributesDoNotTrap(attributes: String) throws {
        var choice = try choice("#EXTM3U\n#EXT-X-STREAM-INF:\(attributes)\r\na.m3u8\r\n")
        choice.surface = SurfaceRequest(generation: 1, width: 9, height: 9, fit: .fill)
        #expect(choice.start(isCold: true).index == 0)
    }

    /// Three variants of 20 pictures each.
    private func variants() throws -> String {
        var text = "#EXTM3U\n"
        for (width, height) in [(640, 360), (160, 90), (320, 180)] {
            _ = try Clips.make(
                "v\(width).m3u8",
                list: [
                    "-f", "lavfi", "-i", "testsrc2=s=\(width)x\(height):r=25:d=0.8", "-c:v", "libx264", "-pix_fmt",
                    "yuv420p",
                    "-hls_playlist_type", "vod",
                ])
            text += "#EXT-X-STREAM-INF:BANDWIDTH=\(width * 1_000),RESOLUTION=\(width)x\(height)\nv\(width).m3u8\n"
        }
        return try Clips.write("master.m3u8", Array(text.utf8))
    }

    @Test func onlyTheChosenVariantIsOpened() throws {
        let harness = try DecoderHarness.open(try variants(), width: 200, height: 120)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.info?.variants.map(\.isChosen) == [false, false, true])
        #expect(harness.info?.displayWidth == 320)
        #expect(harness.pictures.count == 20)
        #expect(!harness.opened.contains { $0.contains("v640") || $0.contains("v160") })
    }

    @Test func encryptedSegmentsAreDecrypted() throws {
        let key = try Clips.write("film.key", (0..<16).map { UInt8($0 * 7 + 1) })
        let info = try Clips.write("film.keyinfo", Array("film.key\n\(key)\n00112233445566778899aabbccddeeff\n".utf8))
        let path = try Clips.make(
            "secret.m3u8", "-i", try Clips.counted(), "-c", "copy", "-hls_time", "0.5", "-hls_playlist_type", "vod",
            "-hls_key_info_file", info)
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.pictures.count == 75)
        #expect(harness.opened.contains { $0.hasSuffix("film.key") })
    }
}
