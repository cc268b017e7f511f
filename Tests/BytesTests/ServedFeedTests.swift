import TestSupport
import Testing

/// Other players can play the clips that are served to the tests.
@Suite struct ServedFeedTests {
    @Test(arguments: ServedFeed.Clip.allCases.filter { $0 != .live })
    func everyClipHasTwelveSecondsOfPictureAndSound(_ clip: ServedFeed.Clip) throws {
        let feed = try ServedFeed(server: FaultyServer())
        let result = try Command.run([
            "ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=codec_type,nb_read_packets", "-of",
            "csv=p=0", feed.url(of: clip),
        ])
        #expect(result.output.contains("video,360\n") && result.output.contains("audio,"), "\(result)")
    }

    @Test func theVariantsHaveTheirBitRates() throws {
        let feed = try ServedFeed(server: FaultyServer())
        for (number, (_, _, rate)) in ServedClips.variants.enumerated() {
            feed.server.resetCounts()
            _ = try Command.run(["ffprobe", "-v", "error", "-count_packets", feed.server.url("/ts/\(number).m3u8")])
            // Kilobits a second of the picture; sound and the container come on top.
            let rated = Int64(rate * 1_000 / 8 * 12)
            #expect((rated...rated * 2).contains(feed.server.counts.bodyBytes))
        }
    }

    @Test func theLiveStreamSlides() {
        let live = LivePlaylist(segments: ["a", "b", "c"], duration: .seconds(2))
        #expect(live.text(at: .zero).hasSuffix("#EXTINF:2.0,\na?n=0\n#EXTINF:2.0,\nb?n=1\n#EXTINF:2.0,\nc?n=2\n"))
        let later = live.text(at: .seconds(3.9))
        #expect(later.contains("#EXT-X-MEDIA-SEQUENCE:1\n") && !later.contains("a?n=0"))
        #expect(later.hasSuffix("c?n=2\n#EXT-X-DISCONTINUITY\n#EXTINF:2.0,\na?n=3\n"))
    }

    @Test func theLiveStreamCanBePlayed() throws {
        let feed = try ServedFeed(server: FaultyServer(), time: { .zero })
        let result = try Command.run([
            "ffmpeg", "-v", "error", "-nostdin", "-live_start_index", "0", "-i", feed.url(of: .live), "-t", "4", "-f",
            "null", "-",
        ])
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    }
}
