import TestSupport
import Testing
import Wire

@testable import Media

/// Stamps of a transport stream have 33 bits at 90 kHz: after 26 and a half
/// hours they wrap to 0 (ISO 13818-1, 2.4.3.7).
@Suite struct StampWrapTests {
    private static let wrap = Int64(1 << 33) * 100 / 9

    /// The stamp of `time` in the stream.
    private static func wrapped(_ time: Int64) -> Int64 { ((time % wrap) + wrap) % wrap }

    @Test(arguments: [-40_000, -5_000, -11, 0, 11, 5_000, 40_000] as [Int64])
    func stampsOnBothSidesOfTheWrapKeepTheirDistance(first: Int64) {
        var timeline = Timeline()
        _ = timeline.shift(domain: 1, stamp: Self.wrapped(first), expected: 0, goesRound: true)
        // A segment begins some milliseconds earlier or later than the playlist says.
        for (time, off) in [
            (0, 4_000), (0, -4_000), (5_000, 3_000), (5_000, -3_000), (40_000, 20_000), (2_000_000, -20_000),
        ]
            as [(Int64, Int64)]
        {
            let stamp = Self.wrapped(first + time)
            let shift = timeline.shift(domain: 1, stamp: stamp, expected: time + off, goesRound: true)
            #expect(abs(stamp + shift - time) <= 2, "first \(first), time \(time), expected \(off) later")
        }
    }

    /// The first picture's DTS, in microseconds after the wrap.
    @Test(arguments: [-4_000, -44_000, -84_000, -1_004_000, -2_044_000] as [Int64])
    func aFilmWithWrappingStampsPlaysAndSeeks(first: Int64) throws {
        let offset = Double(Self.wrap + first) / 1_000_000
        let path = try Clips.make(
            "wrap\(-first).m3u8", "-f", "lavfi", "-i", "color=black:s=128x96:r=25:d=3,geq=lum='16+2*N':cb=128:cr=128",
            "-f", "lavfi", "-i", "sine=440:r=48000:d=3", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "25", "-qp",
            "4", "-bf", "2", "-c:a", "aac", "-t", "3", "-muxdelay", "0", "-muxpreload", "0", "-output_ts_offset",
            "\(offset)", "-hls_time", "1", "-hls_playlist_type", "vod")
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == Array(0..<75))
        for (index, picture) in harness.pictures.enumerated() {
            #expect(abs(picture.header.mediaTime - Int64(index) * 40_000) < 2_000)
        }
        #expect(abs(harness.sounds.reduce(0) { $0 + $1.samples.count / 2 } - 144_000) < 3_000)
        for (serial, index) in [(UInt32(1), 60), (2, 0), (3, 26), (4, 24)] {
            harness.ended = []
            try harness.channel.send(.seek(serial: serial, time: Int64(index) * 40_000 + 20_000, mode: .exact))
            try harness.run { $0.pictures.last?.header.serial == serial || $0.ended.contains(serial) }
            let picture = try #require(harness.pictures.first { $0.header.serial == serial })
            #expect(SeekingTests.number(picture.pixels) == index)
        }
        #expect(harness.failure == nil)
    }
}
