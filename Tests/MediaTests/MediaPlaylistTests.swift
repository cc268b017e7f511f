import TestSupport
import Testing
import Wire

@testable import Media

@Suite struct MediaPlaylistTests {
    private func playlist(_ text: String, base: String = "https://a.b/c/d.m3u8?e") throws -> MediaPlaylist {
        try MediaPlaylist(Array(text.utf8), base: base)
    }

    @Test(arguments: [
        ("s.ts", "http://a/b/c/s.ts"), ("/s.ts", "http://a/s.ts"), ("//x/s", "http://x/s"), ("?q", "http://a/b/c/d?q"),
        ("../s", "http://a/b/s"), ("../../../s", "http://a/s"), ("./s/./t/../u", "http://a/b/c/s/u"),
        ("https://z/../y", "https://z/y"), ("s#f", "http://a/b/c/s"), ("a b", "http://a/b/c/a%20b"),
        ("#f", "http://a/b/c/d?p"), ("s:t", "s:t"), ("..", "http://a/b/"), (".", "http://a/b/c/"),
        ("\u{E9}", "http://a/b/c/%C3%A9"), ("s?q=/../x", "http://a/b/c/s?q=/../x"), ("a//b", "http://a/b/c/a//b"),
    ])
    func referencesResolveAsTheRFCSays(reference: String, url: String) {
        #expect(URLReference.resolve(reference.utf8, against: "http://a/b/c/d?p") == url)
    }

    @Test func tooLongOrEmptyReferencesAreRefused() {
        #expect(URLReference.resolve("".utf8, against: "http://a/") == nil)
        #expect(URLReference.resolve(String(repeating: "x", count: 16_380).utf8, against: "http://a/") == nil)
        #expect(URLReference.resolve(String(repeating: " ", count: 16_000).utf8, against: "http://a/") == nil)
        #expect(URLReference.resolve("x".utf8, against: "") == nil)
    }

    @Test func segmentsHaveTheirTimesAndPlaces() throws {
        let list = try playlist(
            """
            \u{FEFF}#EXTM3U\r\n#EXT-X-VERSION:7\r
            #EXT-X-TARGETDURATION:7
            #EXT-X-MEDIA-SEQUENCE:5
            #EXT-X-DISCONTINUITY-SEQUENCE:3
            #EXT-X-MAP:URI="i.mp4",BYTERANGE="10@20"

              #EXTINF:6.0000004,a title, with a comma\t
            #EXT-X-BYTERANGE:100@50
            one.mp4
            #EXTINF:5.5
            #EXT-X-BYTERANGE:7
            one.mp4
            #EXT-X-DISCONTINUITY
            #EXT-X-GAP
            #EXTINF:.25,
            two.mp4
            #EXT-X-ENDLIST
            """)
        #expect(list.segments.map(\.start) == [0, 6_000_000, 11_500_000])
        #expect(list.segments.map(\.duration) == [6_000_000, 5_500_000, 250_000])
        #expect(list.segments.map(\.sequence) == [5, 6, 7])
        #expect(list.segments.map(\.domain) == [3, 3, 4])
        #expect(list.segments.map(\.isGap) == [false, false, true])
        #expect(list.isFinished && !list.isEvent && list.targetDuration == 7_000_000)
        #expect(list.piece(of: list.segments[0]) == .init(url: "https://a.b/c/one.mp4", offset: 50, length: 100))
        #expect(list.piece(of: list.segments[1]) == .init(url: "https://a.b/c/one.mp4", offset: 150, length: 7))
        #expect(try list.map(of: list.segments[0]) == .init(url: "https://a.b/c/i.mp4", offset: 20, length: 10))
        #expect([-1, 0, 5_999_999, 6_000_000, 99_000_000].map { list.index(at: $0) } == [0, 0, 0, 1, 2])
    }

    @Test func byteRangeWithoutOffsetContinuesOnlyInTheSameFile() throws {
        let list = try playlist(
            """
            #EXTM3U
            #EXTINF:1,
            #EXT-X-BYTERANGE:100@50
            one.mp4
            #EXTINF:1,
            #EXT-X-BYTERANGE:7
            two.mp4
            #EXTINF:1,
            #EXT-X-BYTERANGE:8
            two.mp4
            """)
        #expect(list.segments.map { list.piece(of: $0)?.offset } == [50, 0, 7])
    }

    @Test func keysApplyUntilTheNext() throws {
        let list = try playlist(
            """
            #EXTM3U
            #EXT-X-MEDIA-SEQUENCE:258
            #EXTINF:1,
            a
            #EXT-X-KEY:METHOD=AES-128,URI="k"
            #EXTINF:1,
            b
            #EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x0f1
            #EXTINF:1,
            c
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:1,
            d
            """)
        let ciphers = list.segments.map { list.piece(of: $0)?.cipher }
        #expect(ciphers.map { $0?.keyURL } == [nil, "https://a.b/c/k", "https://a.b/c/k", nil])
        #expect(ciphers[1]?.vector == Array(repeating: 0, count: 14) + [1, 3])
        #expect(ciphers[2]?.vector == Array(repeating: 0, count: 15) + [0xF1])
        #expect(!list.isFinished)
    }

    @Test(arguments: [
        (
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\"",
            "encrypted (SAMPLE-AES); only its own player has the key"
        ),
        (
            "#EXT-X-KEY:METHOD=AES-128,KEYFORMAT=\"com.x\",URI=\"k\"",
            "encrypted (AES-128); only its own player has the key"
        ),
        ("#EXT-X-I-FRAMES-ONLY", "its playlist contains only key frames"),
        ("#EXTINF:1,\n#EXT-X-BYTERANGE:9223372036854775807@1\na", ""),
        ("#EXTINF:3601,\na", "its playlist has a segment of more than an hour and no target duration"),
        (
            "#EXT-X-TARGETDURATION:99999999999999999999\n#EXTINF:99999999999999999999,\na",
            "its playlist has a segment of more than an hour and no target duration"
        ),
        (
            "#EXT-X-BYTERANGE:9000000000000000000@0\na\n#EXT-X-BYTERANGE:9000000000000000000\na",
            "its playlist has an invalid byte range"
        ),
    ])
    func unplayablePlaylistsFailInOneLine(text: String, why: String) {
        do throws(MediaError) {
            _ = try MediaPlaylist(Array("#EXTM3U\n\(text)\n".utf8), base: "http://a/")
            #expect(why.isEmpty)
        } catch { #expect(error.why == why) }
    }

    @Test(
        arguments: [
            ("6", "99999999999999999999", 6), ("6", "61", 6), ("6", "60", 60), ("1", "50", 50), ("90", "900", 900),
            ("90", "901", 90), ("1800", "3601", 1800), ("7200", "7000", 7000), ("7200", "7201", 7200),
            ("0", "3600", 3600), ("99999999999999999999", "3600", 3600),
        ] as [(String, String, Int64)])
    func absurdDurationsBecomeTheTargetDuration(target: String, listed: String, seconds: Int64) throws {
        let tag = "#EXT-X-TARGETDURATION:\(target)\n"
        let segments = "#EXTINF:\(listed),\na\n#EXTINF:2,\nb\n"
        // The target duration can come after the segments.
        for text in [tag + segments, segments + tag] {
            let list = try playlist("#EXTM3U\n\(text)")
            #expect(list.segments.map(\.duration) == [seconds * 1_000_000, 2_000_000])
            #expect(list.segments.map(\.start) == [0, seconds * 1_000_000])
        }
    }

    @Test func tooManySegmentsAreRefused() {
        var bytes = Array("#EXTM3U\n".utf8)
        for _ in 0...MediaPlaylist.maxSegments { bytes += "a\n".utf8 }
        #expect(throws: MediaError.self) { try MediaPlaylist(bytes, base: "http://a/") }
    }

    @Test(
        arguments: [
            ("6", 6_000_000), ("6.5", 6_500_000), ("0.000001", 1), ("0.0000019", 1), ("-2.25", -2_250_000),
            ("99999999999999999999", 86_400_000_000), (".5x", 500_000), ("1.2.3", 1_200_000),
        ] as [(String, Int64)])
    func secondsAreParsed(text: String, time: Int64) { #expect(PlaylistText.seconds(text.utf8) == time) }

    @Test(arguments: ["", "-", ".", "x1"]) func otherTextsAreNotTimes(text: String) {
        #expect(PlaylistText.seconds(text.utf8) == nil)
    }

    @Test func stampsWrapAndDomainsStartAgain() {
        let round = Int64(1 << 33) * 100 / 9
        var timeline = Timeline()
        // The first domain begins an hour before the stamps wrap.
        let first = round - 3_600_000_000
        #expect(first + timeline.shift(domain: 1, stamp: first, expected: 0, goesRound: true) == 0)
        let later = Int64(60_000_000)
        #expect(
            abs(
                later + timeline.shift(domain: 1, stamp: later, expected: 3_660_000_000, goesRound: true)
                    - 3_660_000_000) < 2)
        #expect(7 + timeline.shift(domain: 2, stamp: 7, expected: 10_000_000, goesRound: true) == 10_000_000)
        // The first stamp of another rendition in the domain is some milliseconds off, and stays so.
        #expect(30_007 + timeline.shift(domain: 2, stamp: 30_007, expected: 10_000_000, goesRound: true) == 10_030_000)
        // Stamps that do not match the playlist are placed by the playlist's time.
        #expect(5 + timeline.shift(domain: 2, stamp: 5, expected: 90_000_000, goesRound: false) == 90_000_000)
    }

    @Test func tagsOfSoundSegmentsHaveTheTime() {
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(owner.count + 8), 0, 0] + owner + [0, 0, 0, 1, 0, 0, 0, 90]
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
        #expect(SoundTag.length((tag + [1, 2, 3])[...]) == tag.count)
        #expect(SoundTag.time(tag[...]) == Microseconds((1 << 32) + 90) * 100 / 9)
        #expect(SoundTag.length(Array("ID3".utf8)[...]) == nil)
        #expect(SoundTag.length((Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F])[...]) == nil)
    }

    // MARK: Hostile texts

    @Test(arguments: 0..<8) func mutatedPlaylistsNeverTrap(seed: Int) {
        var dice = SeededRandom(state: UInt64(seed) &* 77 &+ 1)
        let words = [
            "#EXTM3U\n", "#EXTINF:", "#EXT-X-BYTERANGE:", "@", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x", "\n", ",",
            "a.ts\n",
            "#EXT-X-MAP:URI=\"m\",BYTERANGE=\"", "9223372036854775807", "-1", "\"", "=", "#EXT-X-MEDIA-SEQUENCE:",
            "#EXT-X-DISCONTINUITY\n", "#EXT-X-TARGETDURATION:0\n", "#EXT-X-STREAM-INF:BANDWIDTH=", "RESOLUTION=9x9",
            "\r",
            "#EXT-X-ENDLIST", "\0", "\u{FFFF}", "#EXT-X-START:TIME-OFFSET=-", "../", "//", "?",
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=",
            "#EXT-X-DISCONTINUITY-SEQUENCE:",
        ]
        for _ in 0..<400 {
            var bytes = Array("#EXTM3U\n".utf8)
            for _ in 0..<Int.random(in: 0..<40, using: &dice) {
                bytes += words.randomElement(using: &dice)!.utf8
                if Int.random(in: 0..<8, using: &dice) == 0 { bytes.append(UInt8.random(in: 0...255, using: &dice)) }
            }
            // An error is fine; the test is that this returns, and what is in a list that was read.
            if let list = try? MediaPlaylist(bytes, base: "http://a/b") {
                for segment in list.segments {
                    _ = list.piece(of: segment)
                    // As above.
                    _ = try? list.map(of: segment)
                    #expect(segment.start >= 0 && segment.duration >= 0)
                }
                if !list.segments.isEmpty { _ = list.index(at: Int64.random(in: -5...Int64.max / 2, using: &dice)) }
            }
            if let master = MasterPlaylist(bytes, base: "http://a/b") {
                var choice = VariantChoice(master.variants, usable: master.places.map { $0.url != nil })
                choice.link = Int64.random(in: 0...Int64.max, using: &dice)
                #expect(master.variants.indices.contains(choice.start(isCold: true).index))
                _ = choice.next(buffered: 0, isWatched: true, now: 0)
            }
        }
    }
}
