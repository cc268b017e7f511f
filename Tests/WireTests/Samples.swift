import Wire

/// A message of each kind.
enum Samples {
    static let toDecoder: [ToDecoder] = [
        .open(url: "file:///a b", start: 5, loop: true, sound: false),
        .source(id: 1, url: "y", length: -1, seekable: true, error: "why"),
        .data(id: 2, offset: 9, bytes: [1, 2], error: ""),
        .surface(SurfaceRequest(generation: 3, width: 4, height: 5, fit: .fill)), .rate(thousandths: 250),
        .seek(serial: 8, time: -1, mode: .after), .loop(false), .sound(true), .release(slots: [11]),
        .credit(frames: 4_800), .close, .link(bitsPerSecond: 750_000),
        .still(id: 4, url: "file:///a.jpg", time: 100_000), .warm(time: 2_000_000, bitsPerSecond: 750_000), .watched,
        .soundLanguages(["de", "ger"]), .soundTrack(3), .textTrack(2), .textTrack(nil),
        .loudness(target: -1_600), .variant(.automatic), .variant(.smallest), .variant(.index(3)),
        .mux(url: "https://h.example/master.m3u8"),
    ]
    static let fromDecoder: [FromDecoder] = [
        .hello(version: 1, confinement: .calls), .openURL(id: 1, want: ByteWant(url: "x", role: .key), isPatient: true),
        .read(id: 1, offset: 2, count: 3, isPatient: true),
        .closeURL(id: 4),
        .opened(
            {
                var info = MediaInfo(
                    container: "mov", duration: 7, isSeekable: true,
                    streams: [MediaInfo.Stream(index: 0, kind: .video, codec: "h264", isChosen: true)])
                info.tags = MediaInfo.Tags(
                    title: "t", artist: "a", album: "b", comment: "c", genre: "g", date: "2024")
                info.chapters = [.init(start: 0, title: "one"), .init(start: 5_000_000, title: "")]
                info.soundTracks = [.init(language: "de", title: "x", isChosen: true), .init(language: "en")]
                info.textTracks = [.init(language: "fr")]
                info.variants = [.init(bandwidth: 64_000), .init(bandwidth: 9, width: 2, height: 1, isChosen: true)]
                info.variants[0].isPlayable = false
                return info
            }()),
        .picture(
            PictureHeader(
                slot: 1, serial: 2, generation: 3, pts: 4, mediaTime: 5, duration: 6, width: 7, height: 8, stride: 9)),
        .sound(serial: 1, pts: 2, mediaTime: 3, samples: [4, -5]), .buffered(serial: 5, until: 6), .ended(serial: 7),
        .through(serial: 8), .seekable, .begins(serial: 9, at: 2_000_000),
        .failed(code: .limits, why: "too wide", advice: "cut it", detail: "number 7"),
        .variant(index: 3, why: "the link is slow"),
        .expect(ByteWant(url: "y", role: .segment, offset: 5, end: 9, from: 1, to: 2)),
        .still(
            id: 4,
            PictureHeader(
                slot: 2, serial: 0, generation: 1, pts: 0, mediaTime: 0, duration: 0, width: 4, height: 4, stride: 16)),
        .noStill(id: 5, code: .notMedia, why: "a text"),
        .cue(serial: 3, start: 1_000_000, end: 2_000_000, text: "one\ntwo"),
        .loudness(SoundLoudness(loudness: -2_310, gain: 710, origin: .whole)),
        .muxed(.matroska, offset: 7, bytes: [1, 2, 3]),
    ]
}
