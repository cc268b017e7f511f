import Foundation
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

    private func chosen(_ width: UInt32, _ height: UInt32, fill: Bool = false, aspect: (UInt32, UInt32) = (1, 1))
        -> UInt32?
    {
        var playlist = MasterPlaylist(Array(Self.master.utf8))
        playlist?.choose(
            for: SurfaceRequest(
                generation: 1, width: width, height: height, aspectNumerator: aspect.0, aspectDenominator: aspect.1,
                fill: fill))
        return playlist?.variants.first(where: \.isChosen)?.width
    }

    @Test func theSmallestThatCoversIsChosen() {
        #expect(chosen(160, 90) == 160)
        #expect(chosen(200, 120) == 320)
        #expect(chosen(160, 120) == 160)
        #expect(chosen(160, 120, fill: true) == 320)
        // A surface whose pixels are half as wide as high shows twice as much across.
        #expect(chosen(320, 90, aspect: (1, 2)) == 320)
        #expect(chosen(400, 240) == 1_280)
        #expect(chosen(4_000, 2_000) == 1_280)
    }

    @Test func theReducedPlaylistHasOneVariantAndItsSound() throws {
        var playlist = try #require(MasterPlaylist(Array(Self.master.utf8)))
        playlist.choose(for: SurfaceRequest(generation: 1, width: 200, height: 120, fill: false))
        #expect(playlist.variants[1].why == "the smallest that covers 200x120")
        #expect(playlist.variants.map(\.bandwidth) == [900_000, 300_000, 100_000])
        #expect(
            String(decoding: playlist.reduced(), as: UTF8.self) == """
                #EXTM3U
                #EXT-X-VERSION:6
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="lo",NAME="c",DEFAULT=YES,URI="lo-de.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=320x180,CODECS="avc1.64001f,mp4a.40.2",AUDIO="lo"
                middle.m3u8

                """)
    }

    @Test(arguments: [
        "", "#EXTM3U", "#EXTM3U\n#EXTINF:2,\na.ts\n", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n",
        "#EXTM3U\n#EXT-X-STREAM-INF:", "no playlist\n#EXT-X-STREAM-INF:BANDWIDTH=1\na\n",
    ])
    func whatListsNoVariantsIsLeftAlone(text: String) {
        #expect(MasterPlaylist(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        "=,=,=\"", "BANDWIDTH=99999999999999999999,RESOLUTION=0x0", "RESOLUTION=1x2x3", "RESOLUTION=4294967297x1",
        "\",\"=\"=",
        "CODECS=\"", "RESOLUTION=65535x65535,BANDWIDTH=-5",
    ])
    func hostileAttributesDoNoHarm(attributes: String) throws {
        var playlist = try #require(
            MasterPlaylist(Array("#EXTM3U\n#EXT-X-STREAM-INF:\(attributes)\r\na.m3u8\r\n".utf8)))
        playlist.choose(for: SurfaceRequest(generation: 1, width: 9, height: 9, fill: true))
        #expect(playlist.variants.count == 1 && playlist.variants[0].isChosen)
        #expect(String(decoding: playlist.reduced(), as: UTF8.self).hasSuffix("\na.m3u8\n"))
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

    @Test func encipheredSegmentsAreDeciphered() throws {
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
