import TestSupport
import Testing
import Wire

/// Playlists of every kind behave like files.
@Suite struct SegmentedFilmTests {
    private func numbers(_ harness: DecoderHarness) -> [Int] { harness.pictures.map { SeekingTests.number($0.pixels) } }

    @Test(arguments: SegmentedFilms.kinds) func everyPictureAndAllSoundCome(kind: String) throws {
        let harness = try DecoderHarness.open(try SegmentedFilms.path(kind))
        try SegmentedFilms.expectAll(of: harness)
    }

    @Test(arguments: SegmentedFilms.kinds) func exactSeekShowsThePictureOfTheTime(kind: String) throws {
        let harness = try DecoderHarness.open(try SegmentedFilms.path(kind))
        try harness.run { $0.pictures.count > 3 }
        for (serial, index) in [(UInt32(1), 60), (2, 20), (3, 41), (4, 0), (5, 35), (6, 36), (7, 74)] {
            harness.ended = []
            harness.sounds = []
            try harness.channel.send(.seek(serial: serial, time: Int64(index) * 40_000 + 20_000, mode: .exact))
            try harness.run {
                $0.pictures.last?.header.serial == serial && $0.sounds.last?.serial == serial
                    || $0.ended.contains(serial)
            }
            let first = try #require(harness.pictures.first { $0.header.serial == serial })
            #expect(SeekingTests.number(first.pixels) == index)
            #expect(abs(first.header.mediaTime - Int64(index) * 40_000) < 2_000)
            if index < 74 {
                #expect(harness.sounds.first { $0.serial == serial }?.mediaTime == Int64(index) * 40_000 + 20_000)
            }
        }
        #expect(harness.failure == nil)
    }

    @Test(arguments: SegmentedFilms.kinds) func segmentedFilmLoopsWithoutAGap(kind: String) throws {
        let harness = try DecoderHarness.open(try SegmentedFilms.path(kind), loop: true)
        try harness.run { $0.pictures.count > 160 }
        #expect(harness.failure == nil)
        let expected = (0..<160).map { $0 % 75 }
        #expect(Array(numbers(harness).prefix(160)) == expected)
        var frames: Int64 = 0
        for sound in harness.sounds {
            #expect(abs(sound.pts - frames * 1_000_000 / 48_000) <= 1)
            frames += Int64(sound.samples.count / 2)
        }
    }

    @Test(arguments: ["ts", "apart-fmp4"]) func openedInTheMiddleTheBeginningIsNotRead(kind: String) throws {
        let harness = try DecoderHarness.open(try SegmentedFilms.path(kind), start: 2_100_000)
        try harness.runToEnd()
        #expect(numbers(harness) == Array(52..<75))
        let segments = harness.wants.filter { $0.role == .segment && $0.to > 0 }
        #expect(segments.allSatisfy { $0.to > 2_000_000 })
        #expect(Set(segments.map(\.url)).count == segments.count)
    }

    @Test(arguments: ["mpegts", "fmp4"]) func theFirstPictureComesBeforeItsSegmentIsWhole(kind: String) throws {
        let path = try Clips.make(
            "long-\(kind).m3u8", "-i", try TestClips.path(TestClips.landscape), "-c", "copy", "-hls_time", "8",
            "-hls_playlist_type", "vod", "-hls_segment_type", kind, "-hls_fmp4_init_filename", "long-init.mp4")
        let film = try ServedFilms.film(at: path)
        let harness = try DecoderHarness()
        harness.releases = false
        try harness.start(path)
        try harness.run { !$0.pictures.isEmpty }
        #expect(try harness.served < #require(film.segments.first).bytes.count / 2)
    }
}
